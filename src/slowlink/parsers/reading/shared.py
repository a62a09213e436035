"""What a thousand nodes say alike is held once: equal texts, parts and line numbers of readings become one object.

Records come from other processes, batch by batch, each with its own copy of every text: these were most of what
readings take. To look a part up is faster, too, where an equal one is the very same.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import force_setattr

from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Record

_REMEMBERED = 1 << 18
"""Texts, and parts, that are remembered. What differs on every node is not met again: then all is forgotten."""


class Shared:
    """Remembers what readings were made of."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._parts: dict[Part, Part] = {}
        self._numbers: dict[int, int] = {}

    def share(self, found: Iterable[Record]) -> None:
        """Give each reading in ``found`` the pieces that earlier ones have; nobody else may know them yet."""
        for record in found:
            if type(record) is Reading:
                self._share(record)

    def _share(self, reading: Reading) -> None:
        texts, parts, numbers = self._texts, self._parts, self._numbers
        if len(texts) > _REMEMBERED or len(parts) > _REMEMBERED or len(numbers) > _REMEMBERED:
            texts.clear()
            parts.clear()
            numbers.clear()
        ref = reading.ref
        force_setattr(reading, "part", parts.setdefault(reading.part, reading.part))
        force_setattr(reading, "attribute", texts.setdefault(reading.attribute, reading.attribute))
        force_setattr(ref, "text", texts.setdefault(ref.text, ref.text))
        force_setattr(ref, "source", texts.setdefault(ref.source, ref.source))
        force_setattr(ref, "line", numbers.setdefault(ref.line, ref.line))
        value: Value = reading.value
        if type(value) is str:  # equal numbers may be of different types, and these are told apart
            force_setattr(reading, "value", texts.setdefault(value, value))
