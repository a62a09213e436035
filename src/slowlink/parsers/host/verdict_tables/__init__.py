"""Tables of nodes that somebody checked, with a verdict on each in a column of its own, in nobody's format::

    | node    | gpus | nccl GB/s | verdict      |
    |---------|------|-----------|--------------|
    | gpu-a01 | 8    | 361.2     | OK           |
    | gpu-a02 | 8    | 122.0     | FAIL: slow   |

Columns are split by bars, tabs, semicolons or runs of blanks (single ones, where the titles stand as close); the
verdict may be in several languages (``catalog/words/verdict_words.toml``). A row whose verdict has no such word is left
to other readers. A good verdict beside ``7/8`` GPUs is a warning (``doubts.py``), and where one is, or the lines
around the table tell of nodes that it does not hold, the rest proves no health.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.catalog.words.check_topics import is_topic
from slowlink.catalog.words.verdict_words import (
    is_node_heading,
    is_of_other_programs,
    is_test_heading,
    is_verdict_heading,
    last_words,
    last_words_of_verdicts,
    may_tell,
    may_tell_verdict,
    node_headings,
    verdict_at_end,
    verdict_of,
    verdict_texts,
)
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import is_part
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals, folded
from slowlink.parsers.forms.make_reading import MAX_RESULTS, reading
from slowlink.parsers.host.verdict_tables.doubts import doubts_of, left_out, nodes_told
from slowlink.patterns import regex

TOOL, LIST = "site", "list"
"""Verdicts on nodes; and those of a list that names no GPU, link or NIC, or leaves a node open."""
_WHOLE = "the node"
DOUBTED = "the numbers beside a good verdict"
"""The test of a node whose other cells contradict it."""
_MOST_CHARACTERS = 600
MAX_TABLES = Limit(50_000, "tables")
_FEWEST_ROWS = 2
_FEWEST_CLOSE = 4
"""Titles with single blanks between them, which may as well be a sentence."""
_LINES_BELOW = 3
_RANK = ("fail", "warn", "pass")
_GAP = regex(r"\s{2,80}")
_RULER = regex(r"[\s|+:=─━│┼┤├═-]{3,600}")
_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_NAME = regex(r"[A-Za-z][\w.-]{1,80}")
_OF_ANYTHING = ("", "#", "name", "id", "element", "nombre", "nom", "名称")
"""Headings of a first column that holds nodes where its names look like nodes."""
_PLAIN = regex(r"[\s\d.,%/x×+-]{0,40}(?:[A-Za-z]{1,4}/?s?)?")


class _Table(Struct):
    split: str
    """How its columns are split: a character, or "" for runs of blanks."""
    heading: tuple[str, ...]
    verdict: int
    of_nodes: bool
    """Does the heading say that the first column names nodes?"""
    test: int | None
    """The column that names what was tested; None where each row is about the node as a whole."""
    rows: list[tuple[str, str, str, str, Line]] = field(default_factory=list)
    """(node, test, verdict, words, line)"""
    told: int = 0
    """How many nodes the line above says that there are; 0 where it says nothing of them."""
    open_rows: int = 0
    """Rows of nodes whose verdict is in no known word, and lines below that tell of nodes that failed."""
    cells: list[list[str]] = field(default_factory=list)
    """Of each row, as long as the heading; empty for others."""

    def says_enough(self) -> bool:
        """Does it speak of GPUs, links or NICs, and have a verdict on each node?"""
        beside = (line.text.replace(node, "", 1) for node, _, _, _, line in self.rows)
        whole = not self.open_rows and self.told <= len({node for node, *_ in self.rows})
        return whole and any(map(is_topic, (*self.heading, *beside)))

    def weigh(self) -> None:
        """Turn good verdicts that other cells contradict into warnings."""
        whole = [index for index, cells in enumerate(self.cells) if len(cells) == len(self.heading)]
        for index, words in zip(whole, doubts_of(self.heading, [self.cells[i] for i in whole]), strict=True):
            node, test, verdict, _, line = self.rows[index]
            if words and verdict == "pass":
                self.rows[index] = (node, DOUBTED if test == _WHOLE else test, "warn", words, line)
                self.open_rows += 1


class VerdictTables:
    """Collects the rows of each table; those of a table with one row are nobody's."""

    kind: ClassVar[str] = "verdict-table"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(map(folded, verdict_texts()), fold=True)

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._kept = 0
        self._open: _Table | None = None
        self._below: _Table | None = None
        """The table above the lines that may tell of nodes which it leaves out."""
        self._left = 0

    @staticmethod
    def gate() -> Gate:
        return (_one_of(last_words_of_verdicts()),), (_one_of(last_words()), anywhere(_begin_of_heading()))

    @staticmethod
    def wants(text: str) -> bool:
        if not VerdictTables.literals.in_(text) or (split := split_of(text)) is None:
            return False
        return may_tell_verdict(text) or (may_tell(text) and _may_head(text, split))

    @property
    def greedy(self) -> bool:
        return self._open is not None or self._below is not None

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        if self._open is not None:
            if not text.strip() or _RULER.fullmatch(text):
                return Use.IGNORED
            if (row := _row(self._open, text)) is not None:
                return self._take(self._open, row, line)
            self._below, self._open, self._left = self._open, None, _LINES_BELOW
        self._look_below(text)
        table = _table(text)
        if table is None or not MAX_TABLES.has_room(len(self._tables)):
            return Use.NOT_MINE
        table.told = nodes_told(line.before)
        self._open, self._below = table, None
        self._tables.append(table)
        return Use.IGNORED

    def _look_below(self, text: str) -> None:
        """A line behind the rows of a table."""
        if self._below is not None:
            self._below.open_rows += left_out(text)
            self._left -= 1
            self._below = self._below if self._left > 0 else None

    def _take(self, table: _Table, row: tuple[str, str, str, str] | str, line: Line) -> Use:
        table.open_rows += isinstance(row, str)
        if isinstance(row, str) or not MAX_RESULTS.has_room(self._kept):
            return Use.NOT_MINE  # a node with other words: somebody else may know them
        self._kept += 1
        table.rows.append((*row, line))
        table.cells.append(cells_of(line.text[:_MOST_CHARACTERS], table.split))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        for number, table in enumerate(self._tables, 1):
            if len(table.rows) < _FEWEST_ROWS:
                continue
            table.weigh()
            tool = TOOL if table.says_enough() else LIST
            behind = f" (table {number})" if number > 1 else ""
            for node, test, verdict, words, line in _worst(table.rows):
                part = Part("test", f"{tool}/{test}{behind}")
                yield replace(reading("health-test", part, verdict, line), host=node)
                if words:
                    yield replace(reading("health-test-detail", part, words, line), host=node)


