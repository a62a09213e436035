"""A place in a manifest: a value with its path and its line, or the place where one could stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slowlink.lint.tree import Value

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MOST_CHARACTERS = 400
_UNITS = {
    "": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40,
}  # fmt: skip
_QUANTITY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,9})?)([kMGTm]|[KMGT]i)?")


class Source:
    """One file of manifests."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines: Sequence[str] = text.split("\n")

    def line(self, number: int) -> str:
        """As it stands, cut."""
        found = self.lines[number - 1] if 0 < number <= len(self.lines) else ""
        return found.rstrip("\r")[:_MOST_CHARACTERS]

    def line_of(self, words: str, start: int) -> int:
        """The first line from ``start`` on that holds ``words``; ``start`` where none does."""
        for number in range(max(start, 1), min(start + 500, len(self.lines) + 1)):
            if words in self.lines[number - 1]:
                return number
        return start


class Spot:
    """``spot["spec"]["template"]`` goes down; what is not there is falsy, and stands at the line of what holds it."""

    __slots__ = ("_value", "line", "path", "source")

    def __init__(self, source: Source, value: Value | None, path: str, line: int) -> None:
        self.source, self._value, self.path, self.line = source, value, path, line

    def __bool__(self) -> bool:
        value = self._value
        return value is not None and not (value.is_plain and value.text in ("", "null", "~"))

    def __getitem__(self, key: str) -> Spot:
        label = key if _BARE.fullmatch(key) else f'["{key}"]'
        path = f"{self.path}{'.' if self.path and label is key else ''}{label}"
        entries = self._value.entries if self._value is not None else None
        if entries is None or key not in entries:
            return Spot(self.source, None, path, self.line)
        line, value = entries[key]
        return Spot(self.source, value, path, line)

    def at(self, *keys: str) -> Spot:
        """Down several keys."""
        found = self
        for key in keys:
            found = found[key]
        return found

    def __iter__(self) -> Iterator[Spot]:
        """The elements of a list."""
        elements = self._value.elements if self._value is not None else None
        for index, each in enumerate(elements or ()):
            yield Spot(self.source, each, f"{self.path}[{index}]", each.line)

    @property
    def keys(self) -> tuple[str, ...]:
        """Of a mapping, in its order."""
        entries = self._value.entries if self._value is not None else None
        return tuple(entries or ())

    @property
    def text(self) -> str:
        """Of a scalar; "" else."""
        return (self._value.text if self._value is not None else None) or ""

    @property
    def words(self) -> list[str]:
        """The scalars of a list."""
        return [each.text for each in self]

    @property
    def number(self) -> int | None:
        """A whole number, quoted or not."""
        return int(self.text) if re.fullmatch(r"[0-9]{1,9}", self.text) else None

    @property
    def quantity(self) -> float | None:
        """``500m``, ``64Gi``, ``2``."""
        found = _QUANTITY.fullmatch(self.text)
        return float(found[1]) * _UNITS[found[2] or ""] if found else None

    @property
    def is_true(self) -> bool:
        return self.text.lower() == "true"
