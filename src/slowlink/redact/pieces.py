"""Where a line that is too long for one piece is cut."""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name

LONGEST_LINE_CHARS = 1 << 20
"""A longer line is taken in pieces of at most this length, cut after a blank or a comma near its end."""
_PLACE = regex(r"(?<![:=\s,])[ ,]")
_LONGEST_MARK = 41
_CUT_MARK = regex("<(?:" + "|".join("redacted:"[:end] for end in range(9)) + r"|redacted:[a-z-]{0,30})\Z")
"""The beginning of what stands in the place of a secret. A cut in it would be a secret again, and grow each time that
its piece is read."""


def end_of_piece(text: str, longest: int = LONGEST_LINE_CHARS) -> int | None:
    """How long the first piece of ``text`` is: a line with its end, or what is cut from one that is too long.

    None when more text is needed to say it. The answer depends on nothing that follows the piece but the beginning of
    what stands in the place of a secret, so that the same pieces are found in a text that was put together from them.
    """
    line_end = text.find("\n", 0, longest)
    searched_from = longest - longest // 64
    if 0 <= line_end < searched_from:
        return line_end + 1
    searched_to = line_end if line_end >= 0 else min(longest, len(text))
    for place in _PLACE.finditer(text, searched_from, searched_to):
        if not is_secret_name(text[max(0, place.start() - 200) : place.start()].rstrip("\"'")):
            return place.end()
    if line_end >= 0:
        return line_end + 1
    if len(text) < longest:
        return None
    mark = _CUT_MARK.search(text, max(1, longest - _LONGEST_MARK), longest)
    return longest if mark is None else mark.start()
