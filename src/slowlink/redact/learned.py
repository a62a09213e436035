"""Values that the user gave to a run by name (``--env FOO=x``) and that are not on the allow-list."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.redact.environments.allowed import is_allowed
from slowlink.redact.replaced import replace_with

_SHORTEST = 6
_PLAIN = re.compile(r"(?:[\d.,:_-]+|[a-z]+|[A-Z]+|/.*|.*://.*|\$.*)", re.DOTALL)
"""Values that mean other things elsewhere, too: numbers, words, paths, addresses."""


class Learned:
    """What one bundle has learned; every stream of it asks."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self.marks: tuple[str, ...] = ()
        """In small letters: a line that holds none of these holds nothing that was learned."""

    def learn(self, name: str, value: str) -> None:
        """Where ``name`` stands with this value, the value is hidden; a value that is no plain word, everywhere."""
        if is_allowed(name) or not value or self._values.get(name) == value:
            return
        self._values[name] = value
        alternatives = []
        for known, text in sorted(self._values.items(), key=lambda item: -len(item[1])):
            for line in text.splitlines():
                if len(line) >= _SHORTEST and _PLAIN.fullmatch(line) is None:
                    alternatives.append(re.escape(line))
            alternatives.append(rf"(?<=\b{re.escape(known)}=){re.escape(text)}(?![\w])")
            alternatives.append(rf"(?<=[\"']{re.escape(known)}[\"']: [\"']){re.escape(text)}(?=[\"'])")
        self._pattern = re.compile("|".join(alternatives))
        self.marks = tuple(
            {mark.lower() for pair in self._values.items() for mark in (pair[0], *pair[1].splitlines()) if mark}
        )

    def redact(self, text: str, removed: Counter[str]) -> str:
        """One line without these values."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda _: replace_with("environment", removed), text)
