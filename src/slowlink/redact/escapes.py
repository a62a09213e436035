"""Text that was escaped to stand in another: JSON in a string of JSON, an address in an address, a cell of a table.

Names and values look different there, and a letter of an escape (``%3D``, ``\\n``) is no letter of a word. So such a
part is read as what it stands for, and what is kept of it is put back as it was written.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import quote, unquote

from slowlink.patterns import regex

_PRINTABLE = "".join(chr(code) for code in range(33, 127) if chr(code) != "%")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_TAKEN_OUT = regex(r"(<redacted:[a-z-]{1,30}>)")


def _of_string(written: str) -> str:
    """The character that a backslash and what follows it stand for."""
    if written[1:2] in ("u", "x") and len(written) > 2:
        code = int(written[2:], 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)  # half of a character says nothing
    return _LETTERS.get(written[1:], written[-1])


class Escaping(NamedTuple):
    """One way to escape."""

    mark: str
    """Stands in each text that is escaped so."""
    part: re.Pattern[str]
    """What may be escaped in a line; it never fails once it has begun, so it is linear. It steps from escape to escape:
    the engine remembers each step, in a hundred bytes."""
    escape: re.Pattern[str]
    """What stands for one character."""
    character: Callable[[str], str]
    """That character."""
    written: Callable[[str], str]
    """A text, escaped: for what was put there anew."""

    def plain(self, written: str) -> str:
        """The character that was written so."""
        return written if len(written) == 1 else self.character(written)


def _in_shell(quoted: str) -> Escaping:
    """A quote in a word that stands in quotes, as ``set -x`` or Python's shlex put it."""
    return Escaping(
        quoted,
        regex(rf"'(?P<inside>[^']*(?:{re.escape(quoted)}[^']*)*)"),
        regex(re.escape(quoted)),
        lambda _: "'",
        lambda text: text.replace("'", quoted),
    )


IN_STRINGS = Escaping(  # RFC 8259; most languages write strings so
    "\\",
    regex(r"\"(?P<inside>[^\"\\]*(?:\\.[^\"\\]*)*)"),
    regex(r"\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[\"'\\/bfnrt$`])"),
    _of_string,
    lambda text: json.dumps(text)[1:-1],
)
ESCAPINGS = (
    IN_STRINGS,
    IN_STRINGS._replace(part=regex(r"(?<![A-Za-z\d])[bBuU]?'(?P<inside>[^'\\]*(?:\\.[^'\\]*)*)")),  # Python's repr
    Escaping(  # RFC 3986
        "%",
        regex(r"(?P<inside>[^\s\"'<>]+)"),
        regex(
            r"%(?:[0-7][\dA-Fa-f]|[CDcd][\dA-Fa-f]%[89ABab][\dA-Fa-f]|[Ee][\dA-Fa-f](?:%[89ABab][\dA-Fa-f]){2}"
            r"|[Ff][0-4](?:%[89ABab][\dA-Fa-f]){3})"
        ),
        lambda written: unquote(written)[:1],
        lambda text: quote(text, safe=_PRINTABLE),
    ),
    Escaping(  # pages and XML
        "&",
        regex(r"(?P<inside>.+)"),
        regex(r"&(?:lt|gt|quot|amp|apos|#3[49]|#x2[27]);"),
        html.unescape,
        html.escape,
    ),
    Escaping(  # RFC 4180
        '""',
        regex(r"\"(?P<inside>[^\"]*(?:\"\"[^\"]*)*)"),
        regex(r"\"\""),
        lambda _: '"',
        lambda text: text.replace('"', '""'),
    ),
    _in_shell("'\\''"),
    _in_shell("'\"'\"'"),
    Escaping(  # rsyslogd: parser.escapeControlCharactersOnReceive
        "#0",
        regex(r"(?P<inside>.+)"),
        regex(r"#0(?:1[125]|33)"),
        lambda written: chr(int(written[1:], 8)),
        lambda text: text.replace("\n", "#012"),
    ),
)


_ENDS = {"#011": "\x1c", "#012": "\x1d", "#015": "\x1e"}
"""rsyslogd's tabs and ends of lines, and a blank for each that texts do not have."""


def holds_ends(text: str) -> bool:
    """Did rsyslogd write several lines as this one?"""
    return "#01" in text and not any(blank in text for blank in _ENDS.values())


def ends_as_blanks(text: str) -> str:
    """A line with blanks where rsyslogd wrote ends of lines: no word goes on over one."""
    for written, blank in _ENDS.items():
        text = text.replace(written, blank)
    return text


def ends_as_written(text: str) -> str:
    """That line as rsyslogd wrote it."""
    for written, blank in _ENDS.items():
        text = text.replace(blank, written)
    return text


def redact_escaped(text: str, redact: Callable[[str], str]) -> str:
    """One line in which ``redact`` took the secrets out of what its escaped parts stand for."""
    for escaping in ESCAPINGS:
        if escaping.mark in text and escaping.escape.search(text) is not None:
            text = _parts(text, escaping, redact)
    return text


def _parts(text: str, escaping: Escaping, redact: Callable[[str], str]) -> str:
    out: list[str] = []
    at = 0
    for part in escaping.part.finditer(text):
        inside = part["inside"]
        if escaping.mark not in inside:
            continue
        written = characters(inside, escaping.escape)
        plain = "".join(map(escaping.plain, written))
        clean = redact(plain) if len(plain) < len(inside) else plain
        if clean != plain:
            begin, end = part.span("inside")
            out += [text[at:begin], as_written(clean, plain, written, escaping)]
            at = end
    return "".join((*out, text[at:]))


def characters(text: str, escape: re.Pattern[str]) -> list[str]:
    """Each character of ``text`` as it is written."""
    out: list[str] = []
    at = 0
    for found in escape.finditer(text):
        out += text[at : found.start()]
        out.append(found[0])
        at = found.end()
    out += text[at:]
    return out


def as_written(clean: str, plain: str, written: list[str], escaping: Escaping) -> str:
    """``clean`` as it was written: each text between two that were taken out is one of ``plain``, further on."""
    places = [0, *accumulate(map(len, written))]
    whole = "".join(written)
    out: list[str] = []
    at = 0
    for number, text in enumerate(_TAKEN_OUT.split(clean)):
        if number % 2:
            out.append(text)
            continue
        found = plain.find(text, at) if at >= 0 else -1
        out.append(whole[places[found] : places[found + len(text)]] if found >= 0 else escaping.written(text))
        at = found + len(text) if found >= 0 else -1
    return "".join(out)
