"""Leads that no list knows: what a collector of logs, a viewer or a person put before every line.

A few places of a part are looked at, several lines at each. Where nobody wants these lines as they stand, and behind
something that all of them begin with parsers want them, that is the lead: words that are the same in all lines, and
numbers (stamps, the number of the line). Several lines must agree, so that no word of a sentence is taken for one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from os.path import commonprefix

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import LineParser, Use
from slowlink.parsers.forms.json_blocks import Block, find_block, log_text, opens_block
from slowlink.parsers.forms.lines import Dialect, Frame, compiled, find_prefix, form_of, shape_of
from slowlink.parsers.reading.line_interest import asked_of
from slowlink.parsers.reading.plain_lines import lines_of

_PLACES = 64
"""So many are looked at in a part."""
_TOGETHER = 8
"""Lines that are looked at together."""
_FEWEST = 5
"""So many of them must not be blank; half of these must be wanted behind the lead, and not before."""
_ASKED_FIRST, _AGREE = 3, 2
"""So many of them are asked before all are, and so many must be wanted by one parser."""
_LAST = 3
"""Of what all lines have in common, these are looked at: the words behind a lead differ."""
_LONGEST = 120
_MOST_CLOSING = 80
_MOST_FRAMES = 4
_BYTES = _TOGETHER * 500
_ENDS = frozenset(" \t:|│┃>])}([{<#-,;=\"'`")
"""What a lead ends with, as a rule."""
_GENERAL = ("last_resort", "searches", "reads_beside")
"""What parsers have that may want any line."""
_QUOTES = frozenset("\"'`")
_CLOSING = re.compile(r"[\"'`|│┃#)\]}\[]")
_PIECE = re.compile(r"(?P<number>[ \t]{0,120}\d{1,120})|(?P<text>[^\d \t]+|[ \t]+)")
_WORD = r"(?!\S*\d:\d\d)[A-Za-z]\S{0,120}"
_WORDS = re.compile(rf"(?<!\S){_WORD}(?:[ \t]{{1,20}}{_WORD}){{0,8}}")
"""Words of a lead that say whose line it is: no stamps."""


_MOST_KNOWN = 2000
_KNOWN: dict[tuple[tuple[type[LineParser], ...], str, frozenset[str]], str | None] = {}
"""What was found for lines of these forms, of all sources."""


def with_frames_of(part: bytes, dialect: Dialect, parsers: tuple[type[LineParser], ...]) -> Dialect:
    """``dialect`` with what stands around lines of ``part`` and is in no list."""
    cuts = _Cuts(dialect)
    for lines in _places(part):
        if len(dialect.frames) == _MOST_FRAMES:
            break
        texts = [text for line in lines if (text := line[cuts.of(line) :])]
        if len(texts) < _FEWEST or any(map(opens_block, texts)):  # JSON has a way of its own
            continue
        if (frame := _frame_of(texts, parsers)) is not None and frame not in dialect.frames:
            dialect = replace(dialect, frames=(*dialect.frames, frame))
            cuts = _Cuts(dialect)
    return dialect


class _Cuts:
    """How long the prefixes of lines are, found once for all lines of one shape."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known: dict[bytes, int] = {}

    def of(self, line: str) -> int:
        shape = shape_of(line)
        if shape not in self._known:
            self._known[shape] = find_prefix(line, self._dialect).cut
        return self._known[shape]


def without_closings(lines: list[str], dialect: Dialect) -> list[str]:
    """``lines`` without what closes those of a frame."""
    frames = [frame for frame in dialect.frames if frame.closing]
    return [_unclosed(line, frames, replace(dialect, frames=())) for line in lines] if frames else lines


def _unclosed(line: str, frames: Sequence[Frame], listed: Dialect) -> str:
    for frame in frames:
        if line.endswith(frame.closing):
            at = find_prefix(line, listed).cut if frame.lead else 0
            if compiled(frame.lead).match(line, at) is not None:
                return _without_closing(line, frame.closing)
    return line


def _frame_of(texts: Sequence[str], parsers: tuple[type[LineParser], ...]) -> Frame | None:
    """What stands around these lines: on both sides where that is a quote or a frame."""
    closing = _closing(texts)
    for end in ("", closing) if closing else ("",):
        lead = _lead_of(texts, end, parsers)
        if lead is not None:
            return Frame(lead, end)
    return None


def _without_closing(text: str, closing: str) -> str:
    """``text``, which ends so, without it; what was escaped to stand in quotes is read as what it stands for."""
    text = text.removesuffix(closing).rstrip()
    if closing.startswith('"') and "\\" in text:
        return text.replace('\\"', '"').replace("\\t", "\t")
    return text


def _closing(texts: Sequence[str]) -> str:
    """What all of them end with, from a quote, a bracket or a frame on."""
    common = commonprefix([text[:-_MOST_CLOSING:-1] for text in texts])[::-1]  # noqa: RUF071  (of characters, no paths)
    found = _CLOSING.search(common)
    return common[found.start() :] if found else ""


def _places(part: bytes) -> Iterator[list[str]]:
    """Lines that stand together, from places all over the part."""
    step = len(part) // _PLACES
    at = 0
    while at < len(part):
        begin = end = part.find(b"\n", at - 1) + 1 if at else 0
        if at and not begin:
            return
        for _ in range(_TOGETHER):
            found = part.find(b"\n", end, begin + _BYTES)
            if found < 0:
                break
            end = found + 1
        at = max(end, at + step, at + 1)
        if b"CCL " in part[begin:end]:  # NCCL's lines have a way of their own
            continue
        lines = [line for line in lines_of(part[begin:end]) if line]
        if len(lines) >= _FEWEST:
            yield lines


