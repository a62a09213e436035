"""Letters that a writer of JSON wrote as numbers (``\\u004e``) although nothing asks for it.

A parser of JSON reads them; a text that is searched for words does not know them. What must be escaped in a string of
JSON stays: quotes, backslashes and control characters.
"""

from __future__ import annotations

import re

BEGUN = re.compile(rb"\\+(?:u(?:0(?:0[0-7]?)?)?)?\Z")
"""What the next piece may complete."""
_LETTER = re.compile(rb"(?<!\\)((?:\\\\){0,64})\\u00(?!22|5[cC]|7[fF])([2-7][0-9a-fA-F])")
_LINE_END, _AS_LINE_END = re.compile(rb"(?<!\\)((?:\\\\){0,64})\\u000[aA]"), rb"\1\\n"


def with_letters(text: bytes) -> bytes:
    """``text`` with printable characters of ASCII as they are, and ends of lines as ``\\n``."""
    if b"\\" not in text or b"\\u00" not in text:
        return text
    letters = _LETTER.sub(lambda found: found[1] + bytes((int(found[2], 16),)), text)
    return _LINE_END.sub(_AS_LINE_END, letters)
