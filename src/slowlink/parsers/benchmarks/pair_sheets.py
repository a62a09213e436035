"""Sheets of results of pairs of nodes, from whatever file they come: which column is what, and the table that it makes.

Nobody's format. A row is a test of one pair: two columns with a node each, or one with both (``hx[01,06]``). The
bandwidth is a column that the heading calls so. Columns with few values tell one test from another (the collective,
GPUs of a node, the repeat); one of sizes is kept with the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from msgspec import Struct

from slowlink.model.benchmark import PairBandwidth, PairFailure, PairTable
from slowlink.model.source import Ref
from slowlink.nodes import expand_or_none
from slowlink.parsers.benchmarks.pair_amounts import Amounts, number_in
from slowlink.parsers.benchmarks.pair_outcomes import FAILED, Outcomes
from slowlink.parsers.benchmarks.pair_rows import (
    FEWEST_ROWS,
    SAYS_BANDWIDTH,
    are_hosts,
    joined_names,
)
from slowlink.parsers.forms.fronts.node_headings import are_alike, is_part
from slowlink.patterns import regex

_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_BETWEEN = regex(r"\s{0,8}(?:<-{1,3}>|-{1,3}>|<=>|=>|↔|→|[,;+&/|])\s{0,8}|\s{1,8}(?:-|to|and|vs\.?)\s{1,8}|\s{1,8}")
_SET = regex(r"[A-Za-z][\w.-]{0,60}\[[\d,-]{1,40}\][\w.-]{0,60}")
_EMPTY = regex(r"(?i)|-{1,3}|n/?a|nan|none|null|x")
NODE_COLUMN = regex(
    r"(?i)\W*(?:src|source|dst|dest(?:ination)?|from|to|server|client|sender|receiver|peer|pair|nodes?|hosts?|hostnames?)"
    r"(?:[ _-]?(?:node|host|name|pair|list|[a-d]|[0-9]))?|(?:node|host)[ _-]?(?:pair|list)\W*"
)
_SIZE_COLUMN = regex(r"(?i)\W*(?:(?:msg|message|buffer|data)[ _-]?)?(?:size|bytes)(?:[ _]?\(?(?:b|bytes)\)?)?\W*")
_REMARK = regex(r"\s{1,4}\([^()]{1,40}\)$")
"""Behind a name: ``gpu05 (rack 3)``."""
_SUMMARY = regex(
    r"(?i)\W*(?:avg|average|mean|median|min(?:imum)?|max(?:imum)?|total|sum|std(?:dev)?|count|all|overall)\b.{0,40}"
)
_NAME = regex(r"(?<![\w.])[A-Za-z][\w.-]{0,80}\d")
_FILE = regex(r"(?i)\.(?:log|txt|out|err|json|csv)$")
_OF_PAIR = regex(r"(?i)node|host|pair|server")
_OF_BOTH = regex(r"(?i)pair|nodes|hosts|list")
_COMMON = 0.8
"""Share of the rows that must be like the others."""
_RARE = 4
"""A column whose values come so often on the average tells one test from another."""
_LONGEST = 40
_LEAST_CELLS, _PAIR = 2, 2
_MOST_NODES, _LONGEST_LIST = 100_000, 4000
_OUTCOMES = {"ok", "pass", "passed", "success", "true", "false"}
_NO_MEANS = ("peak", "max", "best", "min", "std", "expected")
_REPEATED = regex(
    r"(?i)\W*(?:run|repeat|repetition|iter(?:ation)?|trial|attempt|try|round)(?:[ _]?(?:no|id|number|#))?\W*"
)


class SheetRow(Struct, frozen=True):
    """The cells of one row, by their place."""

    cells: tuple[str, ...]
    ref: Ref


class _PairColumns(Struct, frozen=True):
    """The columns that tell the pair of a row."""

    one: int
    other: int | None
    """None: the first tells both nodes."""
    used: frozenset[int]
    """These, and others that tell the same."""

    def pair(self, row: SheetRow) -> tuple[str, str] | None:
        if self.other is None:
            return pair_in(row.cells[self.one])
        a, b = _plain(row.cells[self.one]), _plain(row.cells[self.other])
        return (a, b) if a != b and _is_host(a) and _is_host(b) else None


def pair_in(cell: str) -> tuple[str, str] | None:
    """Two different nodes that a cell names."""
    text = _FILE.sub("", cell.strip().strip("\"'*`()"))
    if len(text) > 2 * _LONGEST + 20:
        return None
    if _SET.fullmatch(text):
        return _expanded(text)
    parts = [part for part in _BETWEEN.split(text.strip("[]")) if part]
    names = tuple(part.strip("\"'") for part in parts)
    pair = (names[0], names[1]) if len(names) == 2 else joined_names(text) if len(names) == 1 else None
    return pair if pair is not None and pair[0] != pair[1] and all(map(_is_host, pair)) and are_alike(pair) else None


def _expanded(text: str) -> tuple[str, str] | None:
    names = expand_or_none(text, 3)
    return (names[0], names[1]) if names is not None and len(names) == 2 else None


def _plain(cell: str) -> str:
    """A name as it stands in other cells: without quotes, and a remark behind it."""
    return _REMARK.sub("", cell.strip().strip("\"'*`"))


def _is_host(text: str) -> bool:
    return _HOST.fullmatch(text) is not None and not is_part(text)


def says_pair(cells: Sequence[str]) -> bool:
    """Could a row with these cells be one of a pair: does one of them name two nodes, or two of them one each?"""
    hosts = [cell for cell in map(_plain, cells) if _is_host(cell)]
    return any(one != other for one, other in combinations(hosts[:6], 2)) or any(map(pair_in, cells))


def is_strange(cells: Sequence[str]) -> bool:
    """Could this be a row of a test, whose nodes cannot be read? No summary of the others, no node by itself, and no
    test of more than two."""
    told = [cell for cell in cells if cell.strip()]
    if len(told) < _LEAST_CELLS or _SUMMARY.fullmatch(told[0]):
        return False
    names = [_plain(cell) for cell in told if _NAME.search(cell)]
    itself = len(names) > 1 and len(set(names)) == 1
    wider = any(_nodes_in(cell) > _PAIR for cell in told)
    return not (itself or wider) and (bool(names) or any(number_in(cell) is not None for cell in told))


def _nodes_in(cell: str) -> int:
    """How many nodes a set or a list of names holds."""
    text = cell.strip().strip("\"'*`()")
    if _SET.fullmatch(text):
        nodes = expand_or_none(text, _MOST_NODES)
        return _MOST_NODES if nodes is None else len(nodes)
    names = [part.strip("\"'") for part in _BETWEEN.split(text.strip("[]")[:_LONGEST_LIST]) if part]
    return len(names) if all(map(_is_host, names)) else 0


def names_node(cells: Sequence[str]) -> bool:
    """Does a cell hold the name of a node, or of two, and nothing else?"""
    return any(_is_host(_plain(cell)) or pair_in(cell) is not None for cell in cells)


def sheet_table(
    heading: Sequence[str], rows: Sequence[SheetRow], *, fewest: int = FEWEST_ROWS, strange: Sequence[Ref] = ()
) -> PairTable | None:
    """None where these rows are no tests of ``fewest`` pairs of nodes or more, or nothing says bandwidth. ``strange``:
    rows that have other cells than the heading names; they, and rows whose nodes cannot be read, are unread."""
    sure = [row for row in rows if says_pair(row.cells)]
    columns = _pair_columns(heading, sure)
    column = _bandwidth_column(heading, sure)
    if columns is None or column is None:
        return _unread_table(heading, rows, strange)
    pairs = [columns.pair(row) for row in rows]
    kept = [(row, pair) for row, pair in zip(rows, pairs, strict=True) if pair is not None]
    distinct = {frozenset(pair) for _, pair in kept}
    if len(distinct) < fewest or (fewest > 1 and not are_hosts([pair for _, pair in kept])):
        return _unread_table(heading, rows, strange)
    outcomes = Outcomes(heading)
    used = {*columns.used, column, *outcomes.columns}
    size = _size_column(heading, [row for row, _ in kept], used)
    tests = _tests(heading, [row for row, _ in kept], used | ({size} if size is not None else set()))
    amounts = Amounts(heading[column], (row.cells[column] for row, _ in kept))
    found, failed = [], []
    for row, (a, b) in kept:
        amount, test = amounts.of(row.cells[column]), tests[id(row)]
        if amount is None or outcomes.failed(row.cells):
            failed.append(PairFailure(a, b, test, row.ref))
        else:
            bytes_ = number_in(row.cells[size]) if size is not None else None
            found.append(PairBandwidth(a, b, test, amount, row.ref, bytes_))
    lost = [row for row, pair in zip(rows, pairs, strict=True) if pair is None and is_strange(row.cells)]
    unread = (*map(_with_text, lost), *strange)
    return PairTable(tuple(found), tuple(failed), amounts.unit, kept[0][0].ref, told=True, unread=unread)


def _with_text(row: SheetRow) -> Ref:
    """A row of a JSON document has no line of its own to show."""
    text = row.ref.text or ", ".join(cell for cell in row.cells if cell)
    return Ref(row.ref.source, row.ref.line, text[:400])


def _unread_table(heading: Sequence[str], rows: Sequence[SheetRow], strange: Sequence[Ref]) -> PairTable | None:
    """Rows below names of nodes and of bandwidth, and not one that can be judged."""
    of_nodes = [name for name in heading if NODE_COLUMN.fullmatch(name)]
    of_two = len(of_nodes) >= _PAIR or any(map(_OF_BOTH.search, of_nodes))
    is_sheet = of_two and any(map(SAYS_BANDWIDTH.search, heading))
    refs = [_with_text(row) for row in rows if says_pair(row.cells) or is_strange(row.cells)] if is_sheet else []
    unread = (*refs, *(strange if is_sheet else ()))
    return PairTable((), (), "", unread[0], told=True, unread=unread) if unread else None


def _pair_columns(heading: Sequence[str], rows: Sequence[SheetRow]) -> _PairColumns | None:
    columns = range(len(heading))
    both = {column: sum(pair_in(row.cells[column]) is not None for row in rows) for column in columns}
    whole = [column for column in columns if rows and both[column] >= _COMMON * len(rows)]
    if whole:
        best = next((column for column in whole if _OF_PAIR.search(heading[column])), whole[0])
        return _PairColumns(best, None, frozenset(whole))
    names = {column: [_plain(row.cells[column]) for row in rows] for column in columns}
    single = [column for column in columns if rows and sum(map(_is_host, names[column])) >= _COMMON * len(rows)]
    for one, other in combinations(single, 2):
        told = [(a, b) for a, b in zip(names[one], names[other], strict=True) if a != b]
        if len(told) >= _COMMON * len(rows) and are_alike([name for pair in told for name in pair]):
            return _PairColumns(one, other, frozenset((one, other)))
    return None


def _bandwidth_column(heading: Sequence[str], rows: Sequence[SheetRow]) -> int | None:
    """Of the bus before the algorithm's, of means before peaks: a peak hides a slow moment."""

    def is_numeric(column: int) -> bool:
        cells = [row.cells[column] for row in rows]
        amounts = Amounts(heading[column], cells)
        return 2 * sum(amounts.of(cell) is not None for cell in cells) >= len(rows)

    numeric = [column for column, name in enumerate(heading) if SAYS_BANDWIDTH.search(name) and is_numeric(column)]

    def rank(column: int) -> tuple[bool, bool, int]:
        name = heading[column].lower()
        return "bus" not in name, any(word in name for word in _NO_MEANS), column

    return min(numeric, key=rank, default=None)


