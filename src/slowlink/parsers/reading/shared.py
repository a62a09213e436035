"""What a thousand nodes say alike is held once: equal texts, parts and line numbers of readings become one object.

Records come from other processes, batch by batch, each with its own copy of every text: these were most of what
readings take. To look a part up is faster, too, where an equal one is the very same.
"""

from __future__ import annotations

from slowlink.model.state import Part, Value

_REMEMBERED = 1 << 18
"""Texts, and parts, that are remembered. What differs on every node is not met again: then all is forgotten."""


class Shared:
    """Remembers what readings were made of."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._parts: dict[Part, Part] = {}
        self._numbers: dict[int, int] = {}
        self._fractions: dict[float, float] = {}

    def forget_many(self) -> None:
        """Forget what became too much."""
        for each in (self._texts, self._parts, self._numbers, self._fractions):
            if len(each) > _REMEMBERED:
                each.clear()

    def text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def part(self, part: Part) -> Part:
        return self._parts.setdefault(part, part)

    def value(self, value: Value) -> Value:
        """A whole number or a fraction; anything else stays what it is."""
        if type(value) is int:
            return self._numbers.setdefault(value, value)
        return self._fractions.setdefault(value, value) if type(value) is float and value else value  # 0.0 equals -0.0

    def number(self, number: int) -> int:
        return self._numbers.setdefault(number, number)
