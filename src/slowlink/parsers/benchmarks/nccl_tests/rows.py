"""The cells of one data row, matched to the columns of its table."""

from __future__ import annotations

from msgspec import Struct, field

from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.nccl_tests.cells import (
    NO_CELL,
    Cell,
    State,
    is_datatype,
    is_redop,
    is_rounding,
    is_value,
    parse_bytes,
    parse_cell,
    parse_count,
)
from slowlink.parsers.benchmarks.nccl_tests.checks import cell_ratio, fits
from slowlink.parsers.benchmarks.nccl_tests.columns import TIME_UNITS_US, Layout, layout_of, table_text
from slowlink.patterns import regex

_DATE = regex(r"\d{4}-\d\d-\d\d\Z")
_CLOCK = regex(r"\d\d:\d\d:\d\d\Z")
_INTEGER = regex(r"-?\d{1,6}\Z")
_SIDES = (
    ("time", "algbw", "busbw", "wrong"),
    ("time", "algbw", "busbw"),
    ("time", "hipevt", "algbw", "busbw", "wrong"),
    ("time", "algbw", "busbw", "wrong", "i_min", "i_max", "i_p99", "i_cv"),
    ("time", "algbw", "busbw", "i_min", "i_max", "i_p99", "i_cv", "wrong"),
)
_STATS = {
    "i_min": "min_us",
    "i_max": "max_us",
    "i_p99": "p99_us",
    "i_cv": "cv_pct",
    "hipevt": "hip_event_us",
    "bitdiff": "bitwise_differences",
}
_MOST_TOKENS = 64
LOST = "\0"
_MINUS = "-"
_SIDE_CELLS = frozenset({"time", "algbw", "busbw", "wrong", "delta"})