def _size_column(heading: Sequence[str], rows: Sequence[SheetRow], used: set[int]) -> int | None:
    for column, name in enumerate(heading):
        if column not in used and _SIZE_COLUMN.fullmatch(name):
            numbers = [number_in(row.cells[column]) for row in rows]
            if all(number is not None for number in numbers) and len(set(numbers)) > 1:
                return column
    return None


def _tests(heading: Sequence[str], rows: Sequence[SheetRow], used: set[int]) -> dict[int, str]:
    """What tells the test of each row from others: the values of columns that have few. By the row's identity."""
    telling = []
    for column in range(len(heading)):
        values = Counter(row.cells[column].strip() for row in rows)
        words = [value for value in values if not (_EMPTY.fullmatch(value) or FAILED.fullmatch(value))]
        outcome = len(words) < len(values) or {value.lower() for value in words} <= _OUTCOMES
        decimal = any("." in value and number_in(value) is not None for value in words)
        few = 1 < len(words) <= len(rows) / _RARE
        if column not in used and few and not outcome and not decimal and not _REPEATED.fullmatch(heading[column]):
            telling.append(column)
    return {id(row): ", ".join(_said(heading[column], row.cells[column]) for column in telling) for row in rows}


def _said(name: str, value: str) -> str:
    """A word speaks for itself, a number needs its column's name."""
    text = value.strip()[:_LONGEST]
    return f"{name.strip()[:_LONGEST]} {text}" if number_in(text) is not None else text
