"""Which processes are another one whose name was torn: two ranks wrote at once, inside each other's prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slowlink.model.nccl import LogProcess

_FEW = 5
_MUCH = 20
_HOSTS = 10_000


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
    talkative = _Names(host for host in real if hosts[host] >= _MUCH)
    mended: dict[LogProcess, LogProcess] = {}
    for process, count in lines.items():
        if process.host is None:
            continue
        # A look-up for each end of the name: ranks times hosts would be too many comparisons.
        wholes = [host for host in _ends(process.host) if host in place and _is_glued(process, host, lines, hosts)]
        loudest = talkative.that_lost_a_piece(process.host) if count <= _FEW else None
        if loudest is not None and hosts[loudest] >= _MUCH * count:
            wholes.append(loudest)
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


class _Names:
    """Names by their beginnings and ends, the loudest first: what is left of one that lost a piece has one of each."""

    def __init__(self, loudest_first: Iterable[str]) -> None:
        self._beginning: dict[str, list[int]] = {}
        self._end: dict[str, list[int]] = {}
        self._names = tuple(loudest_first)
        self._found: dict[str, str | None] = {}
        for at, name in enumerate(self._names):
            for cut in range(len(name) + 1):
                self._beginning.setdefault(name[:cut], []).append(at)
                self._end.setdefault(name[cut:], []).append(at)

    def that_lost_a_piece(self, torn: str) -> str | None:
        """The loudest of the names that become ``torn`` when one piece of theirs is taken out."""
        if torn not in self._found:
            self._found[torn] = self._look_for(torn)
        return self._found[torn]

    def _look_for(self, torn: str) -> str | None:
        best = len(self._names)
        for cut in range(len(torn) + 1):
            before, after = torn[:cut], torn[cut:]
            # Of names that are numbered, many begin alike and many end alike, but few of the rarer kind are looked at.
            rarer = min(self._beginning.get(before, ()), self._end.get(after, ()), key=len)
            for at in rarer:
                if at >= best:
                    break
                name = self._names[at]
                if len(name) > len(torn) and name.startswith(before) and name.endswith(after):
                    best = at
        return self._names[best] if best < len(self._names) else None