class Side(Struct):
    """The measured cells of one placement."""

    placement: str
    time: Cell = NO_CELL
    algbw: Cell = NO_CELL
    busbw: Cell = NO_CELL
    wrong: Cell = NO_CELL
    delta: Cell = NO_CELL
    cpu_time: bool = False
    stats: dict[str, float] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)
    """What is there instead of a number: ``time reads "11abc443.3"``."""
    last: bool = False
    """The row was cut inside this side."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (self.time, self.algbw, self.busbw, self.wrong, self.delta)


class Row(Struct):
    """One row of a table: its size, its values, and one or two placements."""

    size: int
    ref: Ref
    layout: Layout
    count: int | None = None
    datatype: str | None = None
    redop: str | None = None
    root: int | None = None
    algorithm: str | None = None
    protocol: str | None = None
    nchannels: int | None = None
    sides: list[Side] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    missing: int = 0
    """Columns that the row ends before."""


def tokens_of(text: str) -> list[str]:
    """The tokens of a row; date and time of day (``-S``) count as one."""
    tokens: list[str] = []
    for token in table_text(text).split(maxsplit=_MOST_TOKENS)[:_MOST_TOKENS]:
        if tokens and _CLOCK.match(token) and _DATE.match(tokens[-1]):
            tokens[-1] += " " + token
        else:
            tokens.append(token)
    return tokens


def is_stamp(token: str) -> bool:
    return " " in token


def looks_like_row(tokens: list[str]) -> bool:
    """A size, then a count and a datatype where there are that many: the shape every layout begins with."""
    if len(tokens) < 2 or parse_bytes(tokens[0]) is None:
        return False
    if any(is_datatype(token) for token in tokens[1:3]):
        return True
    return len(tokens) >= 3 and sum(1 for token in tokens if is_value(token)) >= len(tokens) - 1


def is_fragment(tokens: list[str]) -> bool:
    """Only values: what follows when a row was broken after its first columns."""
    return bool(tokens) and all(is_value(token) or is_stamp(token) for token in tokens)


def align(layout: Layout, tokens: list[str]) -> list[str | None] | None:
    """One token (or None: missing) per column; None when the tokens cannot be a row of this table.

    The token ``LOST`` stands for a cell that was lost where the row was torn.
    """
    columns = layout.columns
    tokens = list(tokens)
    redop = layout.index("redop")
    # all_gather and others print an empty redop in some versions (2.13.0-2.13.3, the forks of them): the next column
    # moves into its place.
    if redop is not None and len(tokens) > redop and not is_redop(tokens[redop]) and is_value(tokens[redop]):
        tokens.insert(redop, "")
    if tokens and is_stamp(tokens[-1]) and not layout.has("timestamp"):
        tokens.pop()
    while len(tokens) > len(columns) and not is_value(tokens[-1]):
        tokens.pop()
    if len(tokens) > len(columns):
        return None
    return [*tokens, *[None] * (len(columns) - len(tokens))]


def read_row(layout: Layout, tokens: list[str], ref: Ref) -> Row | None:
    """A row of this table, or None when the tokens are none."""
    size = parse_bytes(tokens[0]) if tokens else None
    aligned = align(layout, tokens) if size is not None else None
    if size is None or aligned is None:
        return None
    row = Row(size, ref, layout, sides=[Side(layout.placement(side)) for side in range(layout.sides)])
    for column, token in zip(layout.columns[1:], aligned[1:], strict=False):
        if token is None:
            row.missing += 1
        elif token == LOST:
            continue
        elif column.key in _FRONT:
            _take_front(row, column.key, token)
        elif column.key in _BACK:
            _take_back(row, column.key, token)
        elif column.key and column.key != "timestamp":
            _take_cell(row.sides[column.side], column.key, token, column.unit)
    if row.missing:
        cut = {column.side for column, token in zip(layout.columns, aligned, strict=False) if token is None}
        _mark_cut(row, cut)
    return row


_FRONT = frozenset({"count", "type", "redop", "root"})
_BACK = frozenset({"algo", "proto", "nchannels"})


def _take_front(row: Row, key: str, token: str) -> None:
    if key == "count":
        row.count = parse_count(token)
        if row.count is None:
            row.torn.append(f'count reads "{token}"')
    elif key == "type":
        row.datatype = token
        if not is_datatype(token):
            row.torn.append(f'type reads "{token}"')
    elif key == "redop":
        row.redop = token
    elif _INTEGER.match(token):
        row.root = int(token)
    elif token != _MINUS:
        # A minus is what is left of a -1 whose digit went with a host name that stuck to it.
        row.torn.append(f'root reads "{token}"')


def _take_back(row: Row, key: str, token: str) -> None:
    if key == "algo":
        row.algorithm = token
    elif key == "proto":
        row.protocol = token
    elif _INTEGER.match(token):
        row.nchannels = int(token)


def _take_cell(side: Side, key: str, token: str, unit: str | None) -> None:
    cell = parse_cell(token, unit)
    if cell.state is State.TORN:
        side.torn.append(f'{key} reads "{token[:40]}"')
    if key in _STATS:
        if cell.value is not None:
            side.stats[_STATS[key]] = cell.value
        return
    if key == "cputime":
        side.cpu_time = True
        key = "time"
    if key == "wrong" and is_rounding(cell):  # a table without its header, or with somebody else's
        key = "delta"
    if key in _SIDE_CELLS:  # a header with a foreign line in its middle may put any column here
        setattr(side, key, cell)


def _mark_cut(row: Row, cut: set[int]) -> None:
    """Sides that did not begin are not there; one that began and lacks cells is where the row ends."""
    for index, side in enumerate(row.sides):
        side.last = index in cut
    row.sides = [side for side in row.sides if any(cell.state is not State.MISSING for cell in side.cells)]


def guess_layout(tokens: list[str]) -> Layout | None:
    """The layout of a row without a header, when exactly what it should hold fits what it holds.

    Size, count, datatype must be there; the numbers after them must agree with one another.
    """
    if len(tokens) < 6 or parse_bytes(tokens[0]) is None or parse_count(tokens[1]) is None:
        return None
    if not is_datatype(tokens[2]):
        return None
    front = ["size", "count", "type"]
    rest = [token for token in tokens[3:] if not is_stamp(token)]
    if rest and is_redop(rest[0]):
        front.append("redop")
        rest = rest[1:]
    for root in (True, False):
        if root and not (rest and _INTEGER.match(rest[0])):
            continue
        layout = _fitting([*front, "root"] if root else front, rest[1:] if root else rest, tokens)
        if layout is not None:
            return layout
    return None


def _fitting(front: list[str], rest: list[str], tokens: list[str]) -> Layout | None:
    back = ["algo", "proto", "nchannels"] if len(rest) > 3 and not is_value(rest[-3]) else []
    numbers = rest[: len(rest) - len(back)]
    if not numbers or not all(is_value(token) for token in numbers):
        return None
    bare = [token for token in tokens if not is_stamp(token)]
    for sides in (2, 1):
        for side in _SIDES:
            if len(numbers) == sides * len(side):
                layout = layout_of([*front, *side * sides, *back], sides=sides)
                if _agrees(layout, bare):
                    return layout
    return None


def _agrees(layout: Layout, tokens: list[str]) -> bool:
    row = read_row(layout, tokens, Ref("", 0))
    if row is None or row.missing:
        return False
    if all(side.time.state is State.MASKED for side in row.sides):
        return True
    return all(side_agrees(row.size, side) for side in row.sides)


def sides_that_agree(row: Row) -> int:
    """Number of sides that are whole and agree with themselves."""
    return sum(1 for side in row.sides if not side.last and side_agrees(row.size, side))


def side_agrees(size: int, side: Side) -> bool:
    """size/time = algbw in some unit of time, and busbw/algbw a factor that exists."""
    if side.time.value is None or side.algbw.value is None or side.busbw.value is None:
        return False
    if side.cpu_time:
        return side.busbw.value <= 2.0 * side.algbw.value + side.busbw.half_unit
    scales = (1.0, TIME_UNITS_US["ms"])
    if not any(fits(size, side.time, side.algbw, time_unit_us=scale) for scale in scales):
        return False
    ratio = cell_ratio(side.algbw, side.busbw)
    return ratio is None or ratio.value <= 2.0 + ratio.error
