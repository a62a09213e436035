"""Values whose name says that they are secret: ``KEY=value``, ``--password x``, ``"token": "x"``."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.harmless import NEGATED, are_headings, is_heading, looks_secret
from slowlink.redact.names import MOST_CHARS, OF_TWO_WORDS, Name, goes_on, is_of_a_setting, kind_of, reading
from slowlink.redact.over_lines.leads import looks_like_lead
from slowlink.redact.over_lines.left import MEMBERS, NOTHING_LEFT, Left
from slowlink.redact.replaced import REPLACED, replaced
from slowlink.redact.setters import takes_pair
from slowlink.redact.spaced_names import begin_of_words, is_entry_of_words
from slowlink.redact.value_ends.braces import braced
from slowlink.redact.value_ends.expressions import end_of_expression, is_condition
from slowlink.redact.value_ends.gaps import GAP, HERE_DOCUMENT, is_said_to_the_end
from slowlink.redact.value_ends.glued import end_in_list, harmless_end
from slowlink.redact.value_ends.literals import redact_literals
from slowlink.redact.value_ends.phrases import end_of_phrase
from slowlink.redact.value_ends.quotes import BARE, BARE_IN_JSON, IN_BRACKETS, end_of_line, quote_at
from slowlink.redact.value_ends.tags import behind_tags

_WORD = regex(
    r"(?i:pass|pw|pswd|secret|token|credential|key|webhook|connection[_.-]?string|auth|psk|pat|creds|dsn|sas|jwt|cookie"
    rf"|salt|pin|community|totp|{'|'.join(f'{first}[_.-]?{second}' for first, second in OF_TWO_WORDS)})[\w.-]{{0,60}}"
)
_SETS = regex(r"(?i:set|with)_?[A-Za-z]")
"""How a method is called that takes a secret; others take the name of one (``getPassword("db")``)."""
_CHANGED = regex(r"[\"']?\s{1,4}(?:->|=>|\u2192)\s{1,4}(?P<quote>[\"'])(?P<value>[^\"'\n]{1,4000})(?P=quote)")
"""What a value becomes, behind what it was: plans of Terraform, differences."""
_FIRST = regex(r"\S{1,400}")
_OPTION = regex(r"[\"']-(?:[A-Za-z]|-[a-z][a-z-]{1,40})[\"']")
"""Behind the name of a program in a list: ``['sshpass', '-p', ...]``."""
_SEVERAL = regex(r"[A-Za-z\d][_.-][A-Za-z]")
_MEMBER = regex(rf"[\"']?\b{MEMBERS}(?P<quote>[\"']?)\s{{0,4}}[:=]\s{{0,4}}")
_LONGEST_MAPPING = 8000
"""So far its value is looked for: many mappings that are never closed may stand on a line."""
_REST = regex(r"\s*\Z")
_AFTER_ARGUMENT = regex(r"[ \t\r\"',\\]*\Z")
_NOTHING_MORE = regex(r"\s*(?:(?P<on>\\)\s*)?\Z")
_WRAPPED = regex(r"(?:[a-z_]{1,40}::){0,4}(?:[A-Z][a-z]{1,20}){1,4}\(\s*\Z")
"""A value in a type of its own, on the next lines (``token: Some(``)."""
_SUFFIX = regex(
    r"\.(?:py|go|rs|cc?|cpp|cxx|cuh?|hh?|hpp|java|kt|rb|[jt]sx?|sh|p[lm]|lua|swift|cs|exs?|jl|scala|erl|php):(?=\d{1,7}(?!\w))"
)
"""Behind a place in the source of a program: ``secret.go:188]``."""
_BLOCK = regex(r"(?:[|>]|&gt;)[+-]?\d?[+-]?\s*(?:#.*)?$")
_LONG_BRACKETS = regex(r"\[\[(?P<value>[^\s\"'\[{]\S{0,400}?)\]\]")
"""A text of Lua."""
_ITEM = regex(
    r"\\{0,3}\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\[\](){},\"'](?:[^\s,\])}]|[\])}](?=[\w!#$%&*+<=>?@^|~]))*|(?P<end>[\])}])"
)
_NAME_OF_PAIR = regex(r"\s{0,4}:")
"""Behind what is no value of the name before the comma, but another name: ``"name": "PASSWORD", "value": ...``."""
_AT_START = regex(r"(?:\[\d{1,6},\d{1,6}\]<\w{1,10}>: ?|[\w.-]{1,64}: )?\s*(?:- )?(?:export )?[\"']?")
_REMARK = regex(r"(?:[a-z]{2,20} ){1,8}\d{1,9}(?: (?:[a-z]{2,20}|\d{1,9})){1,8}(?=[.]?\s*$|\s?[\x1d\"'\\,;<&|])")
_ANOTHER = regex(r"\s[\w.\"'-]{1,60}\s?[=:]\s?\S")
_SENTENCE = regex(r"(?:[A-Za-z]{1,20} ){3,12}[A-Za-z]{1,20}\.(?=\s*$|\s?[\x1d\"'\\,;<&|#])")
"""What passwd(1) says behind its name."""
_ASIDE = regex(r"\([a-z]{1,20}(?: [a-z]{1,20}){1,8}\)")
"""Words in brackets in the place of a value: ``password: (not set)``."""
_QUOTES = ("", '"', "'")
_BEGINS_WORD = ("_", "$", "{")
"""What a word of a program begins with, beside letters; a template's has braces around it."""
_MOST_IN_KEPT = 8
"""So many values of weak names are read in one that stays and has no quotes around it: each may go on to its end."""
_ONE_WORD = regex(r"(?!\[)\S{1,400}\s*$")
_ENTRY = regex(
    r"(?:\"(?P<double>[^\"\n]{4,400})\"|'(?P<single>[^'\n]{4,400})'|(?P<word>[^\s\"']\S{3,400}?)[\"']?);?\s*(?:(?<=[\s;])#.*)?$"
)
_RANDOM = regex(
    r"[\"']?(?:(?=[^\s\"']{0,40}[a-z])(?=[^\s\"']{0,40}[A-Z])(?=[^\s\"']{0,40}\d)[\w+/=!#$%^&*~.?@-]{8,400}|[a-f\d]{32,128})(?![^\s\"',;)\]])"
)
_SMALL = r"[a-z!#$%&()*+;<=>?@\[\]^{|}~]"
_PASSWORD = regex(
    rf"\"(?=[^\"]{{0,40}}{_SMALL})(?=[^\"]{{0,40}}[A-Z])(?=[^\"]{{0,40}}\d)[^\"\s]{{8,400}}\""
    rf"|'(?=[^']{{0,40}}{_SMALL})(?=[^']{{0,40}}[A-Z])(?=[^']{{0,40}}\d)[^'\s]{{8,400}}'"
    rf"|(?!\"[^\"\s]{{0,400}}\"|'[^'\s]{{0,400}}'|\|\S{{0,400}}\|)[\"']?(?=\S{{0,40}}{_SMALL})(?=\S{{0,40}}[A-Z])(?=\S{{0,40}}\d)\S{{8,400}}"
)
"""The same of a password, which any sign may be in; between two bars a cell stands."""


