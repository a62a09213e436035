"""How often an NFS client had to ask again: ``nfsstat -c`` and ``mountstats``::

    Client rpc stats:
    calls      retrans    authrefrsh
    9012345    812345     9012345

    Stats for nfs:/export mounted on /data:
    READ:
            81234 ops (89%)         5123 retrans (6%)       12 major timeouts

The first counts all mounts since the node was started; of the second, the kinds of calls of one mount are added up.

Source: nfs-utils 1.3 to 2.8, ``utils/nfsstat/nfsstat.c`` and ``tools/mountstats/mountstats.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_LEAST_CALLS = 10_000
_CALLS = (
    *("READ", "WRITE", "COMMIT", "OPEN", "CLOSE", "SETATTR", "GETATTR", "LOOKUP", "ACCESS", "REMOVE", "RENAME"),
    *("CREATE", "READDIR", "READDIRPLUS", "STATFS", "FSINFO", "PATHCONF", "LAYOUTGET", "LAYOUTRETURN", "DELEGRETURN"),
    *(
        "EXCHANGE_ID",
        "CREATE_SESSION",
        "SEQUENCE",
        "TEST_STATEID",
        "OPEN_NOATTR",
        "SERVER_CAPS",
        "LOCK",
        "LOCKU",
        "NULL",
    ),
)
"""Kinds of calls whose heading is known; what is counted below others is added up all the same."""
_CLIENT = regex(r"\s{0,4}Client rpc stats:\s*")
_SERVER = regex(r"\s{0,4}Server (?:rpc|nfs|packet|reply|file|read) .{0,60}:\s*")
_HEADING = regex(r"\s{0,4}calls\s{1,20}retrans\s{1,20}authrefrsh\s*")
_COUNTS = regex(r"\s{0,4}(?P<calls>\d{1,15})\s{1,20}(?P<again>\d{1,15})\s{1,20}\d{1,15}\s*")
_MOUNT = regex(r"\s{0,4}Stats for (?P<server>\S{1,200}) mounted on (?P<where>/\S{0,200}):\s*")
_OPS = regex(
    r"\s{0,12}(?P<calls>\d{1,15}) ops \(\d{1,3}%\)(?:\s{1,12}(?P<again>\d{1,15}) retrans \(\d{1,3}%\))?(?:\s.{0,80})?"
)
_BESIDE = regex(
    r"\s{0,12}(?:Client nfs v\d:|RPC statistics:|NFSv4 capability flags:.{0,80}"
    r"|NFS (?:mount options|server capabilities|security flavor|byte counts):.{0,400}"
    r"|\d{1,15} RPC requests sent, .{0,120}|average backlog queue length: .{0,20}"
    r"|applications (?:read|wrote) \d.{0,80}|(?:client|server) (?:read|wrote) \d.{0,80}|avg bytes sent per op: .{0,80}"
    rf"|backlog wait: .{{0,120}}|(?:{'|'.join(_CALLS)}):)\s*"
)


class NfsStatistics:
    """Adds up the calls of each mount."""

    kind: ClassVar[str] = "nfs"
    literals: ClassVar[Literals] = Literals(
        (
            *("Client rpc stats:", "Server ", "calls", " mounted on /", " ops (", "\n0", "\nClient nfs ", "RPC "),
            *("\nNFS", "average backlog", "applications ", "\nclient ", "\nserver ", "avg bytes", "backlog wait:"),
            *(f"\n{call}:" for call in _CALLS),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._inside = False
        self._mount: Part | None = None
        self._calls = self._again = 0
        self._line: Line | None = None

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_CLIENT, _HEADING, _COUNTS, _MOUNT, _OPS, _SERVER, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_CLIENT, _HEADING, _COUNTS, _MOUNT, _OPS, _SERVER, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if _CLIENT.fullmatch(text) or _SERVER.fullmatch(text):
            self._inside = _CLIENT.fullmatch(text) is not None
            return Use.IGNORED if self._inside else Use.NOT_MINE
        if (mount := _MOUNT.fullmatch(text)) is not None:
            self._settle()
            self._mount = Part("filesystem", mount["where"])
            return Use.IGNORED
        if self._inside and _HEADING.fullmatch(text):
            return Use.IGNORED
        if self._inside and (counts := _COUNTS.fullmatch(text)) is not None:
            self._inside = False
            return self._share(Part("filesystem", "all of NFS"), int(counts["calls"]), int(counts["again"]), line)
        if self._mount is not None and (ops := _OPS.fullmatch(text)) is not None:
            self._calls += int(ops["calls"])
            self._again += int(ops["again"] or 0)
            self._line = line if self._line is None or ops["again"] else self._line
            return Use.USED
        return Use.IGNORED if self._mount is not None and _BESIDE.fullmatch(text) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        self._settle()
        return self._found

    def _settle(self) -> None:
        if self._mount is not None and self._line is not None:
            self._share(self._mount, self._calls, self._again, self._line)
        self._mount, self._calls, self._again, self._line = None, 0, 0, None

    def _share(self, part: Part, calls: int, again: int, line: Line) -> Use:
        if calls < _LEAST_CALLS or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading("nfs-retransmitted", part, round(100 * again / calls, 3), line))
        return Use.USED


PARSER = NfsStatistics
