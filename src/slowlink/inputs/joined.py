"""Lines that somebody joined into one: their ends are there, written in another way.

rsyslogd writes control characters as ``#`` and three octal digits, XML writes ends of lines as ``&#10;``, and pages and
messengers as ``<br>``::

    Nov  3 04:05:06 gpu17 dmesg[77]: [    7.1] usb 1-1: reset#012[    7.2] usb 1-1: reset

What is joined so is taken apart where the lines are read, by a carriage return: they keep their number. In JSON the
strings are taken apart when they are read, not before.

Source: rsyslog ``runtime/parser.c`` (``escapecontrolcharactersonreceive``), XML 1.0, 4.1.
"""

from __future__ import annotations

import re

from slowlink.visible import visible

_END = (
    rb"(?<![\s(\[])(?:#015)?#012|#012(?=[^\s\d])"  # not the twelfth of something
    rb"|(?:&#(?:13|x[dD]|013);)?&#(?:10|x[aA]|010);"
)
_MARKS = ((b"#012", (b"#012",)), (b"&#", (b"&#10;", b"&#xA;", b"&#xa;", b"&#010;")), (b"<", (b"<br", b"<BR")))
"""What stands in all marks of a kind, and these."""
_JOIN = re.compile(_END)
_JOIN_OR_BREAK = re.compile(_END + rb"|<[bB][rR] ?/?>")
_BREAKS = re.compile(rb"<[bB][rR] ?/?>")
_INSTEAD = b"\r"
_LEAST_BREAKS = 2
"""One may stand in a cell of a table; a text of several lines has more."""
BEGUN = re.compile(rb"(?:#0?1?5?|&(?:#(?:x[aAdD]?|0?1?[03]?)?)?|<[bB]?[rR]? ?/?)\Z")
"""What the next piece may complete."""


def lines_in(text: str) -> list[str]:
    """The lines of a string as somebody sees them: those that are joined so, too."""
    text = visible(text)
    if "#" in text or "<" in text:
        text = apart(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    return text.splitlines()


def apart(text: bytes) -> bytes:
    """``text`` with a carriage return for each end of a line that is written in another way."""
    # To look for one byte costs a tenth of a search for a word.
    if (b"#" in text or b"<" in text) and any(mark in text for sign, marks in _MARKS if sign in text for mark in marks):
        return b"\n".join(_line_apart(line) if b"#" in line or b"<" in line else line for line in text.split(b"\n"))
    return text


def _line_apart(line: bytes) -> bytes:
    if b'{"' in line or line.lstrip()[:1] in (b"{", b"["):
        return line
    ends = _JOIN_OR_BREAK if len(_BREAKS.findall(line)) >= _LEAST_BREAKS and line[:1] != b"|" else _JOIN
    apart = ends.sub(_INSTEAD, line)
    return apart.replace(b"#011", b"\t") if b"#012" in line else apart
