"""What words claim of the failures that they surround: the patterns of ``claims.toml``."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table


class Claims(Struct, frozen=True):
    """Patterns about text in lower case: of one sentence, or of a heading."""

    person: re.Pattern[str]
    time: re.Pattern[str]
    over: re.Pattern[str]
    yet: re.Pattern[str]
    describes: re.Pattern[str]
    heading_now: re.Pattern[str]
    heading_over: re.Pattern[str]
    heading_describes: re.Pattern[str]
    columns: re.Pattern[str]
    """Headings of a table that says what to do about what."""


@cache
def claims() -> Claims:
    """All patterns, compiled."""
    entries = table("words/claims.toml")
    now, over, headings = entries["now"], entries["over"], entries["headings"]
    return Claims(
        person=_pattern(now["person"]),
        time=_pattern(now["time"]),
        over=_pattern(over["words"]),
        yet=_pattern(over["yet"]),
        describes=_pattern(entries["describes"]["words"]),
        heading_now=_pattern(headings["now"]),
        heading_over=_pattern(headings["over"]),
        heading_describes=_pattern(headings["describes"]),
        columns=_pattern(headings["columns"]),
    )


def _pattern(text: str) -> re.Pattern[str]:
    """Alternatives stand on lines of their own."""
    return re.compile(text.replace("\n", ""))
