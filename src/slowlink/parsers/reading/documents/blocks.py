"""The blocks of a document that people wrote: headings, paragraphs, items, rows, and what stands printed between them::

    # Runbook                                      a heading
    If you see this, the GPU is gone:              a paragraph
        NVRM: Xid (PCI:0000:3b:00): 79, ...        printed

Markdown, reStructuredText, wikis, HTML, mail and chats. What a program prints is told from what people write by its
front (a stamp, a host, a level) and by its words: sentences have articles, pronouns and forms of "to be".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct

from slowlink.patterns import regex


class Kind(Enum):
    """What a block is."""

    HEADING = "heading"
    PROSE = "prose"
    ROW = "row"
    """Of a table of columns between bars."""
    PRINTED = "printed"
    """Between fences, indented, or quoted."""
    LOOSE = "loose"
    """As a program prints it, with nothing around it that sets it apart."""


class Block(Struct):
    """Lines of one kind that belong together."""

    kind: Kind
    first: int
    """Numbers of its lines, from 1."""
    last: int
    lines: list[str]
    """Without what marks them as quoted, as an item, or as HTML."""
    level: int = 0
    """Of a heading: 1 is the title. Else 1 where a mark sets it apart: an item, a line of a chat, a fence."""
    marked: bool = False
    """An item, or a line of a chat."""

    @property
    def text(self) -> str:
        """As one line."""
        return " ".join(line.strip() for line in self.lines)


_QUOTE = regex(r"^ {0,3}(?:> ?){1,8}(?![=>])")
_FENCE = regex(r"^\s*(?:```|~~~|\{code\b|\{noformat\}|\[/?code\]|</?pre\b|<code>\s*$|</code>\s*$)", 2)
_OPENS_AND_ENDS = regex(r"^\s*(?:```.+```|<pre\b.*</pre>)\s*$", 2)
_TAG = regex(r"</?(?:p|li|ul|ol|b|i|em|strong|code|tt|br|div|span|a|td|th|tr|body|html|head|title)\b[^<>]{0,200}>", 2)
_HTML_HEADING = regex(r"^\s*<h(?P<level>[1-6])\b[^<>]{0,200}>(?P<text>.{1,300}?)</h[1-6]>", 2)
_HEADING = regex(
    r"^(?P<marks>#{1,6}) (?P<text>(?=\S.{0,60}[A-Za-z]{3})(?!.*(?:\S  |: ?\d| -{1,2}\w| [|>/])).{1,200}?)[ #]*$"
)
_WIKI = regex(r"^(?P<marks>={1,6}) (?P<text>.{1,200}?) ={1,6}\s*$|^h(?P<level>[1-6])\. (?P<jira>.{1,200})$")
_BOLD = regex(r"^\s{0,3}\*\*(?P<text>[^*]{1,200})\*\*:?\s*$")
_EMPHASIS = regex(r"^\s{0,3}\*\*[^*]{1,200}\*\*")
_UNDERLINE = regex(r"^(?:={3,}|-{3,}|~{3,}|\^{3,})$")
_BOX = regex(r"^\s*[-=*_#]{50,}\s*$")
"""Programs print their help between such lines: its sentences are no person's."""
_TITLE = regex(r"^(?:title|subject): (?P<text>.{1,300})$", 2)
_ITEM = regex(r"^\s{0,12}(?:[-*+\u2022]|\d{1,3}[.)]|\[[ xX]\]) {1,4}")
_ROW = regex(r"^\s{0,6}\|.*\|\s*$")
_ENTRY = regex(
    r"^\s{0,12}(?:(?:[-*+\u2022]|\d{1,3}[.)]) {1,4})?(?:\*\*)?"
    r"(?:`[^`\n]{3,400}`|[\"\u201c][^\"\n]{3,400}[\"\u201d])(?:\*\*)?"
    r"\s{0,4}(?:[-=]{1,2}>|[\u2192\u21d2:\u2013\u2014]|-{1,2}(?= ))\s{0,4}[A-Za-z`*]"
)
"""An entry of a list of messages, whose form is a row's of two columns: what is printed between marks, and behind an
arrow, a dash or a colon whom it concerns or what to do."""
_INDENTED = regex(r"^(?: {2,}|\t)")
_CHAT = regex(r"^\[?\d\d?:\d\d\]? {1,4}(?:(?:<[\w.@-]{1,40}>|[\w.@-]{1,40}:) )?(?=\S)")
"""A line of a chat, or of a time line."""
_NAME = regex(r"^[\w.-]{1,40}: ")
"""In an item and a chat, whom it is about."""
_MACHINE = regex(
    r"^\s*(?:\[[^\]\n]{1,60}\]|-[A-Z]-|\(?[\w.-]{1,60}:\d|[\w./@-]{1,80}\[\d+\]|\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|[IWEF]\d{4} \d\d|[a-z][\w./@-]{0,60}: |[A-Z_]{4,}\b[: ]|NVRM|\$ "
    r"|#+ +\w+ {2,}|File \"|at \S+\()"
)
"""How lines of programs begin: a stamp, a host with a process, a program's name, a level, a prompt."""
_COLUMNS = regex(r"\S(?: {3,}|\t|\s+: |: {2,})\S")
"""A key and its value, or columns."""
_QUOTED = regex(r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|https?://\S{1,400}")
_WORD = regex(r"(?<![\w/.:=-])[A-Za-z][A-Za-z'\u2019]*(?![\w/=])")
_SPEECH = (
    "a an the is are was were be been am to of and or but if you we i it this that these those they he she in on for"
    " with when where not no has have had can could will would should may might must my our your his her its their from"
    " at by as please do does did so then there what which who how any all some none one after before until than"
    " because here us me them thanks hi hello dear"
)
_FUNCTION_WORDS = frozenset(_SPEECH.split())
_MOST_UNEVEN = 3
"""Characters by which a line below a heading may be longer or shorter than it."""
_FEWEST_WORDS, _FEWEST_KNOWN, _SHARE_KNOWN = 4, 2, 0.2
"""Words of a sentence, and words of speech among them."""


def is_said(line: str) -> bool:
    """Does somebody speak here, perhaps in a chat, or in an entry of a list of messages?"""
    chat = _CHAT.match(line)
    return is_prose(line[chat.end() :] if chat is not None else line) or _ENTRY.match(line) is not None


def is_prose(line: str) -> bool:
    """Does somebody speak here, rather than a program?"""
    if _MACHINE.match(line) is not None or _COLUMNS.search(line) is not None:
        return False
    words = _WORD.findall(_QUOTED.sub(" x ", line) if "`" in line or '"' in line or "://" in line else line)
    if len(words) < _FEWEST_WORDS:
        return False
    known = sum(word.lower() in _FUNCTION_WORDS for word in words)
    letters = sum(map(len, words))
    return known >= max(_FEWEST_KNOWN, _SHARE_KNOWN * len(words)) and 2 * letters > len(line.strip())


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """All blocks in order; blank lines and rulers are in none."""
    return list(_joined(_lines(lines)))


def _lines(lines: Sequence[str]) -> Iterator[Block | None]:
    """Each line as a block of its own; None for one that ends a block."""
    fenced = boxed = hidden = False
    before = False
    """Did the line before speak?"""
    for number, raw in enumerate(lines, 1):
        quote = _QUOTE.match(raw)
        line = raw[quote.end() :] if quote is not None else raw
        if _FENCE.match(line) is not None and _OPENS_AND_ENDS.match(line) is None:
            rest = _FENCE.sub("", line)
            fenced = not fenced and "</pre" not in line.lower()
            before = False
            yield None
            if fenced and "<pre" in line.lower() and rest.strip(" >"):
                yield Block(Kind.PRINTED, number, number, [rest.lstrip(">")], level=1)
            continue
        if fenced:
            yield Block(Kind.PRINTED, number, number, [line], level=1)
            continue
        if _BOX.match(line) is not None:
            boxed, before = not boxed, False
            yield None
            continue
        if boxed:
            yield Block(Kind.LOOSE, number, number, [line])
            continue
        if hidden or line.lstrip().startswith("<!--"):
            hidden = "-->" not in line  # advice of a form that is to be filled in: nobody says it
            continue
        if not line.strip() or _UNDERLINE.match(line) is not None:
            before = False
            yield None
            continue
        block = _heading(line, number, lines) or _of_text(line, number, quoted=quote is not None, before=before)
        before = block.kind is Kind.PROSE
        yield block


def _heading(line: str, number: int, lines: Sequence[str]) -> Block | None:
    below = lines[number] if number < len(lines) else ""
    if (found := _HTML_HEADING.match(line)) is not None:
        return Block(Kind.HEADING, number, number, [found["text"]], int(found["level"]))
    if (found := _HEADING.match(line)) is not None and not below.startswith("#"):
        return Block(Kind.HEADING, number, number, [found["text"]], len(found["marks"]))
    if (found := _WIKI.match(line)) is not None:
        level = int(found["level"]) if found["level"] else len(found["marks"])
        return Block(Kind.HEADING, number, number, [found["text"] or found["jira"]], level)
    if (found := _TITLE.match(line)) is not None:
        return Block(Kind.HEADING, number, number, [found["text"]], 1)
    if (found := _BOLD.match(line)) is not None:
        return Block(Kind.HEADING, number, number, [found["text"]], 6)
    if _UNDERLINE.match(below) is not None and abs(len(below) - len(line)) <= _MOST_UNEVEN:
        return Block(Kind.HEADING, number, number, [line], 1 if below[0] == "=" else 2)
    return None


def _of_text(line: str, number: int, *, quoted: bool, before: bool) -> Block:
    """``before``: does it go on with what somebody said?"""
    line = _TAG.sub("", line) if "<" in line else line
    if _ROW.match(line) is not None:
        return Block(Kind.ROW, number, number, [line])
    item, chat = _ITEM.match(line), _CHAT.match(line)
    mark = item or chat
    text = line[mark.end() :] if mark is not None else line
    said = _NAME.sub("", text) if mark is not None else text
    if _ENTRY.match(line) is not None or (mark is not None and (is_prose(said) or _MACHINE.match(said) is None)):
        # What begins anew is a block of its own: its claims are about itself.
        return Block(Kind.PROSE, number, number, [text], level=1, marked=True)
    if is_prose(text) or _EMPHASIS.match(text) is not None or (before and _MACHINE.match(text) is None):
        return Block(Kind.PROSE, number, number, [text])
    apart = quoted or _INDENTED.match(line) is not None
    return Block(Kind.PRINTED if apart else Kind.LOOSE, number, number, [text])


def _joined(blocks: Iterator[Block | None]) -> Iterator[Block]:
    """Lines of one kind that stand together as one block. A blank line parts paragraphs, and no printed text."""
    held: Block | None = None
    ended = False
    for block in blocks:
        if block is None:
            ended = True
            continue
        if held is not None and _go_together(held, block, ended=ended):
            held.last = block.last
            held.lines += block.lines
        else:
            if held is not None:
                yield held
            held = block
        ended = False
    if held is not None:
        yield held


_OF_PROGRAMS = (Kind.PRINTED, Kind.LOOSE)


def _go_together(held: Block, block: Block, *, ended: bool) -> bool:
    """A row of a table may be set in and its heading not; what begins with a mark begins anew."""
    if held.kind in _OF_PROGRAMS and block.kind in _OF_PROGRAMS:
        return held.kind is block.kind or not (ended or held.level or block.level)
    return held.kind is block.kind and not ended and not block.level and block.kind in (Kind.PROSE, Kind.ROW)
