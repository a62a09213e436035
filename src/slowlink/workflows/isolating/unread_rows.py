"""Rows of sheets of pairs that were not read: each may be the one test of a node that is slow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from slowlink.model.benchmark import PairTable
from slowlink.model.source import Ref, SourceStats
from slowlink.patterns import regex

_SHOWN = 80
_OF_PAIRS = {"pair-matrix", "pair-table", "pair-sheet"}
_WORD = regex(r"[A-Za-z][\w.-]{1,80}")
_DIGITS = regex(r"[0-9]+")
_OF_A_RECORD = regex(r"[|,;\t{\[]|(?<![\w.-])\d")
_NUMBER = regex(r"(?<![\w.:-])\d{1,9}(?:\.\d{1,9})?(?![\w:-])")
_BETWEEN_CELLS = regex(r"[,;|\t]")
_BEGUN = regex(r"\s{0,8}[{\[]\s{0,8}\"")


class UnreadRows:
    """By the sheets that were read: what of the same inputs was not."""

    def __init__(self, tables: Iterable[PairTable], nodes: Iterable[str]) -> None:
        """``nodes``: of all tests that are known."""
        self._known = set(map(_shape, nodes))
        self._rows: dict[str, list[Ref]] = defaultdict(list)
        self._nodes: dict[str, set[str]] = {}
        for table in tables:
            if not table.told and not table.rows:
                self._rows[table.ref.source] += [ref for ref in table.unread if self._names_two(ref.text)]
                continue
            self._rows[table.ref.source] += table.unread
            nodes = self._nodes.setdefault(table.ref.source, set())
            nodes.update(_shape(name) for row in table.rows for name in (row.a, row.b))
            nodes.update(_shape(name) for row in table.failed for name in (row.a, row.b))

    def of(self, stats: SourceStats) -> str | None:
        """What was not read, with an example; None where all was, or the input holds no sheet."""
        if stats.path not in self._nodes and not self._rows.get(stats.path):
            return self._unknown(stats) if {*stats.kinds} <= _OF_PAIRS else None
        samples = [ref for ref in stats.unread_samples if self._may_be_row(ref.text, stats.path)]
        rows = self._rows[stats.path]
        if rows or samples:
            # Where all that was not read looks like rows, it is those, though no table was told of each.
            number = max(len(rows), stats.unread if len(samples) == len(stats.unread_samples) else 1)
            what = "1 row is no test" if number == 1 else f"{number} rows are no tests"
            return f"{what} that can be read, such as {_quoted(min(rows or samples, key=lambda ref: ref.line))}"
        return (
            f"{stats.unread} of {stats.lines} lines are no tests that can be read"
            if stats.unread > stats.used
            else None
        )

    def _unknown(self, stats: SourceStats) -> str | None:
        """Of an input that is nothing else: lines that name several of the nodes and a number, or one and
        cells with numbers, are of a form that is not read."""
        for ref in stats.unread_samples:
            numbers = len(_NUMBER.findall(ref.text))
            cells = numbers > 1 and len(_BETWEEN_CELLS.findall(ref.text)) > 1
            named = {word for word in _WORD.findall(ref.text) if _shape(word) in self._known}
            if numbers and (len(named) > 1 or (named and cells)):
                return f"no test that can be read, such as {_quoted(ref)}"
        return None

    def _names_two(self, text: str) -> bool:
        return len({word for word in _WORD.findall(text) if _shape(word) in self._known}) > 1

    def _may_be_row(self, text: str, path: str) -> bool:
        """Does a line name nodes like those of the tests, two or beside an amount? A record that was cut does so, too,
        or names none as yet."""
        named = {word for word in _WORD.findall(text) if _shape(word) in self._nodes.get(path, self._known)}
        return len(named) > 1 or (bool(named) and _OF_A_RECORD.search(text) is not None) or bool(_BEGUN.match(text))


def _shape(node: str) -> str:
    return _DIGITS.sub("0", node)


def _quoted(ref: Ref) -> str:
    text = ref.text.strip()
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f"line {ref.line}: {shown}" if ref.line else shown