def redact_named(text: str, removed: Counter[str]) -> tuple[str, Left]:
    """One line with the values of secret names replaced, and what goes on in the next."""
    out: list[str] = []
    at = searched = kept = inner = 0
    left = NOTHING_LEFT
    while (word := _WORD.search(text, searched)) is not None:
        searched = max(word.start() + 2, at)
        end = word.end()
        while end > word.start() and text[end - 1] in ".-":
            end -= 1
        gap = GAP.match(text, end)
        if gap is None:
            if _AFTER_ARGUMENT.match(text, end) is not None:
                begin = _begin(text, at, word.start(), end)
                named = _named(text, begin, word.start(), end)
                if text[begin] == "-" and named.surety == "sure":
                    told = ("item",) if text[:begin].rstrip(" \"'")[-1:] == "-" else ()
                    left = Left("argument", named.kind, at=_written(out) + begin - at, told=told)
            searched = max(searched, word.end() if end - word.start() < 4 else searched)
            continue
        begins = _begin(text, at, word.start(), end)
        name = _named(text, begins, word.start(), end)
        if name.surety == "no" or not (
            _fits(text, at, begins, end, gap)
            or _is_random(text, gap.end(), name)
            or _is_entry(text, begins, end, gap, name)
        ):
            continue
        weak = name.surety == "weak" or _is_weak(text, gap) or _heads_lines(text, begins, end, gap)
        inner = inner + weak if word.start() < kept else 0
        if weak and inner > _MOST_IN_KEPT:
            continue
        begin, stop, put, left = _value(text, _Place(at, begins, end, gap.end()), name.kind, weak, removed)
        if left.way:
            begins += len(text[begins:end]) - len(text[begins:end].lstrip("-")) if left.way != "argument" else 0
            left = left._replace(at=_written(out) + begins - at)
        if weak and not left.way and put == text[begin:stop]:
            kept = max(kept, stop if text[begin - 1] not in "\"'`" else 0)
            stop, put = begin, ""  # others may stand in what it holds: ``dsn="host=db password=x"``
        out += [text[at:begin], put]
        at = stop
        if (changed := _CHANGED.match(text, stop)) is not None and not left.way:
            begin, at = changed.span("value")
            out += [text[stop:begin], replaced(changed["value"], name.kind, removed, weak=weak)]
        searched = at
        if left.way:
            break
    out.append(text[at:])
    return "".join(out), left


