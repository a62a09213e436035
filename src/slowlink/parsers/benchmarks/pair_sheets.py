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

from slowlink.errors import SlowlinkError
from slowlink.model.benchmark import PairBandwidth, PairFailure, PairTable
from slowlink.model.source import Ref
from slowlink.nodes import expand
from slowlink.parsers.benchmarks.pair_rows import (
    FEWEST_ROWS,
    SAYS_BANDWIDTH,
    are_hosts,
    joined_names,
    unit_of,
)
from slowlink.parsers.forms.node_headings import are_alike, is_part
from slowlink.patterns import regex

_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_BETWEEN = regex(r"\s{0,8}(?:<-{1,3}>|-{1,3}>|<=>|=>|↔|→|[,;+&/|])\s{0,8}|\s{1,8}(?:-|to|and|vs\.?)\s{1,8}|\s{1,8}")
_SET = regex(r"[A-Za-z][\w.-]{0,60}\[[\d,-]{1,40}\][\w.-]{0,60}")
_NUMBER = regex(r"\d{1,9}(?:\.\d{1,9})?(?:e[+-]?\d{1,2})?")
_FAILED = regex(
    r"(?i)fail(?:ed|ure)?|time[d-]?[ _-]?out|hung|hang|error|aborted|killed|crash(?:ed)?|missing(?:_data)?|no[ _-]?data"
)
_EMPTY = regex(r"(?i)|-{1,3}|n/?a|nan|none|null|x")
NODE_COLUMN = regex(
    r"(?i)\W*(?:src|source|dst|dest(?:ination)?|from|to|server|client|sender|receiver|peer|pair|nodes?|hosts?|hostnames?)"
    r"(?:[ _-]?(?:node|host|name|pair|list|[a-d]|[0-9]))?|(?:node|host)[ _-]?(?:pair|list)\W*"
)
_SIZE_COLUMN = regex(r"(?i)\W*(?:(?:msg|message|buffer|data)[ _-]?)?(?:size|bytes)(?:[ _]?\(?(?:b|bytes)\)?)?\W*")
_FILE = regex(r"(?i)\.(?:log|txt|out|err|json|csv)$")
_OF_PAIR = regex(r"(?i)node|host|pair|server")
_COMMON = 0.8
"""Share of the rows that must be like the others."""
_RARE = 4
"""A column whose values come so often on the average tells one test from another."""
_LONGEST = 40
_NO_MEANS = ("peak", "max", "best", "min", "std", "expected")
_REPEATED = regex(
    r"(?i)\W*(?:run|repeat|repetition|iter(?:ation)?|trial|attempt|try|round)(?:[ _]?(?:no|id|number|#))?\W*"
)


class SheetRow(Struct, frozen=True):
    """The cells of one row, by their place."""

    cells: tuple[str, ...]
    ref: Ref


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
    try:
        names = expand(text, 3)
    except SlowlinkError:
        return None
    return (names[0], names[1]) if len(names) == 2 else None


def _is_host(text: str) -> bool:
    return _HOST.fullmatch(text) is not None and not is_part(text)


def says_pair(cells: Sequence[str]) -> bool:
    """Could a row with these cells be one of a pair: does one of them name two nodes, or two of them one each?"""
    hosts = [cell for cell in (each.strip().strip("\"'*`") for each in cells) if _is_host(cell)]
    return any(one != other for one, other in combinations(hosts[:6], 2)) or any(map(pair_in, cells))


