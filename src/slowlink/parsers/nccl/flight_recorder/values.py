"""Fields of a flight recorder from decoded values: bounded, since a value may contain itself."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from slowlink.parsers.forms.limit import Limit
from slowlink.patterns import regex

MAX_RANKS = Limit(1 << 17, "ranks of one group")
MAX_TENSORS = 16
"""Tensors of one operation that are kept; more only in lists of coalesced ones."""
MAX_DIMENSIONS = 8
MAX_NAME = 200
_DIGITS = regex(r"\d{1,9}")


def mapping(value: object) -> dict[str, object]:
    """A dict with text as keys, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object] | tuple[object, ...]:
    """A list or a tuple, or an empty one."""
    return value if isinstance(value, list | tuple) else ()


def integer(value: object) -> int | None:
    """A whole number within 63 bits; also as digits."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
            return None
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return value
    return None


def text(value: object) -> str:
    """Text or a number as text, cut; "" for anything else."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 1 << 63 else ""
    return value[:MAX_NAME] if isinstance(value, str) else ""


def sizes(value: object) -> tuple[tuple[int, ...], ...] | None:
    """Shapes of tensors; None where they are not there, or are no shapes."""
    if not isinstance(value, list | tuple):
        return None
    shapes = []
    for shape in value[:MAX_TENSORS]:
        if not isinstance(shape, list | tuple) or len(shape) > MAX_DIMENSIONS:
            return None
        numbers = tuple(number for number in map(integer, shape) if number is not None)
        if len(numbers) != len(shape):
            return None
        shapes.append(numbers)
    return tuple(shapes)


def names(value: object) -> tuple[str, ...] | None:
    """Names of data types; None where they are not there."""
    return tuple(map(text, value[:MAX_TENSORS])) if isinstance(value, list | tuple) else None


def ranks(value: object) -> tuple[int, ...]:
    """``[0, 1, 2]`` as a list, or printed as text, in its order and without repeats."""
    if isinstance(value, str):
        return _printed_ranks(value[: 12 * MAX_RANKS])
    return _distinct(number for number in map(integer, MAX_RANKS.first(items(value))) if number is not None)


@lru_cache(maxsize=64)
def _printed_ranks(text_of_list: str) -> tuple[int, ...]:
    """Every rank prints the same long list of all ranks: it is read and kept once."""
    return _distinct(int(digits) for digits in _DIGITS.findall(text_of_list))


def _distinct(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(MAX_RANKS.first(dict.fromkeys(number for number in numbers if 0 <= number < 1 << 31)))
