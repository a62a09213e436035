"""Tables of nodes and checks, with a verdict in each cell, in nobody's format::

    | Node   | GPUs | NVLink | IB |
    |--------|------|--------|----|
    | pod-01 | ✅   | ✅     | ✅ |
    | pod-02 | ✅   | ❌     | ✅ |

Or with a column of checks, and one of verdicts or one for each node::

    Test            Result   Details
    NVLink status   FAIL     GPU 2: links 4,5 inactive
    PCIe width      PASS     x16

The heading says that the first column names nodes, or checks; a row of a node counts where all other cells are
verdicts, numbers or empty, and two of them are verdicts. Nodes with one column of verdicts are ``verdict_tables``'.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.catalog.words.check_topics import is_sharp_topic, is_topic
from slowlink.catalog.words.verdict_words import (
    first_headings,
    is_node_heading,
    is_of_other_programs,
    is_test_heading,
    is_verdict_heading,
    may_tell_or_head,
    verdict_of,
    verdict_texts,
)
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import is_part
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals, folded
from slowlink.parsers.forms.make_reading import MAX_RESULTS, reading
from slowlink.parsers.host.check_rows import BARE
from slowlink.parsers.host.verdict_tables import cells_of, split_of
from slowlink.patterns import regex

TOOL = "site"
_MOST_CHARACTERS = 600
_FEWEST_VERDICTS = 2
_RULER = regex(r"[\s|+:=─━│┼┤├═┌┐└┘┬┴╞╡╪-]{3,600}")
_PLAIN = regex(r"[\s\d.,%/x×+-]{0,40}(?:[A-Za-z]{1,4}/?s?)?")
_NAME = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z0-9][\w.-]{0,80}")
"""Without a number in it, a server is a program."""
_TITLE = regex(r"[^\W\d][^|]{0,40}")
_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")


class CheckMatrices:
    """One test a cell; rows of one table stand below one another."""

    kind: ClassVar[str] = "check-matrix"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(map(folded, verdict_texts() | first_headings()), fold=True)
    last_resort: ClassVar[int] = 2
    """Its headings look like those of other programs' tables."""

    def __init__(self) -> None:
        self._titles: list[str] = []
        self._split = ""
        self._found: list[tuple[str, str, str, str, Line]] = []
        """(node, test, verdict, words, line)"""

    @staticmethod
    def gate() -> Gate:
        return ((anywhere(r"[|\t;]|\s\s|,.*,"),),)

    @staticmethod
    def wants(text: str) -> bool:
        if not (CheckMatrices.literals.in_(text) and may_tell_or_head(text)):
            return False
        split = split_of(text)
        return split is not None and split != " " and len(cells_of(text, split)) >= _FEWEST_VERDICTS

    @property
    def greedy(self) -> bool:
        return bool(self._titles)

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        if self._titles:
            if not text.strip() or _RULER.fullmatch(text):
                return Use.IGNORED
            if self._takes(text, line):
                return Use.USED
        split = split_of(text)
        titles = cells_of(text, split) if split not in (None, " ") else []
        self._titles = titles if _is_heading(titles) else []
        self._split = split or ""
        return Use.IGNORED if self._titles else Use.NOT_MINE

    def _takes(self, text: str, line: Line) -> bool:
        cells = cells_of(text, self._split)
        if is_test_heading(self._titles[0]):
            return self._takes_test(cells, line)
        if len(cells) != len(self._titles) or not _NAME.fullmatch(cells[0].strip("*` ")):
            return False
        told = [verdict_of(cell) for cell in cells[1:]]
        odd = [
            cell
            for cell, verdict in zip(cells[1:], told, strict=True)
            if verdict is None and not _PLAIN.fullmatch(cell)
        ]
        if (
            odd
            or sum(verdict is not None for verdict in told) < _FEWEST_VERDICTS
            or not MAX_RESULTS.has_room(len(self._found))
        ):
            return False
        node = cells[0].strip("*` ")
        for title, verdict in zip(self._titles[1:], told, strict=True):
            if verdict is not None:
                self._found.append((node, title.strip("*` ")[:80], verdict[0], verdict[1], line))
        return True

    def _takes_test(self, cells: list[str], line: Line) -> bool:
        """A row about one check: with its verdict, or with one for each node."""
        name = cells[0].strip("*` ")[:80]
        verdicts = [index for index, title in enumerate(self._titles) if index and is_verdict_heading(title)]
        columns = verdicts[:1] or range(1, len(self._titles))
        if len(cells) <= columns[-1] or len(cells) > len(self._titles):
            return False
        told = [verdict_of(cells[column]) for column in columns]
        if None in told or not is_topic(name):
            return None not in told
        for column, verdict in zip(columns, told, strict=True):
            node = "" if verdicts else self._titles[column].strip("*` ")
            words = " ".join(cells[column + 1 :]) if verdicts else ""
            self._found.append((node, name, verdict[0] if verdict else "", words, line))
        return True

    def finish(self) -> Iterable[Reading]:
        sharp = any(is_sharp_topic(f"{test} {words}") for _, test, _, words, _ in self._found)
        for node, test, verdict, words, line in self._found:
            if not node and not sharp:
                continue  # memory and ports are of any computer
            part = Part("test", f"{TOOL if node else BARE}/{test}")
            told = replace(line, host=node) if node else line
            yield reading("health-test", part, verdict, told)
            if words and verdict != "pass":
                yield reading("health-test-detail", part, words, told)


def _is_heading(titles: list[str]) -> bool:
    """Does the first column name nodes or checks, and do the others fit?"""
    if len(titles) < _FEWEST_VERDICTS or any(map(is_of_other_programs, titles)):
        return False
    others = titles[1:]
    if not all(_TITLE.fullmatch(title) for title in others):
        return False
    if is_test_heading(titles[0]):
        nodes = all(_HOST.fullmatch(title) and not is_part(title) for title in others)
        return any(map(is_verdict_heading, others)) or (nodes and len(others) >= _FEWEST_VERDICTS)
    return len(others) >= _FEWEST_VERDICTS and is_node_heading(titles[0]) and not any(map(is_verdict_heading, others))


PARSER = CheckMatrices