def sheet_table(heading: Sequence[str], rows: Sequence[SheetRow], *, fewest: int = FEWEST_ROWS) -> PairTable | None:
    """None where these rows are no tests of ``fewest`` pairs of nodes or more, or nothing says bandwidth."""
    named = _pairs(heading, rows)
    column = _bandwidth_column(heading, rows)
    if named is None or column is None:
        return None
    pairs, used = named
    kept = [(row, pair) for row, pair in zip(rows, pairs, strict=True) if pair is not None]
    distinct = {frozenset(pair) for _, pair in kept}
    if len(distinct) < fewest or (fewest > 1 and not are_hosts([pair for _, pair in kept])):
        return None
    used.add(column)
    size = _size_column(heading, rows, used)
    tests = _tests(heading, rows, used | ({size} if size is not None else set()))
    found, failed = [], []
    for (row, (a, b)), test in zip(kept, (tests[id(row)] for row, _ in kept), strict=True):
        amount = _number(row.cells[column])
        if amount is None or any(_FAILED.fullmatch(cell.strip()) for cell in row.cells):
            failed.append(PairFailure(a, b, test, row.ref))
        else:
            bytes_ = _number(row.cells[size]) if size is not None else None
            found.append(PairBandwidth(a, b, test, amount, row.ref, bytes_))
    return PairTable(tuple(found), tuple(failed), unit_of(heading[column]), kept[0][0].ref, told=True)


def _pairs(heading: Sequence[str], rows: Sequence[SheetRow]) -> tuple[list[tuple[str, str] | None], set[int]] | None:
    """The pair of each row, and the columns that tell it."""
    columns = range(len(heading))
    both = {column: [pair_in(row.cells[column]) for row in rows] for column in columns}
    whole = [column for column in columns if sum(map(bool, both[column])) >= _COMMON * len(rows)]
    if whole:
        best = next((column for column in whole if _OF_PAIR.search(heading[column])), whole[0])
        return both[best], {*whole}
    names = {column: [row.cells[column].strip().strip("\"'*`") for row in rows] for column in columns}
    single = [column for column in columns if sum(map(_is_host, names[column])) >= _COMMON * len(rows)]
    for one, other in combinations(single, 2):
        pairs = [(a, b) if a != b else None for a, b in zip(names[one], names[other], strict=True)]
        told = [pair for pair in pairs if pair is not None]
        if len(told) >= _COMMON * len(rows) and are_alike([name for pair in told for name in pair]):
            return [*pairs], {one, other}
    return None


def _bandwidth_column(heading: Sequence[str], rows: Sequence[SheetRow]) -> int | None:
    """Of the bus before the algorithm's, of means before peaks: a peak hides a slow moment."""
    numeric = [
        column
        for column, name in enumerate(heading)
        if SAYS_BANDWIDTH.search(name) and 2 * sum(_number(row.cells[column]) is not None for row in rows) >= len(rows)
    ]

    def rank(column: int) -> tuple[bool, bool, int]:
        name = heading[column].lower()
        return "bus" not in name, any(word in name for word in _NO_MEANS), column

    return min(numeric, key=rank, default=None)


def _size_column(heading: Sequence[str], rows: Sequence[SheetRow], used: set[int]) -> int | None:
    for column, name in enumerate(heading):
        if column not in used and _SIZE_COLUMN.fullmatch(name):
            numbers = [_number(row.cells[column]) for row in rows]
            if all(number is not None for number in numbers) and len(set(numbers)) > 1:
                return column
    return None


def _tests(heading: Sequence[str], rows: Sequence[SheetRow], used: set[int]) -> dict[int, str]:
    """What tells the test of each row from others: the values of columns that have few. By the row's identity."""
    telling = []
    for column in range(len(heading)):
        values = Counter(row.cells[column].strip() for row in rows)
        words = [value for value in values if not (_EMPTY.fullmatch(value) or _FAILED.fullmatch(value))]
        outcome = len(words) < len(values) or {value.lower() for value in words} <= {"ok", "pass", "passed", "success"}
        decimal = any("." in value and _NUMBER.fullmatch(value) for value in words)
        few = 1 < len(words) <= len(rows) / _RARE
        if column not in used and few and not outcome and not decimal and not _REPEATED.fullmatch(heading[column]):
            telling.append(column)
    return {id(row): ", ".join(_said(heading[column], row.cells[column]) for column in telling) for row in rows}


def _said(name: str, value: str) -> str:
    """A word speaks for itself, a number needs its column's name."""
    text = value.strip()[:_LONGEST]
    return f"{name.strip()[:_LONGEST]} {text}" if _NUMBER.fullmatch(text) else text


def _number(cell: str) -> float | None:
    text = cell.strip().strip("\"'*`")
    return float(text) if _NUMBER.fullmatch(text) else None
