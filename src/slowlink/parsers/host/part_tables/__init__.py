"""Tables of nodes and their GPUs, HCAs and interfaces that people and scripts make, in nobody's format. With one part
in each row::

    node     HCA      rate   state    FW
    gx01     mlx5_0   400    Active   28.39.1002
    gx01     mlx5_1   200    Active   28.39.1002

with a node in each row and what was counted, or its parts side by side::

    NAME        GPUS  NICs          node      mlx5_0   mlx5_1   mlx5_2
    gke-a3-01   8     8             gx01      400      400      400
    gke-a3-02   7     8             gx02      400      200      400

Columns are split by bars, tabs, commas, semicolons or blanks. What a title means stands in
``catalog/words/part_columns.toml``; where parts stand side by side, the line above the table or the cells themselves
must say what they hold. Cells become readings, as if a tool of the node had said them; what no attribute holds is
compared between nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals, folded
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.host.part_tables.headings import Heading, heading_of, heading_words, may_head
from slowlink.parsers.host.part_tables.meaning import Row, records_of
from slowlink.parsers.host.part_tables.records import NodeRecords
from slowlink.parsers.host.verdict_tables import cells_of
from slowlink.patterns import regex

_MOST_CHARACTERS = 600
_WIDEST = 24
_GAP = 3
"""Lines between the heading and the first row, or between two rows: rulers, blanks, lines that were torn."""
_FEWEST_ROWS = 2
_RULER = regex(r"[\s|+:=─━│┼┤├═┌┐└┘┬┴-]{3,600}")
_BEGIN = regex(
    r"[\s|]{0,40}[*`\"]{0,3}(?:[A-Za-z][\w.:/-]{0,80}?\d[\w.:/-]{0,80}|\d{1,3})[*`\"]{0,3}"
    r"(?:\s{1,80}|\s{0,40}[|\t;,]\s{0,40})"
)
"""A name with a number, or a number: of a node, a GPU or an HCA."""
_APART = regex(r"\s{0,40}[|\t;,]\s{0,40}|\s{2,80}")
_CELL = regex(r"[^=]{0,40}")
_LONGEST_CLOSE = 60
_SAYS = regex(r"[^\W\d_]{4,40} [^\W\d_]{2,40} [^\W\d_]{2,40}")
"""Words of a sentence."""


class PartTables:
    """Collects the rows below a heading; what they say shows at the end."""

    kind: ClassVar[str] = "part-table"
    digits_alike: ClassVar[bool] = True
    reads_beside: ClassVar[bool] = True
    """A heading may be that of another table as well."""
    literals: ClassVar[Literals] = Literals(("0", *map(folded, heading_words())), fold=True)

    def __init__(self) -> None:
        self._found: list[Reading | Observation] = []
        self._heading: Heading | None = None
        self._rows: list[Row] = []
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return (at_start(_BEGIN),), *may_head()

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > _MOST_CHARACTERS or _SAYS.search(text) is not None:
            return False
        return heading_of(text) is not None or _may_be_row(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        if self._heading is not None:
            if line.no - self._last > _GAP:
                self._close()
            elif _RULER.fullmatch(text):
                self._last = line.no
                return Use.IGNORED
            elif self._takes(self._heading, text, line):
                self._last = line.no
                return Use.USED
        heading = heading_of(text)
        if heading is None:
            return Use.NOT_MINE
        self._close()
        self._heading, self._last = heading.below(line.before), line.no
        return Use.IGNORED

    def finish(self) -> Iterable[Reading | Observation]:
        self._close()
        return self._found

    def _takes(self, heading: Heading, text: str, line: Line) -> bool:
        cells = [cell.strip('*` "') for cell in cells_of(text, heading.split)]
        if len(cells) != len(heading.titles) or not cells[heading.names] or not heading.fits(cells):
            return False
        if MAX_READINGS.has_room(len(self._found) + len(self._rows) * len(cells)):
            self._rows.append(Row(tuple(cells), line))
        return True

    def _close(self) -> None:
        if self._heading is not None and len(self._rows) >= _FEWEST_ROWS:
            self._found += records_of(self._heading, self._rows)
        self._heading, self._rows = None, []


def _may_be_row(text: str) -> bool:
    """Blind to its digits: a name or an index, and short cells."""
    begin = _BEGIN.match(text)
    if begin is None:
        return False
    cells = _APART.split(text[begin.end() :])
    if len(cells) == 1 and len(cells[0]) > _LONGEST_CLOSE:
        return False  # words with single blanks between them
    return len(cells) <= _WIDEST and all(map(_CELL.fullmatch, cells))


PARSER = PartTables
DOCUMENT = NodeRecords
