"""The header of a result table decides what its columns are; nothing is read by position alone."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from slowlink.patterns import regex

_KEYS = {
    "size": "size",
    "bytes": "size",
    "payload": "size",
    "msgsize": "size",
    "message": "size",
    "count": "count",
    "n": "count",
    "elements": "count",
    "type": "type",
    "dtype": "type",
    "datatype": "type",
    "redop": "redop",
    "op": "redop",
    "root": "root",
    "time": "time",
    "latency": "time",
    "cputime": "cputime",
    "hipevt": "hipevt",
    "algbw": "algbw",
    "busbw": "busbw",
    "#wrong": "wrong",
    "wrong": "wrong",
    "error": "delta",
    "res": "delta",
    "#bitdiff": "bitdiff",
    "i_min": "i_min",
    "i_max": "i_max",
    "i_p99": "i_p99",
    "i_cv%": "i_cv",
    "timestamp": "timestamp",
    "algo": "algo",
    "proto": "proto",
    "nchannels": "nchannels",
    "#channels": "nchannels",
}
MEASURED = frozenset(
    {"time", "cputime", "hipevt", "algbw", "busbw", "wrong", "delta", "i_min", "i_max", "i_p99", "i_cv", "bitdiff"}
)
TIME_UNITS_US = {"us": 1.0, "usec": 1.0, "µs": 1.0, "ms": 1e3, "msec": 1e3, "s": 1e6, "sec": 1e6}
_UNIT = regex(r"([^()]{1,32})\(([^()]{1,16})\)\Z")
_RULER = regex(r"[-=:|+\s]+\Z")
_BOX = regex(r"[─-╿]+")
_MOST_COLUMNS = 48
_FIRST_VERSION = ("bytes", "N")
"""Column names of nccl-tests 1.0, which printed milliseconds and no units line."""
_TITLES = frozenset({"out-of-place", "in-place"})


class Column(Struct, frozen=True):
    """``key`` is our name of what it holds ("" when unknown); ``side`` counts its repetition: 0, then 1."""

    name: str
    key: str
    side: int = 0
    unit: str | None = None


class Layout(Struct, frozen=True):
    """The columns of one table."""

    columns: tuple[Column, ...]
    sides: int
    """How many times the measured columns come."""
    first_placement: str = "out_of_place"
    """Placement of side 0; a table of one side may be the in-place one."""
    printed: bool = True
    """False when no header was there and the shape of a row told."""
    time_unit: str | None = None
    """From the units line or the header; None: not printed."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def has(self, key: str) -> bool:
        return any(column.key == key for column in self.columns)

    def index(self, key: str) -> int | None:
        """Position of the first column of this key."""
        return next((i for i, column in enumerate(self.columns) if column.key == key), None)

    def placement(self, side: int) -> str:
        return self.first_placement if side == 0 else "in_place"


def table_text(text: str) -> str:
    """A line of a table without its comment mark and the bars of a markdown table."""
    bare = text.strip()
    if bare.startswith("|"):
        return bare.replace("|", " ").strip()
    return bare.lstrip("#").strip() if bare.startswith("#") else bare


def layout_of(keys: list[str], *, sides: int) -> Layout:
    """A layout from our keys, for tables that print no header."""
    return Layout(tuple(_number_sides([(key, key, None) for key in keys])), sides, printed=False)


def parse_header(text: str, title: str = "") -> Layout | None:
    """The layout that a line of column names gives, or None when it is none.

    ``title`` is the line above it (``out-of-place   in-place``), "" when there was none.
    """
    names = _named(table_text(text).split(maxsplit=_MOST_COLUMNS)[:_MOST_COLUMNS])
    keys = [key for _, key, _ in names]
    if not keys or keys[0] != "size" or "count" not in keys or not {"algbw", "busbw"} & set(keys):
        return None
    if sum(1 for key in keys if key) < 3 or any(name[:1].isdecimal() for name, _, _ in names):
        return None
    columns = tuple(_number_sides(names))
    sides = 1 + max(column.side for column in columns)
    first = "in_place" if sides == 1 and "in-place" in title and "out-of-place" not in title else "out_of_place"
    unit = next((c.unit for c in columns if c.key in {"time", "cputime"} and c.unit), None)
    if unit is None and tuple(name for name, _, _ in names[:2]) == _FIRST_VERSION:
        unit = "ms"
    return Layout(columns, sides, first, time_unit=unit)


def _named(tokens: list[str]) -> list[tuple[str, str, str | None]]:
    """(name, key, unit) of each header token; a token ``(us)`` alone is the unit of the name before it."""
    named: list[tuple[str, str, str | None]] = []
    for token in tokens:
        if token.startswith("(") and token.endswith(")") and named:
            name, key, _ = named[-1]
            named[-1] = (name, key, token[1:-1])
            continue
        match = _UNIT.match(token)
        name, unit = (match.group(1), match.group(2)) if match else (token, None)
        named.append((name, _KEYS.get(name.lower().rstrip(","), ""), unit))
    return named


def _number_sides(named: list[tuple[str, str, str | None]]) -> list[Column]:
    seen: Counter[str] = Counter()
    columns = []
    for name, key, unit in named:
        side = seen[key] if key in MEASURED else 0
        seen[key] += 1
        columns.append(Column(name, key, min(side, 1), unit))
    return columns


def is_title(text: str) -> bool:
    """``#    out-of-place      in-place``, also drawn with box characters."""
    words = set(_BOX.sub(" ", table_text(text).replace("-----", " ").replace("---", " ")).split())
    words = {word.strip("-()+") for word in words} - {""}
    return bool(words & _TITLES) and words <= _TITLES | {"bitwise", "per-iteration"}


def units_of(text: str) -> tuple[str, ...] | None:
    """The units line: ``(B)  (elements)  (us)  (GB/s) ...``; None when the line is none."""
    tokens = [token for token in table_text(text).split() if not token.startswith("%")]
    if len(tokens) < 2 or not all(token.startswith("(") and token.endswith(")") for token in tokens):
        return None
    return tuple(token[1:-1] for token in tokens)


def with_units(layout: Layout, units: tuple[str, ...]) -> Layout:
    """The layout, its time and rates in the units that the line below the header names."""
    time_unit = next((unit for unit in units if unit in TIME_UNITS_US), layout.time_unit)
    rate = next((unit for unit in units if unit.endswith(("/s", "ps")) and unit[:1] in "GMT"), None)
    columns = tuple(
        Column(c.name, c.key, c.side, rate) if c.key in {"algbw", "busbw"} and c.unit is None and rate else c
        for c in layout.columns
    )
    return Layout(columns, layout.sides, layout.first_placement, layout.printed, time_unit)


def is_ruler(text: str) -> bool:
    """``| ---: | ---: |`` or a line of dashes."""
    return "-" in text and _RULER.match(text.strip()) is not None
