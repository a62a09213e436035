"""What the scan of one part of a source leaves to the reader."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct, field

from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.json_blocks import Block
from slowlink.parsers.reading.leads.of_loggers import Form, Lead
from slowlink.parsers.reading.line_interest import Behind


class Candidate(Struct):
    """A line for the parsers numbered ``wanted_by``; for nobody when it is kept only as one near a wanted line."""

    wanted_by: tuple[int, ...]
    line: Line
    before_no: int
    """Number of the line in ``line.before``; 0 where this part has none."""
    behind: tuple[Behind, ...] = ()
    """What it would be behind a logger's lead."""
    lone: bool = False
    """Do only parsers want it that are never greedy?"""
    refusing: frozenset[int] | None = None
    """Who takes nothing of it as long as they are as new; None where that is not known of its shape."""

    def is_wanted(self) -> bool:
        """As it stands, or behind a logger's lead."""
        return bool(self.wanted_by) or any(each.wanted_by for each in self.behind)

    def readings(self, known: Collection[Form]) -> list[tuple[Lead | None, tuple[int, ...]]]:
        """The ways to read it, with who wants it so: behind a known lead, as it stands, behind one that is wanted."""
        whole: list[tuple[Lead | None, tuple[int, ...]]] = [(None, self.wanted_by)]
        if not self.behind:
            return whole
        first = [each for each in self.behind if each.lead.form in known]
        return [*first, *whole, *(each for each in self.behind if each.wanted_by and each not in first)]


class Scanned(Struct):
    """One part of a source. Candidates, and lines in ``mixed``, are in no count: the reader settles them."""

    candidates: list[Any] = field(default_factory=list)
    """``Candidate``s, and stretches of rows (``row_runs.RowStretch``), in order."""
    blocks: list[Block] = field(default_factory=list)
    cut: Block | None = None
    """A JSON value of no known kind that the part ends inside of."""
    cut_texts: int = 0
    """How many of ``texts`` are lines of ``cut``."""
    many_torn: bool = False
    """Did values of JSON begin that were not looked at, since too many before were cut?"""
    texts: int = 0
    """Lines that are neither blank nor part of a value in ``blocks``."""
    lines: int = 0
    used: int = 0
    ignored: int = 0
    unread: int = 0
    samples: dict[bytes, Ref] = field(default_factory=dict)
    """Unread lines by shape."""
    mixed: dict[int, Use] = field(default_factory=dict)
    """Lines of several parts (a row with a NCCL line glued to it, a progress bar), and the best use so far."""
    last_text: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By stream: number and text of the last line that nobody wanted."""
    logged: int = 0
    """Number of the first line with a prefix of NCCL's that this scanner had not met; 0 for none."""
    after: int = 3
    """The dialect's: for how many lines after a wanted one greedy parsers are asked."""


def better(first: Use, second: Use) -> Use:
    """The use that counts for a line of which two parts were used differently."""
    if Use.USED in (first, second):
        return Use.USED
    return Use.IGNORED if Use.IGNORED in (first, second) else Use.NOT_MINE