def _written(out: list[str]) -> int:
    return sum(map(len, out))


class _Place(NamedTuple):
    """Where things of one pair stand: what was read before, the name, its end, the value."""

    floor: int
    name: int
    name_end: int
    value: int


def _value(text: str, place: _Place, kind: str, weak: bool, removed: Counter[str]) -> tuple[int, int, str, Left]:
    """From where to where something is replaced, by what, and what is left open."""
    gap = text[place.name_end : place.value]
    begin = behind_tags(text, place.value) if ":" in gap and "=" not in gap and gap[-1].isspace() else place.value
    sign = text[begin : begin + 1]  # most patterns need a certain one
    is_bare = sign.isspace() or sign in ("", "\\")
    if is_bare and (nothing := _NOTHING_MORE.match(text, begin)) is not None:
        goes_on = nothing["on"] is not None and ("=" in gap or text[place.name] == "-")
        deeper = "deeper" if gap.strip() == "=" else ""
        way = "argument" if goes_on else "next" if ":" in gap or "=>" in gap else deeper
        return begin, begin, "", Left(way, kind, weak=weak, plain=goes_on or _starts_line(text, place))
    may_be_word = sign.isalpha() or sign in _BEGINS_WORD
    if may_be_word and _WRAPPED.match(text, begin) is not None:
        return begin, begin, "", Left("literal", kind, weak=weak, plain=_starts_line(text, place))
    if (
        may_be_word
        and ("=" in gap or ":" in gap)
        and (of_program := redact_literals(text, begin, kind, weak, removed)) is not None
    ):
        return begin, *of_program, NOTHING_LEFT
    if sign in "<$" and (here := HERE_DOCUMENT.match(text, begin)) is not None:
        return begin, len(text), text[begin:], Left("here", kind, quote=here["end"], weak=weak)
    if sign in "|>&" and _BLOCK.match(text, begin) and ":" in gap:
        return begin, len(text), text[begin:], Left("block", kind)
    if sign == "(" and _ASIDE.match(text, begin) is not None:
        return begin, begin, "", NOTHING_LEFT
    if sign == "[" and (of_lua := _LONG_BRACKETS.match(text, begin)) is not None:
        begin, end = of_lua.span("value")
        return begin, end, replaced(text[begin:end], kind, removed, weak=weak), NOTHING_LEFT
    if text[begin] in "[(" and ("=" in gap or ":" in gap):
        put, stop, closed = redact_items(text, begin + 1, kind, weak, removed)
        return begin + 1, stop, put, NOTHING_LEFT if closed else Left("array", kind, weak=weak)
    if text[begin] == "{" and "=" in gap and (place_in := braced(text, place.name, begin)) is not None:
        begin, end = place_in
        return begin, end, replaced(text[begin:end], kind, removed, weak=weak), NOTHING_LEFT
    if text[begin] == "{":
        return _mapping(text, place._replace(value=begin), kind, weak, removed)
    return _scalar(text, place._replace(value=begin), gap, kind, weak, removed)


