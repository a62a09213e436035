"""What is known of a text from what stands around it."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.forms.lines import Prefix


class Around(NamedTuple):
    """What is known of a line from outside its text."""

    stream: str = ""
    host: str | None = None
    stamp: str | None = None
    torn: bool = False


NOTHING_AROUND = Around()


def around_behind(text: str, prefix: Prefix) -> Around:
    """What the prefix of ``text`` says of all that stands behind it."""
    return Around(
        prefix.stream_of(text),
        text[prefix.host] if prefix.host else None,
        text[prefix.stamp] if prefix.stamp else None,
    )