def _one_of(words: Iterable[str]) -> str:
    return anywhere(rf"(?i)(?:^|[^a-z])(?:{'|'.join(sorted(words))})(?:[^a-z]|$)")


def _begin_of_heading() -> str:
    """How a line begins of which ``_may_head`` is true: before its first letter a column ends, or its first words are a
    heading."""
    words = sorted(each for each in {*node_headings(), *_OF_ANYTHING} if each.isascii() and each.isalpha())
    return rf"(?i)^[^a-z]*(?:[|,;#\t]|\s\s|$|(?:{'|'.join(words)})(?:[^a-z]|$))"


def _may_head(text: str, split: str) -> bool:
    """May its first column be that of nodes?"""
    first = cells_of(text, split)[0]
    return first.lower() in _OF_ANYTHING or is_node_heading(first) or is_node_heading(text.split()[0])


def _worst(rows: Sequence[tuple[str, str, str, str, Line]]) -> Iterable[tuple[str, str, str, str, Line]]:
    """One row for each node and test: where several speak of the same, the one that fails."""
    found: dict[tuple[str, str], tuple[str, str, str, str, Line]] = {}
    for row in rows:
        old = found.get(row[:2])
        if old is None or _RANK.index(row[2]) < _RANK.index(old[2]):
            found[row[:2]] = row
    return found.values()