def _scalar(
    text: str, place: _Place, gap: str, kind: str, weak: bool, removed: Counter[str]
) -> tuple[int, int, str, Left]:
    quote = quote_at(text, place.value)
    if quote is not None:
        if "," in gap and quote.closed and _NAME_OF_PAIR.match(text, quote.end + len(quote.mark)) is not None:
            return quote.begin, quote.begin, "", NOTHING_LEFT
        value = text[quote.begin : quote.end]
        put = replaced(value, kind, removed, weak=weak and not _is_sure(gap, value))
        is_secret = put != value or REPLACED.match(value) is not None or not value.strip()
        goes_on = not quote.closed and quote.can_go_on and (bool(value.strip()) or len(quote.mark) == 3)
        left = Left("quote", kind, quote=quote.mark) if goes_on and is_secret else NOTHING_LEFT
        return quote.begin, quote.end, put, left
    in_json = gap.lstrip("\\")[:1] in ('"', "'") and "," not in gap
    word = IN_BRACKETS if gap.endswith("[") else BARE_IN_JSON if in_json else BARE
    limit = len(text) if word is BARE else _end_of_word(word, text, place.value)
    in_list = end_in_list(text, place.name, (place.value, limit))
    limit = limit if in_list < 0 else in_list
    is_remark = _is_remark(text, place, gap)
    if not is_remark and (end := harmless_end(text, (place.value, limit), kind, weak=weak)) >= 0:
        return place.value, end, text[place.value : end], NOTHING_LEFT
    if "=" in gap and end_of_expression(text, place.value) >= 0:
        return place.value, place.value, "", NOTHING_LEFT  # what stands in for it may follow: ``ENV["X"] || "x"``
    stop = in_list if in_list >= 0 else _end_of_word(word, text, place.value)
    value = text[place.value : stop]
    if is_remark:
        return place.value, stop, value, NOTHING_LEFT
    put = replaced(value, kind, removed, weak=weak and not ("=" in gap and _is_mixed(value)))
    if put == value:
        return place.value, stop, value, NOTHING_LEFT
    if in_json:
        return place.value, stop, f'"{put}"', NOTHING_LEFT  # a number becomes a string: a document stays one
    if not weak and _is_whole_line(text, place, gap, stop):
        comment = text.find(" #", stop)
        stop = comment if comment >= 0 else end_of_line(text, stop)
    elif not weak:
        stop = end_of_phrase(text, place.name, place.value, stop)
    return place.value, stop, put, NOTHING_LEFT


def _end_of_word(word: re.Pattern[str], text: str, begin: int) -> int:
    match = word.match(text, begin)
    return match.end() if match is not None else begin


def _mapping(text: str, place: _Place, kind: str, weak: bool, removed: Counter[str]) -> tuple[int, int, str, Left]:
    """What says more of a secret than its value: ``"password": {"value": ..., "sensitive": true}``."""
    if _REST.match(text, place.value + 1) is not None:
        return place.value, place.value, "", Left("mapping", kind, weak=weak, plain=_starts_line(text, place))
    farthest = place.value + _LONGEST_MAPPING
    close = text.find("}", place.value, farthest)
    member = _MEMBER.search(text, place.value, close if close >= 0 else farthest)
    if member is None:
        return place.value, place.value, "", NOTHING_LEFT
    gap = member["quote"] + ":"
    return _scalar(text, place._replace(value=member.end()), gap, kind, weak, removed)


def redact_items(text: str, at: int, kind: str, weak: bool, removed: Counter[str]) -> tuple[str, int, bool]:
    """The items of a list up to its bracket: what is put there, where it ends, and whether the bracket was there."""
    out: list[str] = []
    start = at
    while (item := _ITEM.search(text, at)) is not None:
        out.append(text[at : item.start()])
        if item["end"]:
            return "".join(out), item.start(), True
        word = item[0]
        mark = word[: len(word) - len(word.lstrip("\\\"'"))]
        value = word[len(mark) :].rstrip("\"'").rstrip("\\") if mark else word
        tail = word[len(mark) + len(value) :]
        out.append(mark + replaced(value, kind, removed, weak=weak) + tail)
        at = item.end()
    out.append(text[at:])
    return "".join(out), max(start, len(text)), False


def _named(text: str, begin: int, core: int, end: int) -> Name:
    return reading(text[min(begin, core) : end].lstrip("-"))


def _begin(text: str, floor: int, core: int, end: int) -> int:
    """Where the word begins that ends at ``end`` and holds what is between it and ``core``."""
    lowest = max(floor, end - MOST_CHARS)
    begin = max(core, lowest)
    while begin > lowest and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    if begin and text[begin - 1] == "\\" and text[begin : begin + 1] in ("n", "r", "t") and begin < end - 1:
        begin += 1  # an escaped line end is no letter of the name
    return begin_of_words(text, floor, begin, end)


