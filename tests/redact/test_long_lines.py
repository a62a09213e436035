"""A long line costs what it holds: nothing reads the rest of it anew for each name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from slowlink.redact.values import redact_named


class Line(str):
    """Counts the characters that are copied out of it."""

    __slots__ = ("copied",)
    copied: int

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.copied = getattr(self, "copied", 0) + len(part)
        return part


@pytest.mark.parametrize(
    "part", ['password="a" -> ', "token=17 ", "the token; ", "password= x ", "--token ", "secret-. "]
)
def test_no_name_copies_the_rest_of_the_line(part: str) -> None:
    line = Line(part * 400)
    redact_named(line, Counter())
    assert line.copied < 30 * len(line)
