"""Fold what repeats: a thousand names into ``node[1-5,7]``, a hundred equal log lines into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from slowlink.nodes import without_names
from slowlink.patterns import regex

_TOKENS = regex(r"[0-9]{1,9}|[^0-9]+")
_DIGITS = regex(r"[0-9]+")
_HEX = regex(r"\b(?:0x)?[0-9a-f]{4,}\b")
_MAX_NAMES = 12
_LONG_SET = regex(r"[\w.-]{0,100}\[[0-9][0-9,-]{40,}\]")
"""A folded set that nobody reads to its end."""
_SHOWN_OF_SET = 24
_MOST_DIGITS = 9

Axes = tuple[str, ...]
"""One rendered range for each number in a name: ``("1", "[1-4]")``."""


def _ranges(numbers: Iterable[str]) -> str:
    """``1 2 3 7`` -> ``[1-3,7]``; ``08 09 10`` -> ``[08-10]``; one number stays bare."""
    ordered = sorted(set(numbers), key=lambda text: (int(text), len(text)))
    runs: list[list[str]] = []
    for text in ordered:
        if runs and str(int(runs[-1][-1]) + 1).zfill(len(runs[-1][-1])) == text:
            runs[-1].append(text)
        else:
            runs.append([text])
    if len(ordered) == 1:
        return ordered[0]
    return "[" + ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) + "]"


def _fold_axis(rows: list[Axes], axis: int) -> list[Axes]:
    """Join the rows that differ in this axis alone."""
    groups: dict[Axes, list[str]] = {}
    for row in rows:
        groups.setdefault(row[:axis] + row[axis + 1 :], []).append(row[axis])
    return [(*rest[:axis], _ranges(values), *rest[axis:]) for rest, values in groups.items()]


def fold_groups(names: Iterable[str]) -> list[str]:
    """Names as few folded groups, in order of first appearance.

    ``node1 node2 node3 node7 login`` -> ``node[1-3,7]``, ``login``. Several numbers fold too where they
    form a grid: ``r1n1 r1n2 r2n1 r2n2`` -> ``r[1-2]n[1-2]``. Leading zeros are kept.
    """
    distinct = dict.fromkeys(names)
    if len(distinct) < 2:
        return list(distinct)
    shapes: dict[Axes, list[Axes]] = {}
    for name in distinct:
        tokens = _TOKENS.findall(name)
        skeleton = tuple("" if token[:1].isdecimal() and token.isascii() else token for token in tokens)
        numbers = tuple(token for token in tokens if token[:1].isdecimal() and token.isascii())
        shapes.setdefault(skeleton, []).append(numbers)
    groups: list[str] = []
    for skeleton, rows in shapes.items():
        for axis in reversed(range(len(rows[0]))):
            rows = _fold_axis(rows, axis)
        for row in rows:
            values = iter(row)
            groups.append("".join(token or next(values) for token in skeleton))
    return groups


def fold_names(names: Iterable[str], limit: int = _MAX_NAMES) -> str:
    """``node[1-5,7], login``: at most ``limit`` groups, then how many more there are."""
    groups = fold_groups(names)
    shown = groups[:limit]
    rest = len(groups) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def short_sets(text: str, total: int = 0) -> str:
    """Long folded sets in a sentence as how many they hold, and the first of them: ``82 of 512 nodes
    (gpu[020,024-026,030-033,...]): a port is slow``. ``total``: how many nodes there are; without it nobody knows
    that the names are nodes."""
    return _LONG_SET.sub(lambda found: _short_set(found[0], total), text)


def _short_set(folded: str, total: int) -> str:
    name, _, inside = folded[:-1].partition("[")
    ranges = inside.split(",")
    held = sum(map(_length, ranges))
    shown = inside[:_SHOWN_OF_SET].rpartition(",")[0]
    some = f"{name}[{shown},...]"
    return f"{held} of {total} nodes ({some})" if held <= total else f"{some} ({held} in all)"


def _length(numbers: str) -> int:
    first, dash, last = numbers.partition("-")
    whole = first.isdecimal() and last.isdecimal() and len(numbers) <= 2 * _MOST_DIGITS
    return max(int(last) - int(first) + 1, 1) if dash and whole else 1


class Repeat(NamedTuple):
    """Items of one shape: the first of them, and how many there are."""

    first: int
    """Index of the first one."""
    times: int
    last: int
    """Index of the last one."""


def shape_of(text: str, names: Sequence[str] = ()) -> str:
    """What is left of a line without names, hexadecimal ids and numbers: equal shape, equal statement."""
    return _DIGITS.sub("0", _HEX.sub("0", without_names(text, names, "\0")))


def fold_repeats(keys: Sequence[object]) -> list[Repeat]:
    """Group equal keys wherever they stand, in order of first appearance."""
    found: dict[object, Repeat] = {}
    for index, key in enumerate(keys):
        seen = found.get(key)
        found[key] = Repeat(index, 1, index) if seen is None else Repeat(seen.first, seen.times + 1, index)
    return list(found.values())