def _fits(text: str, floor: int, begin: int, end: int, gap: re.Match[str]) -> bool:
    """Can this gap be between a name and its value? A blank only after an option, or where a command takes a pair;
    dots only where the name stands alone before them: progress is shown so, too (``Reading api_key ... done``)."""
    if " " in text[begin:end] and not is_entry_of_words(text, begin, end, gap.end()):
        return False
    if gap[0] == ":" and _SUFFIX.match(text, text.rfind(".", begin, end)) is not None:
        return False
    if gap[0].strip() == "::" and text[begin - 1 : begin] == ":":
        return False  # a place in the source of a program
    if gap[0].strip() == ":" and is_condition(text, begin, gap.end()):
        return False
    if gap["of"] is not None and kind_of(text[begin:end]) != "password":
        return False
    if gap["leader"] is not None:
        return text[begin - 1 : begin] in _QUOTES or looks_like_lead(text, begin)
    if gap["comma"] is not None and (_OPTION.match(text, gap.end()) is not None or are_headings(text)):
        return False
    if gap["tuple"] is not None:
        return text[begin - 1 : begin] in ("{", "(") and begin > 0
    if gap["call"] is not None:
        return gap["call"] == "{" or _SETS.match(text, text.rfind(".", begin, end) + 1 or begin) is not None
    if gap["blank"] is None:
        return "=" in gap[0] or text[begin - 1 : begin] != "$"  # "$PWD:/x" is the variable, and no name
    if begin == 0 and text[0] == "-" != text[1:2]:  # an option, or what diff says was taken out
        value = _FIRST.match(text, gap.end())
        return value is None or not is_heading(value[0])
    return text[begin] == "-" or takes_pair(text, floor, begin, gap.end())


def _is_weak(text: str, gap: re.Match[str]) -> bool:
    """May this gap stand in a sentence, too?"""
    if gap["leader"] is not None:
        return _ONE_WORD.match(text, gap.end()) is None
    return (
        (gap["said"] is not None and not is_said_to_the_end(gap, text))
        or gap["of"] is not None
        or gap["asked"] is not None
        or gap["other"] == "or"
        or gap["bracket"] is not None
        or (gap["blank"] is not None and text[0] == "-")
    )


def _heads_lines(text: str, begin: int, end: int, gap: re.Match[str]) -> bool:
    """Is this a name of several words at its line's end? Titles are written so, too."""
    return " " in text[begin:end] and _NOTHING_MORE.match(text, gap.end()) is not None


def _is_random(text: str, start: int, name: Name) -> bool:
    """Is the word after a sure name and a blank so random that no sentence holds it?"""
    if name.surety != "sure":
        return False
    is_password = name.kind in ("password", "secret") and _PASSWORD.match(text, start) is not None
    return is_password or _RANDOM.match(text, start) is not None


def _is_entry(text: str, begin: int, end: int, gap: re.Match[str], name: Name) -> bool:
    """Is this a line of a configuration file: a name that no sentence holds alone before a blank, one word behind it
    that is mixed as a secret is, and no more?"""
    several = _SEVERAL.search(text, begin, end) is not None
    if gap["blank"] is None or not (several or is_of_a_setting(text[begin:end])) or not looks_like_lead(text, begin):
        return False
    entry = _ENTRY.match(text, gap.end())
    if entry is None:
        return False
    word = entry[entry.lastgroup or "word"]
    if name.surety == "weak" or (not entry["word"] and name.kind != "password"):
        return _RANDOM.match(word) is not None or _PASSWORD.match(word) is not None
    if name.kind == "password":
        return is_of_a_setting(text[begin:end]) or word.isdecimal() or looks_secret(word)
    return ("_" in text[begin:end] or not several) and len(word) > 7 and looks_secret(word) and not is_heading(word)


def _starts_line(text: str, place: _Place) -> bool:
    match = _AT_START.match(text)
    return match is not None and match.end() >= place.name


def _is_whole_line(text: str, place: _Place, gap: str, stop: int) -> bool:
    """Is this an entry of YAML or INI, whose value goes to the line's end, blanks and all?"""
    if not (gap.endswith(" ") and ((":" in gap and "=" not in gap) or gap.startswith(" "))):
        return False
    return _starts_line(text, place) and _ANOTHER.search(text, stop) is None


def _is_remark(text: str, place: _Place, gap: str) -> bool:
    """Is this a sentence with a number, of what is called after a secret (``secret_sauce: skipped 3 of 8 ranks``), or
    one that says that there is none (``token: not found``)?"""
    if NEGATED.match(text, place.value) is not None:
        return True
    if gap == ": " and text[place.name : place.name_end].lstrip("-") == "passwd":
        return _SENTENCE.match(text, place.value) is not None
    called = gap.endswith(": ") and goes_on(text[place.name : place.name_end])
    return called and _REMARK.match(text, place.value) is not None


def _is_sure(gap: str, value: str) -> bool:
    """A quoted value of a weak name in a document, long enough to be one."""
    return ("=" in gap or ":" in gap) and len(value) > 7 and " " not in value


def _is_mixed(value: str) -> bool:
    """Is it a word of capitals and small letters or digits, as no setting of a weak name is?"""
    return len(value) > 5 and value.isalnum() and not value.isdecimal() and not value.islower()
