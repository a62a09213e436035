"""What tools printed, where a program put it into a string: in a JSON value (Ansible, AWS Systems Manager, agents of
all kinds), or in one line with ``\\n`` for its line ends (what Python prints of a finished process)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from slowlink.parsers.forms.interface import DocumentParser
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import HOST_TAG
from slowlink.parsers.reading.records.collected import host_in, lines_by_host
from slowlink.patterns import regex

_OF_TEXT = regex(
    r"(?i)std_?(?:out|err)|output|lines?$|logs?$|msg|message|content|text|body|response|result|details|data"
)
"""Keys below which a program puts what another one printed."""
_PRINTED = ("stdout", "stdout_lines", "output", "out")
"""Keys below which stands what the command beside them printed."""
_LONGEST_COMMAND = 500
_DEEPEST = 12
_LEAST_LINES, _FEWEST_LINES = 2, 5
_QUOTED_END = regex(r"\\r\\n|\\n")
_OPENING_QUOTE = regex(r".{0,2000}[=:(\[,]\s?b?['\"]")
_TABS = re.compile(r"\\t")


class Told(NamedTuple):
    """The text of a tool, and the node that the value around it names."""

    text: str
    host: str | None


def told_in(value: object) -> Iterator[Told]:
    """Texts of several lines in a JSON value, and JSON values in its strings."""
    return _walk(value, None, _DEEPEST)


def _walk(value: object, host: str | None, deep: int) -> Iterator[Told]:
    if isinstance(value, dict):
        for key, inner in value.items():
            text = _text_of(inner) if _is_of_text(key) else _lines_of(inner)
            if text is not None:
                command = _command_in(value) if key in _PRINTED else ""
                yield Told(command + text, host_in(value, 0) or host)
            elif deep and isinstance(inner, dict | list):
                yield from _walk(inner, key if _is_host(key) else host_in(value, 1) or host, deep - 1)
    elif isinstance(value, list) and deep:
        inside = [told for one in value if isinstance(one, dict | list) for told in _walk(one, host, deep - 1)]
        records = [Told("\n".join(lines), place) for place, lines in lines_by_host(value, host)]
        # A record may hold more than its line: the whole output of a tool.
        if records and all(any(told.text in record.text for record in records) for told in inside):
            yield from records
        else:
            yield from inside


def _command_in(value: dict[str, object]) -> str:
    """The command beside what it printed, as a shell would show it in the line above; "" where there is none."""
    for key in ("cmd", "command", "argv"):
        words = value.get(key)
        if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
            words = shlex.join(words)
        if isinstance(words, str) and 0 < len(words) <= _LONGEST_COMMAND and words.isprintable():
            return f"$ {words}\n"
    return ""


def _text_of(value: object) -> str | None:
    """A string of several lines or with a JSON value, or a list of lines."""
    if isinstance(value, str):
        is_text = "\n" in value.rstrip() or (value.startswith(("{", "[")) and opens_block(value))
        return value if is_text else None
    if isinstance(value, list) and len(value) >= _LEAST_LINES and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return None


def _lines_of(value: object) -> str | None:
    """A list of lines below a key of any name: several, and most of several words."""
    text = _text_of(value) if isinstance(value, list) and len(value) >= _FEWEST_LINES else None
    if text is None:
        return None
    lines = text.split("\n")
    return text if 2 * sum(len(line.split()) > 1 for line in lines) >= len(lines) else None


@lru_cache(maxsize=4096)
def _is_of_text(key: str) -> bool:
    return _OF_TEXT.search(key) is not None


@lru_cache(maxsize=4096)
def _is_host(key: str) -> bool:
    return HOST_TAG.match(f"{key}: ") is not None


def quoted_lines(line: str) -> list[str]:
    """The lines of what ``line`` quotes with ``\\n`` for its line ends, and what stands before it; none where it quotes
    no text of several lines."""
    if "\\n" not in line:
        return []
    lines = _QUOTED_END.split(line)
    if len(lines) <= _LEAST_LINES:
        return []
    before = _OPENING_QUOTE.match(lines[0])
    first = [lines[0][: before.end()], lines[0][before.end() :]] if before else [lines[0]]
    return [_TABS.sub("\t", each).rstrip() for each in (*first, *lines[1:])]


def texts_in(parser: type[DocumentParser], value: object) -> Iterable[str]:
    """What tools printed, as strings of a JSON value: it is read as if it stood alone."""
    texts: Callable[[object], Iterable[str]] | None = getattr(parser, "texts", None)
    return texts(value) if texts is not None else ()
