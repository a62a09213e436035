"""The prefix of a line, ``[stamp] host:pid:tid [dev] file:line (function)``, apart from its message."""

from __future__ import annotations

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
