"""Columns of a table of a collective by size or by nodes, as scripts of many hands name them: size, time, algbw, busbw,
and how many nodes or ranks took part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.parsers.benchmarks.part_quantities import quantity_of_unit
from slowlink.patterns import regex
from slowlink.units import bandwidth_gbs, parse_size

_MANY = r"(?:#|n|nr|num|no\. ?of|number of)?[ _-]?"
_NODES = regex(rf"(?i){_MANY}(?:nodes|hosts|servers|noeuds|knoten|节点数)\Z")
_RANKS = regex(rf"(?i){_MANY}(?:ranks|gpus|procs|processes)\Z|world[ _]?size\Z")
_BUSBW = regex(r"(?i)bus[ _-]?(?:bw|bandwidth)(?![A-Za-z])|总线带宽")
_ROLES = (
    ("nodes", _NODES),
    ("ranks", _RANKS),
    ("collective", regex(r"(?i)(?:collective|coll|operation|op)\Z")),
    ("busbw", _BUSBW),
    ("algbw", regex(r"(?i)alg(?:orithm)?[ _-]?(?:bw|bandwidth)(?![A-Za-z])|(?<![A-Za-z])throughput|算法带宽")),
    ("time", regex(r"(?i)(?<![A-Za-z])(?:time|latency|duration|lat|temps|zeit|dauer)(?![A-Za-z])|时间|时延|耗时")),
    (
        "size",
        regex(
            r"(?i)(?<![A-Za-z])(?:size|payload|n?bytes|message|msg|taille|gr(?:ö|oe)(?:ß|ss)e)(?![A-Za-z])|大小|数据量"
        ),
    ),
)
"""The first that a name holds."""
_OF_PARTS = regex(
    r"(?i)(?<![A-Za-z])(?:nodes?|hosts?|servers?|clients?|peers?|src|dst|source|dest\w{0,12}|from|to|pairs?|links?|rails?"
    r"|ranks?|gpus?|hcas?|nics?|dev|devices?|nodelist|count|redop)(?![A-Za-z])"
)
"""A column with such a name: the rows are of several parts, or of nccl-tests. In the plural it may tell how many there
are (``_NODES``)."""
_UNIT = regex(
    r"[\s_(\[/]+(?P<unit>[GMKgmk]i?[Bb](?:/s|ps)|G(?:bit)(?:/s|ps)|[Bb]ytes?|[KMG]i?B|B|ms|msec|us|usec|µs|s)[)\]]?\s{0,4}$"
)
_BARS = regex(r"\s{0,9}[|\t;]\s{0,9}|\s{2,40}")
_WORDS = regex(r"\([^()]{1,20}\)|\[[^\[\]]{1,40}\]|[^\s()\[\]]\S{0,60}")
_AMOUNT = regex(r"(?P<number>\d{1,15}(?:_\d{3}){0,5}(?:\.\d{1,9})?)\s?(?P<unit>[A-Za-zµ][A-Za-z/µ]{0,7})?")
_LABELLED = regex(
    r"(?P<name>[A-Za-z][A-Za-z_-]{0,20}(?: [A-Za-z]{2,10})?)\s{0,3}[=: ]\s{0,3}(?P<amount>\d{1,15}(?:\.\d{1,9})?"
    r"(?: ?[A-Za-zµ][A-Za-z/µ]{0,7})?)(?![\w.])"
)
_TO_US = {"s": 1e6, "ms": 1e3, "msec": 1e3, "us": 1.0, "usec": 1.0, "µs": 1.0}
_UNITS = regex(
    r"\s{0,40}[|#]?(?:\s{0,40}\([A-Za-zµ/]{1,8}\)\s{0,4}\|?){1,12}\s{0,40}\([GM]i?[Bb](?:it)?(?:/s|ps)\)\s{0,4}\|?\s{0,8}"
)
_DIGIT, _LETTER = regex(r"\d"), regex(r"[A-Za-zµ]")
_EITHER = ("gbps", "gb/s")
"""Of bits or of bytes."""
_BYTES = frozenset({"", "b", "byte", "bytes"})
_LONGEST, _DIGITS_OF_COUNTS = 300, 6
_NEAR = 0.2
"""Rounded sizes and times, and GB for GiB, make no more."""
_LOWEST_FACTOR, _HIGHEST_FACTOR = 0.45, 2.05
"""busbw over size by time: from (n-1)/n of two ranks to 2(n-1)/n of many."""


class Column(Struct, frozen=True):
    """What one column holds; a role of "" is of no interest."""

    role: str
    unit: str


class Measured(Struct, frozen=True):
    """One row, in bytes, microseconds and GB/s."""

    size_bytes: int
    time_us: float | None
    algbw_gbs: float | None
    busbw_gbs: float
    collective: str = ""
    """As its cell says; "" without one."""
    nnodes: int | None = None
    nranks: int | None = None
    """How many took part, where a column tells."""

    @property
    def doubt(self) -> str | None:
        """Why the bandwidth must not be used: what the row itself says against it."""
        if not self.time_us or not self.algbw_gbs:
            return None
        by_time = bandwidth_gbs(self.size_bytes, self.time_us)
        if abs(self.algbw_gbs - by_time) <= _NEAR * by_time:
            return None
        return f"size / time is {by_time:.4g} GB/s, and algbw says {self.algbw_gbs:.4g}"


def columns_of(header: str) -> tuple[Column, ...] | None:
    """The columns that a header names; None for a line that does not name busbw and a size, each once."""
    if len(header) > _LONGEST or not _BUSBW.search(header):
        return None
    for cells in _ways(header):
        found = tuple(map(_column, cells))
        if any(each.role not in _COUNTS and _OF_PARTS.search(cell) for cell, each in zip(cells, found, strict=True)):
            continue
        named = [cell for cell, each in zip(cells, found, strict=True) if each.role]
        known = 0 if _DIGIT.search("".join(named)) else len(named)
        if known <= len(found) <= 2 * known + 1 and _is_whole([each.role for each in found]):
            return found
    return None


_COUNTS = ("nodes", "ranks")


def _is_whole(roles: Sequence[str]) -> bool:
    known = [role for role in roles if role]
    return len(set(known)) == len(known) and {"busbw", "size"} <= set(known)


def with_units(columns: Sequence[Column], below: str) -> tuple[Column, ...] | None:
    """The columns with the units that stand in the line below their names: ``(B)   (us)  (GB/s)``; None for another
    line."""
    units = below.strip().strip("|#").split()
    if len(units) != len(columns) or not all(unit[0] == "(" and unit[-1] == ")" for unit in units):
        return None
    return tuple(Column(each.role, unit[1:-1]) for each, unit in zip(columns, units, strict=True))


def measured(row: str, columns: Sequence[Column]) -> Measured | None:
    """What a row below them says; None for a line that has not one amount for each."""
    for cells in _ways(row, columns):
        if len(cells) == len(columns):
            return _measured({each.role: (cell, each.unit) for cell, each in zip(cells, columns, strict=True)})
    return None


def may_be_labelled(row: str) -> bool:
    """Does it name a size and busbw, with a number behind each? Whatever the numbers are."""
    return _is_whole([_column(each["name"]).role for each in _LABELLED.finditer(row[:_LONGEST])])


def are_units(text: str) -> bool:
    """Is it a line of units that could stand below a header?"""
    return _UNITS.fullmatch(text) is not None


def labelled(row: str) -> Measured | None:
    """What a row says that names each of its amounts: ``size=1 GiB time=4.655 ms busbw=432.5 GB/s``."""
    found: dict[str, tuple[str, str]] = {}
    if _OF_PARTS.search(row):
        return None
    for each in _LABELLED.finditer(row[:_LONGEST]):
        role = _column(each["name"]).role
        if role:
            if role in found:
                return None
            found[role] = (each["amount"], "")
    said = all(amount.rpartition(" ")[2].lstrip("0123456789._") not in _EITHER for amount, _ in found.values())
    return _measured(found) if said and {"busbw", "size"} <= found.keys() else None


def _ways(text: str, columns: Sequence[Column] = ()) -> tuple[list[str], ...]:
    """The cells of a line: between bars or wide gaps, between commas, or word by word."""
    inner = text.strip().strip("|#").strip()
    bars = [cell for cell in _BARS.split(inner) if cell]
    return bars, [cell.strip() for cell in inner.split(",")], _joined(_WORDS.findall(inner), columns)


def _joined(words: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Words with the unit that stands behind them: ``time (us)``, ``4.0 GB``, ``17.3 ms``."""
    cells: list[str] = []
    for word in words:
        behind_number = columns and cells and _DIGIT.match(cells[-1][-1]) and _LETTER.match(word)
        if cells and (word[0] == "(" or behind_number):
            cells[-1] += f" {word}"
        else:
            cells.append(word)
    return cells


