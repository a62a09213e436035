"""The sizes that a run goes through, as its header says: ``minBytes 8 maxBytes 8589934592 step: 2(factor)``."""

from __future__ import annotations

from collections.abc import Mapping


def number(parameters: Mapping[str, str], key: str) -> int | None:
    """The number that stands first in a parameter: 2 of ``2(factor)``."""
    digits = parameters.get(key, "").partition("(")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 19 else None


def next_size(parameters: Mapping[str, str], last: int) -> int:
    """The size, in bytes, of the row after the one of ``last``."""
    step = number(parameters, "step")
    if step is None:
        return last * 2
    return last + step if parameters["step"].endswith("(bytes)") else last * step


def largest_size(parameters: Mapping[str, str], reduced_max_bytes: int | None) -> int | None:
    """The largest size in bytes: what the memory of the GPUs allows, or what is announced."""
    return reduced_max_bytes or number(parameters, "maxBytes")
