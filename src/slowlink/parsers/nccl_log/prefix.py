"""The prefix of a line, ``[stamp] host:pid:tid [dev] file:line (function)``, apart from its message."""

from __future__ import annotations

import re
from collections.abc import Mapping

from slowlink.model.nccl import LogProcess

_ANCHOR = re.compile(r"(?P<host>[^\s:\[\]<>\"']{1,64}):(?P<pid>\d{1,10}):\d{1,10}(?= |$)")
_LONGEST = 600
"""Characters at the end of a prefix in which ``host:pid:tid`` is looked for."""
_DEVICE = re.compile(r" \[-?\d{1,6}\](?= |$)")
_LOCATION = re.compile(r"\S+\.\w+:\d{1,7}$")
SECOND_ANCHOR = re.compile(
    r"(?P<prefix>[^\s:\[\]<>\"']{1,64}:\d{1,10}:\d{1,10}(?: \[-?\d{1,6}\])?(?: \S{1,200}){0,4}?)"
    r" [NRM]CCL (?=INFO |WARN |TRACE |CALL )"
)
"""Two ranks wrote at once: the prefix of another line inside a message."""


def read_prefix(prefix: str, rank: int | None, host: str | None) -> tuple[LogProcess, str | None]:
    """Process and source location of a prefix. A launcher's ``host`` fills in where the line names none."""
    anchors = list(_ANCHOR.finditer(prefix, max(0, len(prefix) - _LONGEST)))
    if not anchors:
        return LogProcess(host, None, rank), None
    anchor = anchors[-1]  # a time of day before it looks alike
    rest = _DEVICE.sub("", prefix[anchor.end() :], count=1).split(" (", 1)[0].strip()
    location = rest if _LOCATION.match(rest) else None
    return LogProcess(anchor["host"], int(anchor["pid"]), rank), location


def mend_processes(lines: Mapping[LogProcess, int]) -> dict[LogProcess, LogProcess]:
    """Processes that exist only because a line was torn inside its prefix, with the process they are.

    ``lines`` is how much each process logged. A torn name is a known one with other text glued before it
    (``-1node7``) or with a piece missing (``nod7``), and it logged next to nothing; two real hosts of similar names
    both log much.
    """
    hosts: dict[str, int] = {}
    for process, count in lines.items():
        if process.host:
            hosts[process.host] = hosts.get(process.host, 0) + count
    real = sorted(hosts, key=lambda host: -hosts[host])[:_HOSTS]
    mended: dict[LogProcess, LogProcess] = {}
    for process, count in lines.items():
        if process.host is None:
            continue
        host = next((h for h in real if _is_torn(process, h, count, hosts[h], lines)), None)
        if host is not None:
            whole = LogProcess(host, process.pid, process.rank)
            mended[process] = whole if whole in lines else LogProcess(host, None, process.rank)
    return mended


def _is_torn(process: LogProcess, host: str, count: int, much: int, lines: Mapping[LogProcess, int]) -> bool:
    name = process.host or ""
    if name != host and name.endswith(host):
        # Cells of table rows are glued to many lines of one process.
        return lines.get(LogProcess(host, process.pid, process.rank), 0) > count or much >= _MUCH * count
    return count <= _FEW and much >= _MUCH * count and _lacks_a_piece(name, host)


def _lacks_a_piece(name: str, host: str) -> bool:
    if len(name) >= len(host):
        return False
    front = 0
    while front < len(name) and name[front] == host[front]:
        front += 1
    return host.endswith(name[front:])


_FEW = 5
_MUCH = 20
_HOSTS = 10_000
