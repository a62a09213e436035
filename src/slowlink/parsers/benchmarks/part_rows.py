"""Lines that name a GPU or an HCA and then give numbers: one part a line, or several one behind the other."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.forms.rdma_values import RDMA_NAME, RDMA_SHAPE
from slowlink.patterns import regex

NAMES_PART = regex(rf"(?i:\b(?:gpu|gcd|rail))[ _#-]{{0,3}}\d|\b{RDMA_SHAPE}")
LONGEST = 400
_WIDEST = 12
"""Numbers in a row."""
_SEPARATORS = regex(r"[\s|,;:=()\[\]]{1,80}")
_REMARK = regex(r"\s{1,20}(?:#|<-|//|!).{0,400}")
_HCA = regex(rf"(?P<name>{RDMA_NAME})(?:/\d{{1,2}})?")
_GPU = regex(r"(?i)(?:gpu|gcd)[_#-]?(?P<name>\d|1[0-5])")
"""Others (``gpu07``, ``gpu112``) are names of nodes."""
_RAIL = regex(r"(?i)rail[_#-]?(?P<name>\d{1,2})")
"""The HCAs of one number on all nodes, and the part of a row that names none else."""
_NUMBER = regex(r"(?P<number>\d{1,9}(?:\.\d{1,18})?)(?P<unit>[A-Za-z]{1,6}(?:/[A-Za-z]{1,4})?)?")
_UNIT = regex(r"[A-Za-z]{1,8}(?:/[A-Za-z]{1,4})?")
_INDEX = regex(r"\d{1,4}")
_HOST = regex(r"[A-Za-z](?=[\w.-]{0,60}\d)[\w.-]{1,60}")
_KINDS = {"gpu": "gpu", "gcd": "gpu", "hca": "hca", "nic": "hca", "node": "node", "host": "node"}
_PLACES = ("rank", "rail", "local_rank", "localrank", "port", "slot", "turn")
"""Words in front of a number that is no amount."""


class PartRow(Struct, frozen=True):
    """One part and what it gave."""

    part: Part
    node: str | None
    """Where the row names it."""
    amounts: tuple[tuple[float, str], ...]
    """(number, unit or "")."""
    line: Line


def rows_of(line: Line) -> list[PartRow]:
    """None where the line holds anything else beside names, places and numbers."""
    words = [word for word in _SEPARATORS.split(_REMARK.sub("", line.text)) if word]
    rows: list[PartRow] = []
    at = 0
    while at < len(words):
        part, node, at = _names(words, at)
        amounts, at = _amounts(words, at)
        if part is None or not amounts or len(amounts) > _WIDEST:
            return []
        rows.append(PartRow(part, node, amounts, line))
    return rows


def part_in(text: str) -> tuple[Part, str | None] | None:
    """The part, and the node, of a text that names these and nothing else."""
    words = [word for word in _SEPARATORS.split(text) if word]
    part, node, end = _names(words, 0)
    return (part, node) if part is not None and end == len(words) else None


def _names(words: list[str], at: int) -> tuple[Part | None, str | None, int]:
    """The part and the node that the words from here on name, and where the amounts begin."""
    part, node, rail, start = None, None, "", at
    while at < len(words):
        word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
        kind = _KINDS.get(word.lower(), "")
        if kind == "gpu" and _INDEX.fullmatch(after):
            part, at = part or Part("gpu", str(int(after))), at + 2
        elif kind == "node" and _HOST.fullmatch(after):
            node, at = after, at + 2
        elif found := _RAIL.fullmatch(f"{word}{after}" if word.lower() == "rail" else word):
            rail, at = f"rail{int(found['name'])}", at + (2 if word.lower() == "rail" else 1)
        elif kind == "hca" or (word.lower() in _PLACES and _INDEX.fullmatch(after)):
            at += 1 if kind else 2
        elif found := _HCA.fullmatch(word):
            part, at = Part("hca", found["name"]), at + 1
        elif found := _GPU.fullmatch(word):
            part, at = part or Part("gpu", str(int(found["name"]))), at + 1
        elif (at == start and _INDEX.fullmatch(word)) or (part is None and node is None and _HOST.fullmatch(word)):
            node, at = node if _INDEX.fullmatch(word) else word, at + 1
        else:
            break
    if part is None and rail:
        part = Part("hca", rail)
    return part, node, at


def _amounts(words: list[str], at: int) -> tuple[tuple[tuple[float, str], ...], int]:
    found: list[tuple[float, str]] = []
    while at < len(words) and (number := _NUMBER.fullmatch(words[at])) is not None:
        unit, at = number["unit"] or "", at + 1
        if not unit and at < len(words) and _UNIT.fullmatch(words[at]) and words[at].lower() not in _KINDS:
            unit, at = words[at], at + 1
        found.append((float(number["number"]), unit))
    return tuple(found), at


def sheets(rows: list[PartRow]) -> Iterator[list[PartRow]]:
    """Rows of one kind of part and as many amounts, each part once a node."""
    by_form: dict[tuple[str, int], dict[tuple[str | None, str], PartRow]] = {}
    for row in rows:
        by_form.setdefault((row.part.kind, len(row.amounts)), {}).setdefault((row.node, row.part.name), row)
    yield from ([*found.values()] for found in by_form.values())