def split_of(text: str) -> str | None:
    """What splits the columns of a line; None where it has but one."""
    bare = text.strip().strip("|")
    for character in "|│\t;":
        if character in bare:
            return character
    if bare.count(",") > 1 and ", " not in bare:
        return ","
    return "" if _GAP.search(bare) else " " if " " in bare else None


def cells_of(text: str, split: str) -> list[str]:
    bare = text.strip()
    if split in ("|", "│") and bare.startswith(split):
        bare = bare[1:].removesuffix(split)
    pieces = bare.split() if split == " " else bare.split(split) if split else _GAP.split(bare)
    return [cell.strip() for cell in pieces]


def _table(text: str) -> _Table | None:
    """The table that begins with this heading; None where it is no heading of verdicts on nodes."""
    form = _heading(text)
    return None if form is None else _Table(*form)


@lru_cache(1 << 11)
def _heading(text: str) -> tuple[str, tuple[str, ...], int, bool, int | None] | None:
    """Split, titles and the rest of a table that begins with ``text``; most lines that may be headings are none."""
    split = split_of(text)
    if split is None:
        return None
    heading = cells_of(text, split)
    close = text.split() if split == "" else []
    if len(close) >= _FEWEST_CLOSE and not any(map(is_verdict_heading, heading)):
        split, heading = " ", close
    of_nodes = is_node_heading(heading[0])
    if not of_nodes and (split == " " or heading[0].lower() not in _OF_ANYTHING):
        return None  # a sentence, or a table of ports, tests, plug-ins
    verdicts = [index for index, cell in enumerate(heading) if index and is_verdict_heading(cell)]
    if not verdicts or any(map(is_of_other_programs, heading)) or any(map(verdict_of, heading)):
        return None
    tests = [index for index, cell in enumerate(heading) if index not in (0, verdicts[-1]) and is_test_heading(cell)]
    return split, tuple(heading), verdicts[-1], of_nodes, next(iter(tests), None)


def _row(table: _Table, text: str) -> tuple[str, str, str, str] | str | None:
    """Node, test, verdict and words; the node alone where the verdict is not known; None where it is no row."""
    cells = cells_of(text, table.split)
    node = cells[0].strip("*` ")
    if len(cells) < 2 or not (_NAME if table.of_nodes else _HOST).fullmatch(node):
        return None
    if not table.of_nodes and is_part(node):
        return None  # a device, a rank, a test
    if len(cells) == len(table.heading):
        found = verdict_of(cells[table.verdict])
        test = (cells[table.test].strip("*` ")[:80] if table.test is not None else "") or _WHOLE
        return (node, test, found[0], _words(table, cells, found) if found[0] != "pass" else "") if found else node
    if table.split not in ("", " ") or table.verdict != len(table.heading) - 1:
        return node
    end = verdict_at_end(text)
    found = verdict_of(end) if end else None
    return (node, _WHOLE, found[0], "") if found else node


def _words(table: _Table, cells: Sequence[str], found: tuple[str, str]) -> str:
    """What the row says beside its verdict: remarks, and the cells that are no mere numbers and did not pass."""
    said = [found[1]] if found[1] else []
    for index, (title, cell) in enumerate(zip(table.heading, cells, strict=True)):
        told = verdict_of(cell)
        if (
            index in (0, table.verdict, table.test)
            or _PLAIN.fullmatch(cell)
            or (told is not None and told[0] == "pass")
        ):
            continue
        said.append(cell if index > table.verdict else f"{title} {cell}")
    return ", ".join(said)


PARSER = VerdictTables