def _lead_of(texts: Sequence[str], closing: str, parsers: tuple[type[LineParser], ...]) -> str | None:
    """The lead of these lines, as a pattern; None where they have none. Lines that differ by their numbers alone have
    the same: a training says the same for hours."""
    forms = frozenset(_form_of_shape(shape_of(text.lstrip())) for text in texts)
    common = commonprefix(list(forms))  # noqa: RUF071  (of characters, no paths)
    if not closing and not _ENDS.intersection(common):
        return None
    key = parsers, closing, forms
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _searched(texts, closing, parsers)
    known = _KNOWN[key]
    # A form is blind to how a number is written: a lead with a decimal is not that of lines with whole ones.
    fits = not known or all(compiled(known).match(text) is not None for text in texts)
    return known if fits else _searched(texts, closing, parsers)


@lru_cache(1 << 11)
def _form_of_shape(shape: bytes) -> str:
    text = shape.decode("utf-8", "replace")
    return form_of(text).decode("utf-8", "replace")


def _searched(texts: Sequence[str], closing: str, parsers: tuple[type[LineParser], ...]) -> str | None:
    """The lead behind which, and before ``closing``, a parser takes most of the lines; "" where they have a closing
    alone. None where a parser takes them as they stand, or none does at all."""
    inside = [_without_closing(text, closing) for text in texts]
    leads = _leads_of_all(inside)
    if (records := next((lead for lead, behind in leads if all(map(_is_record, behind))), None)) is not None:
        return records
    leads = [*([("", inside)] if closing else ()), *leads[-_LAST:]]
    if not leads:
        return None
    half = (len(texts) + 1) // 2
    readings = zip(*(texts, *(behind for _, behind in leads)), strict=True)
    worth_asking = Counter(number for texts in readings for number in asked_of(parsers).worth_asking(texts))
    units = [parsers[number] for number, count in worth_asking.items() if count >= half]
    units = [unit for unit in units if not any(getattr(unit, sign, False) for sign in _GENERAL)]
    best, most = None, half - 1
    for lead, behind in leads:
        for unit in units:
            if _wanted(behind[:: len(behind) // _ASKED_FIRST], unit) < _AGREE or _wanted(behind, unit) < half:
                continue
            if (read := _read(behind, unit)) > most:
                best, most = lead, read
        if most == len(texts):
            break
    if best is not None and any(_wanted(texts, unit) >= half and _read(texts, unit) >= half for unit in units):
        return None
    return best


def _is_record(text: str) -> bool:
    """Is this a record of a collector of logs?"""
    block = find_block([text], 0, 0, 1) if opens_block(text) else 0
    return isinstance(block, Block) and log_text(block.value) is not None


def _leads_of_all(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The longest leads that all these lines may have, and those before a JSON value, as patterns; and what stands
    behind each."""
    first = min(texts, key=len)
    ends = list(_ends_in(first))
    # What all have in common they have up to each earlier end, too.
    known = bisect_left(ends, x=True, key=lambda end: _behind(texts, first[:end]) is None)
    before_json = [end for end in ends[: max(0, known - _LAST)] if first[end] == "{"]
    leads = ((first[:end], _behind(texts, first[:end])) for end in (*before_json, *ends[:known][-_LAST:]))
    return [(_form_of(lead), behind) for lead, behind in leads if behind is not None]


def _behind(texts: Sequence[str], lead: str) -> list[str] | None:
    """What stands behind leads like this one; None where a line has none."""
    form = compiled(_form_of(lead))
    ends = [found.end() if (found := form.match(text)) else 0 for text in texts]
    return [text[at:] for text, at in zip(texts, ends, strict=True)] if all(ends) else None


def _ends_in(text: str) -> Iterator[int]:
    """Where a lead may end: behind a quote, behind one blank (more belong to the words), and before the next word."""
    for end in range(1, min(len(text), _LONGEST)):
        if text[end - 1] not in _ENDS or text[:end].isspace():  # blanks are told by the whole source
            continue
        opens = text[end - 1] in _QUOTES or (text[end - 1].isspace() and not text[end - 2 : end - 1].isspace())
        if opens or not text[end].isspace():
            yield end


def _wanted(texts: Sequence[str], unit: type[LineParser]) -> int:
    """How many of these lines it wants, as they stand."""
    return sum(map(unit.wants, texts))


def _read(texts: Sequence[str], unit: type[LineParser]) -> int:
    """How many of them it takes."""
    parser = unit()
    return sum(parser.feed(Line("", number, text)) is not Use.NOT_MINE for number, text in enumerate(texts, 1))


def _form_of(lead: str) -> str:
    """A pattern for all leads like this one; its last words that begin with a letter say whose line it is."""
    words = list(_WORDS.finditer(lead))
    if not words:
        return _any_numbers(lead)
    begin, end = words[-1].span()
    return f"{_any_numbers(lead[:begin])}(?P<stream>{_any_numbers(lead[begin:end])}){_any_numbers(lead[end:])}"


def _any_numbers(text: str) -> str:
    """A pattern for ``text`` with any number, of any width, in the place of each."""
    return "".join(
        re.escape(piece["text"]) if piece["number"] is None else r"[ \t]{0,120}\d{1,120}"
        for piece in _PIECE.finditer(text)
    )
