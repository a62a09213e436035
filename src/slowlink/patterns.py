"""Regular expressions that are compiled when they are first needed.

A log needs few of the hundreds of patterns that its readers know, and to compile them all takes longer than to read a
small log.
"""

from __future__ import annotations

import re
from typing import cast


class _Pattern:
    """Stands for a compiled pattern; its first use replaces each method by the real one's."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        value = getattr(self._compiled, name)
        self.__dict__[name] = value
        return value


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, later: an error in ``text`` shows at the first use. Not for ``re.sub`` and its like, which
    want a pattern of their own."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
