"""How long the kernel's NFS client waited for each server: both lines of one wait, read together.

The first alone says that somebody waits, the second that it is over::

    [105184.80] nfs: server store01 not responding, still trying
    [105191.40] nfs: server store01 OK

Each server gives one event. ``longest`` and ``seconds`` (the sum) are there where every wait ended, and its times could
be read; a server that never answers again has none. ``timed out`` ends a wait with an error for whoever asked.

Source: ``net/sunrpc/clnt.c`` of Linux 5.x and 6.x.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import quotes_code
from slowlink.patterns import regex

KIND, ORIGIN = "kernel-nfs-stall", "kernel"
_WAIT = regex(
    r"nfs: server (?P<server>\S{1,120}) (?:(?P<waits>not responding, (?:still trying|(?P<gives_up>timed out)))|OK\b)"
)
_SINCE_BOOT = regex(r"\[\s{0,12}(?P<seconds>\d{1,12}\.\d{1,9})\]")
_OF_DAY = regex(r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2}(?:[.,]\d{1,9})?)")
_STAMPED = regex(r"\[[^\[\]]{8,40}\]")
MAX_SERVERS = Limit(10_000, "file servers that did not answer")


class _Server(Struct):
    """What was said of one server on one node."""

    name: str
    ref: Ref
    host: str | None
    count: int = 0
    waits: bool = False
    since: tuple[str, float] | None = None
    """When the open wait began: the day in words, or "" since boot, and seconds."""
    lost: bool = False
    """Did a wait end with an error, or at an unknown time?"""
    seconds: float = 0.0
    longest: float = 0.0


class FileServerWaits:
    """Waits of each node for each server, in the order of the lines."""

    kind: ClassVar[str] = "kernel-log"
    literals: ClassVar[Literals] = Literals(("nfs: server ",))

    def __init__(self) -> None:
        self._servers: dict[tuple[str, str], _Server] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return _WAIT.search(text) is not None and not quotes_code(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _WAIT.search(line.text)
        if found is None:
            return Use.NOT_MINE
        key, now = (line.host or line.place, found["server"]), _moment(line)
        server = self._servers.get(key)
        if found["waits"] is None:
            if server is not None and server.waits:
                _end(server, now)
            return Use.USED if server is not None else Use.IGNORED
        if server is None:
            if not MAX_SERVERS.has_room(len(self._servers)):
                return Use.USED
            server = self._servers[key] = _Server(found["server"], line.ref(), line.host)
        server.count += 1
        server.lost = server.lost or found["gives_up"] is not None
        if not server.waits:
            server.waits, server.since = True, now
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        for server in self._servers.values():
            if not server.count:
                continue
            groups = {"server": server.name}
            if not server.waits and not server.lost:
                groups |= {"longest": f"{server.longest:.6g}", "seconds": f"{server.seconds:.6g}"}
            yield JobEvent(KIND, ORIGIN, server.ref.text, groups, server.ref, host=server.host, count=server.count)


def _end(server: _Server, now: tuple[str, float] | None) -> None:
    """The server answers again."""
    since, server.waits, server.since = server.since, False, None
    if since is None or now is None or since[0] != now[0] or now[1] < since[1]:
        server.lost = True  # nobody knows how long it was
        return
    server.seconds += now[1] - since[1]
    server.longest = max(server.longest, now[1] - since[1])


def _moment(line: Line) -> tuple[str, float] | None:
    """The day, as printed, and the seconds since its beginning; those since boot of a line that has no day."""
    boot = _SINCE_BOOT.search(line.text)
    if boot is not None:
        return "", float(boot["seconds"])
    in_text = _STAMPED.match(line.text)
    stamp = line.stamp or (in_text[0] if in_text is not None else "")
    clock = _OF_DAY.search(stamp)
    if clock is None:
        return None
    second = float(clock["second"].replace(",", "."))
    return stamp.replace(clock[0], ""), int(clock["hour"]) * 3600 + int(clock["minute"]) * 60 + second


PARSER = FileServerWaits
