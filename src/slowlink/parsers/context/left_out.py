"""What a text says of itself: that lines of it were left out, by a logger under load or by whoever passed it on::

    mlx5_core_ratelimit: 48 callbacks suppressed
    ** 127 printk messages dropped **
    Suppressed 917 messages from train.service
    Missed 31 kernel messages
    imjournal: 236 messages lost due to rate-limiting
    [... 51234 lines omitted ...]
    <output truncated>

What is missing may be what is wrong, so nothing is healthy then.

Source: Linux ``lib/ratelimit.c`` and ``kernel/printk/printk.c``, systemd ``journald-server.c`` and
``journald-kmsg.c``, rsyslog ``runtime/ratelimit.c``. A mark that somebody set counts where a line is nothing else:
prose may speak of omitted lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_HINTS = ("uppressed", "dropped", "Missed", "lost due", "mitted", "runcated", "kipped", "snipped", "left out")
_LONGEST = 300
_SAID = regex(
    r"\b[\w.]{1,60}: \d{1,12} callbacks suppressed\s{0,8}$"
    r"|\*\* \d{1,12} printk messages dropped \*\*"
    r"|\bSuppressed \d{1,12} messages from "
    r"|\bMissed \d{1,12} kernel messages\b"
    r"|\b\d{1,12} messages lost due to rate-limiting\b"
)
_EDGE = r"[\s\[\]<>(){}.…#*=~-]{0,20}"
_COUNT = r"(?:(?P<count>\d[\d,.]{0,15}) )?(?:more )?(?:lines?|messages|bytes|[KM]i?B|rows|entries|output|log)"
_MARK = regex(
    rf"{_EDGE}{_COUNT}(?: of (?:output|log))? (?:were |was )?(?:omitted|truncated|suppressed|skipped|snipped|left out)"
    rf"{_EDGE}",
    re.IGNORECASE,
)


class LeftOut:
    """Notes the first line that says so."""

    kind: ClassVar[str] = "left-out"
    literals: ClassVar[Literals] = Literals(_HINTS)

    def __init__(self) -> None:
        self.unfinished = ""

    @staticmethod
    def wants(text: str) -> bool:
        return any(hint in text for hint in _HINTS) and _says_so(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not _says_so(line.text):
            return Use.NOT_MINE
        mark = _MARK.fullmatch(line.text)
        if mark is not None and mark["count"] is not None and not mark["count"].strip("0.,"):
            return Use.IGNORED  # no line was left out
        self.unfinished = self.unfinished or f"says in line {line.no:,} that lines of it were left out"
        return Use.IGNORED

    def finish(self) -> Iterable[Record]:
        return ()


def _says_so(text: str) -> bool:
    return len(text) <= _LONGEST and (_SAID.search(text) is not None or _MARK.fullmatch(text) is not None)


PARSER = LeftOut
