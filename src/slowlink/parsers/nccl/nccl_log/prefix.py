"""The prefix of a line, ``[stamp] host:pid:tid [dev] file:line (function)``, apart from its message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from slowlink.model.nccl import LogProcess
from slowlink.patterns import regex

_ANCHOR = regex(r"(?P<host>[^\s:\[\]<>\"']{1,64}):(?P<pid>\d{1,10}):\d{1,10}(?= |$)")
_LONGEST = 600
"""Characters at the end of a prefix in which ``host:pid:tid`` is looked for."""
_DEVICE = regex(r" \[-?\d{1,6}\](?= |$)")
_LOCATION = regex(r"\S+\.\w+:\d{1,7}$")
SECOND_ANCHOR = regex(
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
    place = {host: at for at, host in enumerate(real)}
    longest = max(map(len, real), default=0)
    mended: dict[LogProcess, LogProcess] = {}
    for process, count in lines.items():
        if process.host is None:
            continue
        # A look-up for each end of the name: ranks times hosts would be too many comparisons.
        wholes = [host for host in _ends(process.host) if host in place and _is_glued(process, host, lines, hosts)]
        if count <= _FEW and len(process.host) < longest:
            wholes += _talkative_like(process.host, _MUCH * count, real, hosts)
        if wholes:
            host = min(wholes, key=place.__getitem__)
            whole = LogProcess(host, process.pid, process.rank)
            mended[process] = whole if whole in lines else LogProcess(host, None, process.rank)
    return mended


def _ends(name: str) -> list[str]:
    return [name[at:] for at in range(1, len(name))]


def _is_glued(process: LogProcess, host: str, lines: Mapping[LogProcess, int], hosts: Mapping[str, int]) -> bool:
    """Did ``host`` write what ``process`` logged? Cells of table rows are glued to many lines of one process."""
    count = lines[process]
    return lines.get(LogProcess(host, process.pid, process.rank), 0) > count or hosts[host] >= _MUCH * count


def _talkative_like(name: str, much: int, real: Sequence[str], hosts: Mapping[str, int]) -> list[str]:
    """The hosts that logged at least ``much`` and of whose names ``name`` is a part; ``real`` has the loudest first."""
    return [host for host in takewhile(lambda host: hosts[host] >= much, real) if _lacks_a_piece(name, host)]


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
