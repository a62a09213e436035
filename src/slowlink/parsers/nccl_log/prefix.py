"""The prefix of a line, ``[stamp] host:pid:tid [dev] file:line (function)``, apart from its message."""

from __future__ import annotations

import re

from slowlink.model.nccl import LogProcess

_ANCHOR = re.compile(r"(?P<host>[^\s:\[\]<>\"']{1,64}):(?P<pid>\d{1,10}):\d{1,10}(?= |$)")
_LONGEST = 600
"""Characters at the end of a prefix in which ``host:pid:tid`` is looked for."""
_DEVICE = re.compile(r" \[-?\d{1,6}\](?= |$)")
_LOCATION = re.compile(r"\S+\.\w+:\d{1,7}$")
SECOND_ANCHOR = re.compile(
    r"(?P<prefix>[^\s:\[\]<>\"']{1,64}:\d{1,10}:\d{1,10}(?: \[-?\d{1,6}\])?(?: \S{1,200}){0,4}?) [NRM]CCL (?=INFO |WARN |TRACE |CALL )"
)
"""Two ranks wrote at once: the prefix of another line inside a message."""


def read_prefix(prefix: str, rank: int | None, host: str | None) -> tuple[LogProcess, str | None]:
    """Process and source location of a prefix. A launcher's ``host`` fills in where the line names none."""
    anchor = None
    for anchor in _ANCHOR.finditer(prefix, max(0, len(prefix) - _LONGEST)):
        pass  # the last one: a time of day before it looks alike
    if anchor is None:
        return LogProcess(host, None, rank), None
    rest = _DEVICE.sub("", prefix[anchor.end() :], count=1).split(" (", 1)[0].strip()
    location = rest if _LOCATION.match(rest) else None
    return LogProcess(anchor["host"], int(anchor["pid"]), rank), location


def mend_hosts(processes: set[LogProcess]) -> dict[LogProcess, LogProcess]:
    """Processes whose host has the end of another program's text glued before it (``-1node7``), with what they are.

    Only a name that ends with another host's name and has the same pid is mended.
    """
    by_pid: dict[int, list[LogProcess]] = {}
    for process in processes:
        if process.host and process.pid is not None:
            by_pid.setdefault(process.pid, []).append(process)
    mended: dict[LogProcess, LogProcess] = {}
    for same in by_pid.values():
        for glued in same if 1 < len(same) <= _CANDIDATES else ():
            for clean in same:
                if clean.host != glued.host and (glued.host or "").endswith(clean.host or ""):
                    mended[glued] = clean
    return mended


_CANDIDATES = 50
