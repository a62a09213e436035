"""Secrets under the heading of a column: tables of psql and Markdown, CSV, columns of a tool (``USER  PASSWORD``)."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import is_heading
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.leads import split_lead
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.values import replaced

_BETWEEN = {
    "|": regex(r"[|\u2502\u2503]"),
    ",": regex(r"[,;]"),
    "\t": regex(r"\t"),
    "  ": regex(r"(?<=\S) {2,}(?=\S)"),
}
"""What stands between cells: the first of these that a heading holds."""
_HEADING = regex(r"[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{0,40}(?: [A-Za-z][\w.-]{0,40})?)[\"'`*]{0,2}")
_RULE = regex(r"[\s|:+=\u2500-\u257f-]{3,}")
_CELL = regex(r"\s*[\"'`*]{0,2}(?P<value>[^\s\"'`*]{1,4000})[\"'`*]{0,2}\s*")
_LONGEST_CHARS = 4000
_FEWEST_CHARS = 16
"""Of a key or a token in a table: what is shorter is a piece of text, or a name."""


class Columns:
    """Replaces the cells of such columns, in lines without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"column": self._row}

    def opening(self, text: str) -> Left:
        """The columns of secrets, where ``text`` is a row of headings."""
        lead, words = split_lead(text.rstrip("\r\n"))
        if len(words) > _LONGEST_CHARS:
            return NOTHING_LEFT
        sign = next((sign for sign, between in _BETWEEN.items() if between.search(words.strip()) is not None), None)
        if sign is None:
            return NOTHING_LEFT
        names = [_name(cell) for cell in _BETWEEN[sign].split(words.strip(" ") if sign == "  " else words)]
        secret = [at for at, name in enumerate(names) if name and is_secret_name(name.replace(" ", "_"))]
        if not secret or None in names or len([name for name in names if name]) < 2:
            return NOTHING_LEFT
        kinds = [f"{at}:{kind_of(names[at] or '')}" for at in secret]
        return Left("column", at=len(lead), told=(sign, str(len(names)), *kinds))

    def _row(self, text: str, left: Left) -> tuple[str, Left]:
        """A row below them; a line with another number of cells is none."""
        sign, count, *columns = left.told
        if _RULE.fullmatch(text.strip()) is not None:
            return text, left
        before = len(text) - len(text.lstrip(" ")) if sign == "  " else 0
        cells, between = _cut(text[before:], sign)
        if len(cells) != int(count):
            return text, NOTHING_LEFT
        for column in columns:
            at, kind = column.split(":")
            cells[int(at)] = self._clean(cells[int(at)], kind)
        return text[:before] + "".join(map(str.__add__, cells, (*between, ""))), left

    def _clean(self, cell: str, kind: str) -> str:
        match = _CELL.fullmatch(cell)
        if match is None or (
            kind != "password" and (len(match["value"]) < _FEWEST_CHARS or is_heading(match["value"]))
        ):
            return cell
        begin, end = match.span("value")
        return cell[:begin] + replaced(match["value"], kind, self._removed, weak=True) + cell[end:]


def _name(cell: str) -> str | None:
    """The heading in ``cell``; empty where the cell is, None where it holds something else."""
    bare = cell.strip()
    match = _HEADING.fullmatch(bare)
    return match["name"] if match is not None else None if bare else ""


def _cut(text: str, sign: str) -> tuple[list[str], list[str]]:
    """The cells of a row, and what stands between them."""
    cells, between, at = [], [], 0
    for found in _BETWEEN[sign].finditer(text):
        cells.append(text[at : found.start()])
        between.append(found[0])
        at = found.end()
    return [*cells, text[at:]], between
