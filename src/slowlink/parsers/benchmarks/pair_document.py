"""Results of pairs of nodes as JSON, in nobody's format: a list of tests, one test a document, or a matrix.

For example::

    {"node_a": "hx01", "node_b": "hx06", "test": "all_reduce", "busbw": 231.2}

or a list of such (also as a member of the document), with two members for the nodes or a list of both; or an object of
a row a node, below a name that says bandwidth. In a document of one test the names of its members must say that they
are nodes, too, for there is nothing to compare it with (``pair_sheets.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar

from slowlink.model.benchmark import PairTable
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.pair_rows import FEWEST_ROWS, SAYS_BANDWIDTH
from slowlink.parsers.benchmarks.pair_sheets import NODE_COLUMN, SheetRow, says_pair, sheet_table
from slowlink.parsers.forms.limit import Limit

_LOOKED_AT = 20
_MEMBERS = 60
_MOST_NODES = 64
"""In a list of a test's nodes; three and more are no pair."""
MAX_TESTS = Limit(200_000, "tests of pairs in one document")


class PairDocument:
    """Gives a ``PairTable`` of the tests in the document."""

    kind: ClassVar[str] = "pair-document"

    @staticmethod
    def wants_document(value: object) -> bool:
        return next(_sheets(value), None) is not None

    def read(self, value: object, source: str, line: int) -> Iterable[PairTable]:
        for members, fewest in _sheets(value):
            heading = tuple(dict.fromkeys(str(key) for test in members for key in islice(test, _MEMBERS)))
            heading = heading[:_MEMBERS]
            rows = [
                SheetRow(tuple(_cell(test.get(name)) for name in heading), Ref(source, line))
                for test in MAX_TESTS.first(members)
            ]
            table = sheet_table(heading, rows, fewest=fewest)
            if table is not None:
                yield table


def _sheets(value: object) -> Iterator[tuple[list[Mapping[str, Any]], int]]:
    """Lists of tests, each with how many pairs it must have."""
    if isinstance(value, list):
        if _are_tests(value):
            yield value, FEWEST_ROWS
    elif isinstance(value, dict):
        if _is_test(value):
            yield [value], 1
            return
        for name, member in islice(value.items(), _MEMBERS):
            if isinstance(member, list) and _are_tests(member):
                yield member, FEWEST_ROWS
            elif isinstance(member, dict) and SAYS_BANDWIDTH.search(str(name)) and _is_matrix(member):
                yield _of_matrix(str(name), member), FEWEST_ROWS


def _are_tests(value: list[Any]) -> bool:
    tests = [test for test in value[:_LOOKED_AT] if isinstance(test, dict)]
    return (
        len(value) >= FEWEST_ROWS
        and all(isinstance(test, dict) for test in value)
        and all(any(SAYS_BANDWIDTH.search(str(name)) for name in islice(test, _MEMBERS)) for test in tests[:1])
        and sum(says_pair([_cell(each) for each in islice(test.values(), _MEMBERS)]) for test in tests)
        >= len(tests) / 2
    )


def _is_test(value: Mapping[str, Any]) -> bool:
    """One test: two nodes by the names of the members that hold them, and a bandwidth."""
    if len(value) > _MEMBERS or not any(
        SAYS_BANDWIDTH.search(str(name)) and (each is None or isinstance(each, (int, float, str)))
        for name, each in value.items()
    ):
        return False
    return says_pair([_cell(each) for name, each in value.items() if NODE_COLUMN.fullmatch(str(name))])


def _is_matrix(value: Mapping[str, Any]) -> bool:
    rows = list(islice(value.values(), _LOOKED_AT))
    return len(value) >= 3 and all(isinstance(row, dict) and (row.keys() <= value.keys()) for row in rows)


def _of_matrix(name: str, value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cells = [
        {"node a": a, "node b": b, name: each}
        for a, row in value.items()
        if isinstance(row, dict)
        for b, each in row.items()
        if a != b
    ]
    # Who is in no cell stands there all the same, and was not measured.
    known = {cell[end] for cell in cells for end in ("node a", "node b")}
    return [*cells, *({"node a": a, "node b": "?", name: None} for a in value if a not in known)]


def _cell(value: object) -> str:
    """As it would stand in a sheet."""
    if isinstance(value, list) and 2 <= len(value) <= _MOST_NODES and all(isinstance(each, str) for each in value):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    return "..." if value else ""


DOCUMENT = PairDocument