def _column(name: str) -> Column:
    role = next((role for role, pattern in _ROLES if pattern.search(name)), "")
    unit = _UNIT.search(f" {name}")
    return Column(role, unit["unit"] if unit is not None else "")


def _measured(cells: Mapping[str, tuple[str, str]]) -> Measured | None:
    """Cells with the unit of their column, by role."""
    size = _size(*cells["size"])
    time = _time(*cells["time"]) if "time" in cells else None
    counts = {role: _count(cells[role][0]) for role in _COUNTS if role in cells}
    if size is None or 0 in counts.values():
        return None
    by_time = bandwidth_gbs(size, time) if time else None
    busbw, algbw = (_bandwidth(*cells[role], by_time) if role in cells else None for role in ("busbw", "algbw"))
    named = cells["collective"][0] if "collective" in cells else ""
    if busbw is None:
        return None
    return Measured(size, time, algbw or by_time, busbw, named, counts.get("nodes"), counts.get("ranks"))


def _count(cell: str) -> int:
    """0 for what is no plain number."""
    text = cell.strip()
    return int(text) if len(text) <= _DIGITS_OF_COUNTS and text.isascii() and text.isdecimal() else 0


def _size(cell: str, of_column: str) -> int | None:
    found = _AMOUNT.fullmatch(cell.strip())
    if found is None:
        return None
    unit = found["unit"] or ("" if of_column.lower() in _BYTES else of_column)
    return parse_size(f"{found['number'].replace('_', '')}{unit}") or None


def _bandwidth(cell: str, of_column: str, by_time: float | None) -> float | None:
    """In GB/s. A unit that is not said is nccl-tests'; one that may be bits or bytes (``gbps``) is what fits the size
    and the time of the row, and unknown without them."""
    found = _AMOUNT.fullmatch(cell.strip())
    if found is None:
        return None
    number, unit = float(found["number"]), found["unit"] or of_column
    if unit in _EITHER:
        fitting = [each for each in (number, number / 8) if by_time and _fits(each / by_time)]
        return fitting[0] if len(fitting) == 1 else None
    quantity = quantity_of_unit(unit or "GB/s")
    return number * quantity.factor if quantity is not None and quantity.kind == "bandwidth" else None


def _fits(factor: float) -> bool:
    return _LOWEST_FACTOR <= factor <= _HIGHEST_FACTOR


def _time(cell: str, of_column: str) -> float | None:
    found = _AMOUNT.fullmatch(cell.strip())
    factor = _TO_US.get((found["unit"] or of_column).lower()) if found is not None else None
    return float(found["number"]) * factor if found is not None and factor is not None else None
