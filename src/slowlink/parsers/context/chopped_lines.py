"""Lines that a pager cut at the edge of its screen, as journalctl shows them and people copy them::

    Nov 03 04:05:06 gpu17 kernel: nvidia 0000:5d:00.0: the module>

What stood behind may be what is wrong, so nothing is healthy then. Programs end lines so, too (tags, addresses, arrows,
prompts), so only a line with a stamp counts that opens no bracket of that kind.

Source: less ``output.c``, whose ``-S`` (journalctl sets it) ends a line that it cuts with ``>``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_CHOPPED = regex(r"[^<>]{8,400}[^\s<>=-]>")


class ChoppedLines:
    """Notes the first of them."""

    kind: ClassVar[str] = "chopped-lines"
    lone: ClassVar[bool] = True
    reads_beside: ClassVar[bool] = True
    """What is left of such a line may say enough, to others."""
    literals: ClassVar[Literals] = Literals((">",))

    def __init__(self) -> None:
        self.unfinished = ""

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_CHOPPED),),)

    @staticmethod
    def wants(text: str) -> bool:
        """Does it end so?"""
        return _CHOPPED.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if line.stamp is not None and _CHOPPED.fullmatch(line.text):
            self.unfinished = (
                self.unfinished or f"has lines that a pager cut at the edge of its screen (line {line.no:,})"
            )
        return Use.NOT_MINE

    def finish(self) -> Iterable[Record]:
        return ()


PARSER = ChoppedLines
