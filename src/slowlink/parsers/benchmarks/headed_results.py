"""Rows of nccl-tests below headings that name an HCA, a GPU or two nodes, as loops over rails and pairs leave them::

    == xe-01 xe-02 ==
      4294967296  1073741824     float     sum      -1    16942  253.51  475.33      0    17023  252.30  473.06      0
    == xe-01 xe-04 ==
      4294967296  1073741824     float     sum      -1    39433  108.92  204.22      0    39373  109.08  204.53      0
    --- mlx5_3 gpu 3
      2147483648     536870912     float     sum      -1    44317   48.46   48.46      0    44361   48.41   48.41      0

A heading has two marks at least, and names nothing else. What stands below one heading is compared with what stands
below the others, at the largest size that all have. The rows themselves are read as tables, too (``nccl_tests``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.benchmark import PairTable
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.benchmarks.pair_rows import PairRow, table_of
from slowlink.parsers.benchmarks.part_rows import part_in
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import reading
from slowlink.patterns import regex

_HEADING = regex(
    r"\s{0,8}(?:={2,80}|-{2,80}|#{2,80}|\*{2,80}|>{2,20})\s{0,4}(?P<text>[A-Za-z][\w.:/+<> ,()-]{2,160}?)\s{0,4}"
    r"[=*#<>-]{0,80}\s{0,8}"
)
_HOST = r"[A-Za-z][\w.-]{0,60}\d[\w.-]{0,20}"
_PAIR = regex(
    rf"(?P<a>{_HOST})(?: {{1,4}}(?:(?:-|to|and|vs\.?|<->|->) {{1,4}})?| ?(?:<-+>|-+>|\+|,|:|/) ?)(?P<b>{_HOST})"
)
_ROW = regex(
    r"\s{0,20}(?P<size>\d{1,15})\s{1,20}\d{1,15}\s{1,20}[a-z]\w{2,12}\s{1,20}(?:[a-z]{3,8}\s{1,20})?(?:-?\d{1,6}\s{1,20})?"
    r"\d{1,12}(?:\.\d{1,4})?\s{1,20}\d{1,7}\.\d{1,6}\s{1,20}(?P<busbw>\d{1,7}\.\d{1,6})(?:\s.{0,200})?"
)
_GAP = 60
"""Lines between a heading and its rows."""
_FEWEST = 4
MAX_HEADED = Limit(100_000, "tables below headings of parts")
_ATTRIBUTES = {"hca": "hca-test-bandwidth", "gpu": "gpu-test-bandwidth"}


class _Headed(Struct):
    """A heading, and busbw below it by size."""

    text: str
    line: int
    found: dict[int, tuple[float, Line]]


class HeadedResults:
    """Keeps for each heading what stands below it; the rows are somebody else's, too."""

    kind: ClassVar[str] = "headed-results"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(("==", "--", "##", "**", ">>", "float", "half", "bfloat", "int", "double"))
    reads_beside: ClassVar[bool] = True

    def __init__(self) -> None:
        self._headed: list[_Headed] = []
        self._open: _Headed | None = None

    @staticmethod
    def gate() -> Gate:
        return (as_whole(_HEADING),), (as_whole(_ROW),)

    @staticmethod
    def wants(text: str) -> bool:
        return _ROW.fullmatch(text) is not None or _named(text) != ""

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        row = _ROW.fullmatch(line.text)
        if row is None:
            text = _named(line.text)
            self._open = _Headed(text, line.no, {}) if text else None
            return Use.USED if text else Use.NOT_MINE
        if self._open is not None and line.no - self._open.line <= _GAP:
            if not self._open.found and MAX_HEADED.has_room(len(self._headed)):
                self._headed.append(self._open)
            self._open.found.setdefault(int(row["size"]), (float(row["busbw"]), line))
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading | PairTable]:
        return (*self._parts(), *self._pairs())

    def _parts(self) -> Iterator[Reading]:
        for kind, attribute in _ATTRIBUTES.items():
            mine = [(each, *named) for each in self._headed if (named := part_in(each.text)) and named[0].kind == kind]
            size = _largest([each for each, _, _ in mine])
            for each, part, node in mine if len(mine) >= _FEWEST and size else ():
                busbw, line = each.found[size]
                made = reading(attribute, part, busbw, line)
                yield made if node is None else replace(made, host=node)

    def _pairs(self) -> Iterator[PairTable]:
        mine = [(each, pair) for each in self._headed if (pair := _PAIR.fullmatch(each.text)) is not None]
        size = _largest([each for each, _ in mine])
        rows = []
        for each, pair in mine if size else ():
            busbw, line = each.found[size]
            rows.append(PairRow(pair["a"], pair["b"], "", ((busbw, "GB/s", True),), failed=False, ref=line.ref()))
        table = table_of(rows, "") if rows else None
        if table is not None:
            yield table


def _named(text: str) -> str:
    """What a heading names: a part, or two nodes; "" for any other line."""
    found = _HEADING.fullmatch(text) if len(text) <= 200 else None
    if found is None:
        return ""
    named = found["text"].strip()
    return named if _PAIR.fullmatch(named) or part_in(named) else ""


def _largest(headed: list[_Headed]) -> int:
    """The largest size that all of these have; 0 where there is none."""
    sizes = set(headed[0].found) if headed else set()
    for each in headed:
        sizes &= each.found.keys()
    return max(sizes, default=0)


PARSER = HeadedResults
