"""YAML (and JSON, which YAML holds) as a tree that knows its lines. Nothing is constructed from tags, aliases stay
references, and depth and size are bounded: the manifest may be a stranger's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slowlink.errors import SlowlinkError

MOST_BYTES = 8 << 20
_MOST_NODES = 400_000
_MOST_DEPTH = 100
_MERGE = "<<"


class Value:
    """One node: a scalar (``text``), a mapping (``entries``) or a list (``elements``)."""

    __slots__ = ("elements", "entries", "is_plain", "line", "text")

    def __init__(self, line: int) -> None:
        self.line = line
        """Where it begins; 1-based."""
        self.text: str | None = None
        self.is_plain = False
        """Without quotes: ``8`` is a number, ``"8"`` is none."""
        self.entries: dict[str, tuple[int, Value]] | None = None
        """Key -> (line of the key, value)."""
        self.elements: list[Value] | None = None


def documents(text: str, name: str) -> list[Value]:
    """The documents of ``text``. Raises SlowlinkError (``not-yaml``) for what is none, or is too large."""
    import yaml

    if len(text) > MOST_BYTES:
        raise SlowlinkError(
            f"{name} is larger than {MOST_BYTES >> 20} MiB", hint="give the one object", slug="not-yaml"
        )
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(_documents(yaml.parse(text, Loader=loader), name))
    except (yaml.YAMLError, UnicodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark is not None else name
        raise SlowlinkError(
            f"{where}: this is no YAML: {getattr(error, 'problem', None) or getattr(error, 'reason', 'unreadable')}",
            hint="templates must be filled in first: helm template ... | slowlink manifest --lint -",
            slug="not-yaml",
        ) from error


def _documents(events: Iterator[Any], name: str) -> Iterator[Value]:
    """Without recursion: a stranger's nesting must not be our stack's."""
    anchors: dict[str, Value] = {}
    stack: list[_Open] = []
    count = 0
    for event in events:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            anchors = {}
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            done = stack.pop()
            count += done.close()
            yield from _placed(stack, done.value)
        elif kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            made = Value(event.start_mark.line + 1)
            if event.anchor:
                anchors[event.anchor] = made
            if kind == "ScalarEvent":
                made.text, made.is_plain = event.value, event.style is None and not event.tag
                yield from _placed(stack, made)
            else:
                if kind == "MappingStartEvent":
                    made.entries = {}
                else:
                    made.elements = []
                stack.append(_Open(made))
        elif kind == "AliasEvent":
            # An anchor that is still open would make a circle.
            known = anchors.get(event.anchor)
            is_open = any(each.value is known for each in stack)
            yield from _placed(stack, Value(event.start_mark.line + 1) if known is None or is_open else known)
        count += 1
        if count > _MOST_NODES or len(stack) > _MOST_DEPTH:
            raise SlowlinkError(
                f"{name} holds more than {_MOST_NODES:,} values, or more than {_MOST_DEPTH} one inside another",
                hint="give the one object",
                slug="not-yaml",
            )


class _Open:
    """A mapping or list that is being read."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self._key: Value | None = None
        self._merged: list[Value] = []

    def take(self, value: Value) -> None:
        if self.value.elements is not None:
            self.value.elements.append(value)
        elif self._key is None:
            self._key = value
        else:
            entries = self.value.entries
            assert entries is not None
            if self._key.text == _MERGE:
                self._merged += [value, *(value.elements or ())]
            elif self._key.text is not None:
                entries[self._key.text] = (self._key.line, value)
            self._key = None

    def close(self) -> int:
        """Keys that are merged in; how many these are."""
        entries = self.value.entries
        if entries is None:
            return 0
        before = len(entries)
        for other in self._merged:
            for key, entry in (other.entries or {}).items():
                entries.setdefault(key, entry)
        return len(entries) - before


def _placed(stack: list[_Open], value: Value) -> Iterator[Value]:
    """Into what is open; a document where nothing is."""
    if stack:
        stack[-1].take(value)
    else:
        yield value
