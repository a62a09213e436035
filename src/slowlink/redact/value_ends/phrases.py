"""Values with blanks in them, where something other than a blank ends them: a cell, a mapping of YAML on one line, a
null byte, the line."""

from __future__ import annotations

import re

from slowlink.patterns import regex
from slowlink.redact.harmless import NEGATED, looks_secret

_LONGEST = 4000
_TO_NULL = regex(rf"[^\0\n]{{0,{_LONGEST}}}(?=\0)")
_TO_QUOTE = {quote: regex(rf"[^{quote}\\\n]{{0,{_LONGEST}}}?(?=\s-{{1,2}}[A-Za-z]|{quote})") for quote in ('"', "'")}
"""An option and its value in one pair of quotes, as lists of arguments are printed."""
_IN_FLOW = regex(rf"[^,{{}}\[\]\"'`\n]{{0,{_LONGEST}}}(?<!\s)(?=\s{{0,4}}[,}}])")
_LONGEST_FLOW = 400
"""So far before a value the brace of its mapping is looked for."""
_ENV = regex(r"(?<![\w-])ENV\s{1,4}\Z")
"""A Dockerfile's ``ENV NAME value`` takes all that follows the name."""
_TO_END = regex(rf"[^\"\\\n]{{0,{_LONGEST}}}(?<!\s)")
_COMMENT = regex(r"\s#")
_MIXED = regex(r"(?=[^A-Za-z]{0,40}[A-Za-z])(?=[^\d]{0,40}\d)")
_SHORTEST_MIXED = 5
_MARKS = ("**", "*", "`", '"', "'")
_FEWEST_WORDS, _MOST_WORDS = 2, 12


def end_of_phrase(text: str, name: int, value: int, stop: int) -> int:
    """Where a bare value really ends, of which the first word ends at ``stop``: there, too, where nothing but a blank
    is known to end it. ``name``: where its name begins."""
    match: re.Match[str] | None = None
    if text[value - 1] == "\0" or (name and text[name - 1] == "\0"):
        match = _TO_NULL.match(text, stop)
    elif name and text[name - 1] in "\"'" and text[name] == "-" and "=" in text[name:value]:
        match = _TO_QUOTE[text[name - 1]].match(text, stop)
    elif _ENV.search(text, max(0, name - 10), name) is not None:
        match = _TO_END.match(text, stop)
    elif text[value - 1].isspace() and ":" in text[name:value] and text[stop - 1] not in ",}":
        before = max(0, value - _LONGEST_FLOW)
        if text.rfind("{", before, value) > text.rfind("}", before, value):
            match = _IN_FLOW.match(text, stop)
    return stop if match is None else match.end()


def end_of_scalar(text: str, stop: int) -> int:
    """Where a plain scalar of YAML ends that has the rest of its line, of which the first word ends at ``stop``."""
    comment = _COMMENT.search(text, stop)
    return stop + len(text[stop : len(text) if comment is None else comment.start()].rstrip())


def phrase_in(cell: str) -> tuple[int, int]:
    """Where the words of a cell stand, without what is written around them."""
    bare = cell.strip()
    begin = cell.find(bare)
    end = begin + len(bare)
    for mark in _MARKS:
        if len(bare) > 2 * len(mark) and bare.startswith(mark) and bare.endswith(mark):
            return begin + len(mark), end - len(mark)
    return begin, end


def is_phrase(words: str, name: str, *, headed: bool = False, bare: bool = False) -> bool:
    """May several words be the password of this name? One of them is mixed; a phrase is so as a whole, and below its
    heading (``headed``) whatever it is. ``bare``: they may be a part of a sentence, between its commas."""
    several = words.split()
    if not _FEWEST_WORDS <= len(several) <= _MOST_WORDS or "<redacted:" in words or NEGATED.match(words) is not None:
        return False
    if len(several[0]) == 1 and not several[0].isalnum():  # of a remark or a list
        return False
    if "phrase" in name.lower():
        return (headed and not bare) or looks_secret(words)
    return not bare and any(len(word) >= _SHORTEST_MIXED and _MIXED.match(word) is not None for word in several)
