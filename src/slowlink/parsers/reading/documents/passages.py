"""Which lines of a document only describe failures: runbooks, READMEs, postmortems, wikis, chats.

The document says so itself. What stands around a quoted message claims one of three things: somebody has this trouble
now ("since yesterday we see"), it was so and is over ("was replaced; no further errors"), or it is how that looks where
it happens ("if you see", "for example", a table of symptoms). The nearest claim counts: of the sentence, of the
paragraph above, of the headings, of the document. Against them stands what was pasted: lines with stamps, hosts and
processes of one job. Where somebody tells of trouble now, or a whole log was pasted and nothing else is said of it, it
is a log. Without a claim it is one, too: to take a sick log for prose would be worse than to take prose for a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.words.claims import claims
from slowlink.model.source import Passage, Ref
from slowlink.parsers.reading.documents.blocks import Block, Kind, blocks_of, is_said
from slowlink.patterns import regex

MOST_BYTES = 256 << 10
"""What is longer nobody wrote by hand."""
_FEWEST_MARKED = 3
_MOSTLY_PROSE, _OF_A_LETTER, _SOME_SHARE = 0.5, 0.2, 0.25
_LONGEST_TITLE, _OF_A_LIST = 80, 6
_FEW_WORDS = regex(r"^[A-Z][a-z]{1,20}(?: [A-Za-z]{1,20}){0,4}:?$")
_FEWEST_OF_THE_WHOLE, _SHARE_OF_THE_WHOLE = 3, 0.5
"""Claims of a document that say of all of it that it describes; share of its sentences."""
_FEWEST_DESCRIBED, _DESCRIBED_PER_TROUBLE = 2, 4
"""Claims of a whole document: one condition stands in many a letter, and some beside each sentence of who has the
trouble (a form to be filled in has its advice)."""
_EXCERPT, _LONG = 3, 12
"""Lines with identities of which a pasted log has at least so many; lines of any kind that are a whole log."""
_IDENTITY = regex(
    r"\b[\w.-]{1,60}:\d{1,7}:\d{1,7} \[|\d\d:\d\d:\d\d|\[ {0,8}\d{1,9}\.\d{1,9}\]|^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d"
    r"|\bPid +\d+ on +\S|\b\d{1,3}(?:\.\d{1,3}){3}<\d|^\$ \S"
)
_PLACEHOLDER = regex(r"<[a-z][a-z _-]{1,30}>(?!:)|\bX{2,}\b|\[\.\.\.\]|^\s*\.{3}\s*$|\$\{?[A-Z_]{2,}\}?")
_SENTENCE = regex(r"(?<=[a-z0-9)\"'`*][.!?;])\s+")
_GOES_ON = regex(r"^(?:[a-z(,]|then\b|means\b|This (?:means|indicates|is)\b|It (?:means|indicates)\b)")

_GREETING = regex(r"^(?:hi|hello|dear|good (?:morning|day|evening))\b.{0,40}[,!]\s*$", 2)


class Claim(Enum):
    """What words say of the failures that they surround."""

    NOW = "now"
    OVER = "over"
    DESCRIBES = "describes"


class Told(Struct, frozen=True):
    """A claim and the words that make it."""

    claim: Claim
    words: str
    opens: bool = False
    """It stands in the first of several sentences: what was mended there may have failed in the next one."""
    sure: bool = True
    """It needs no other claim beside it."""


def described_passages(source: str, lines: Sequence[str]) -> list[Passage]:
    """Lines that accuse nobody, in order. Empty for anything that is no document."""
    if not any(map(is_said, lines)):
        return []
    blocks = blocks_of(lines)
    if not _is_document(blocks):
        return []
    blocks = _with_title(blocks)
    document = _Document(blocks)
    found = [(block, told) for at, block in enumerate(blocks) if (told := document.described(at)) is not None]
    return [
        Passage(Ref(source, block.first, lines[block.first - 1][:400]), block.last, told.words) for block, told in found
    ]


def _with_title(blocks: Sequence[Block]) -> list[Block]:
    """A short line at the top that ends no sentence is the title, and so is one above a list."""
    below = [*blocks[1:], None]
    return [
        replace(block, kind=Kind.HEADING, level=_OF_A_LIST if at else 1)
        if (_heads_a_list(block, under) if at else _is_title(block, under))
        else block
        for at, (block, under) in enumerate(zip(blocks, below, strict=True))
    ]


def _is_title(block: Block, below: Block | None) -> bool:
    alone = block.kind is Kind.PROSE and len(block.lines) == 1 and not block.marked and below is not None
    return alone and len(block.text) <= _LONGEST_TITLE and not block.text.endswith((".", ",", ":", ";", "?", "!"))


def _heads_a_list(block: Block, below: Block | None) -> bool:
    alone = block.kind is Kind.LOOSE and len(block.lines) == 1 and below is not None and below.marked
    return alone and _FEW_WORDS.match(block.text) is not None


def _is_document(blocks: Sequence[Block]) -> bool:
    """Sentences, and what people set them with: headings, fences, the greeting of a letter, items, names in a chat, a
    colon before what is set in. Sentences alone are no document: programs print many."""
    said = sum(is_said(line) for block in blocks if block.kind is Kind.PROSE for line in block.lines)
    fenced = [block.kind is Kind.PRINTED and bool(block.level) for block in blocks]
    around = sum(
        len(block.lines)
        for block, apart in zip(blocks, fenced, strict=True)
        if not apart and block.kind not in (Kind.HEADING, Kind.ROW)
    )
    share = said / max(1, around)
    pairs = list(pairwise(blocks))
    headed = any(block.kind is Kind.HEADING and below.kind is not Kind.LOOSE for block, below in pairs)
    if headed or any(fenced):
        return share >= _SOME_SHARE
    letter = any(_GREETING.match(block.lines[0]) is not None for block in blocks)
    introduces = any(
        block.kind is Kind.PROSE and block.text.endswith(":") and below.kind in (Kind.PRINTED, Kind.LOOSE)
        for block, below in pairs
    )
    marked = sum(block.marked for block in blocks) >= _FEWEST_MARKED
    return share >= (_OF_A_LETTER if letter else _MOSTLY_PROSE) and (letter or introduces or marked)


class _Document:
    """The claims of a document, by their places."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._told = [_claims_of(block) for block in blocks]
        everything = [told for each in self._told for told in each]
        self._describing = [told for told in everything if told.claim is Claim.DESCRIBES]
        self._troubled = sum(told.claim is Claim.NOW and told.sure for told in everything)
        """Sentences of somebody who has the trouble."""
        self._above = list(self._claims_above())
        behind: list[Told | None] = [None]
        for each in reversed(self._told):
            behind.append(next((told for told in each if told.claim is Claim.OVER), behind[-1]))
        self._over_behind = behind[-2::-1]
        """By block: that it is over, said somewhere behind it."""

    def described(self, at: int) -> Told | None:
        """Why this block only describes; None where it may accuse."""
        block = self._blocks[at]
        if block.kind is Kind.HEADING:
            return None
        told = self._nearest(at)
        if told is None:
            return None if self._troubled or _tells_where(block) else self._of_the_whole(at)
        if told.claim is Claim.NOW or self._outweighed(told, block):
            return None
        if told.claim is Claim.DESCRIBES and not told.sure and len(self._describing) < _FEWEST_DESCRIBED:
            return None
        return None if told.claim is Claim.OVER and _is_excerpt(block) else told

    def _outweighed(self, told: Told, block: Block) -> bool:
        """Does who has the trouble weigh more than what the document describes?"""
        if block.kind not in (Kind.PRINTED, Kind.LOOSE) or not self._troubled:
            return False
        few = told.claim is Claim.DESCRIBES and len(self._describing) <= _DESCRIBED_PER_TROUBLE * self._troubled
        return few or _is_excerpt(block)

    def _of_the_whole(self, at: int) -> Told | None:
        """That it is over says somebody behind the failure; conditions may stand anywhere."""
        return self._over_behind[at] or (self._describing[0] if self._mostly_describes() else None)

    def _mostly_describes(self) -> bool:
        """Two conditions stand in many a letter."""
        sentences = sum(len(_SENTENCE.split(block.text)) for block in self._blocks if block.kind is Kind.PROSE)
        return len(self._describing) >= max(_FEWEST_OF_THE_WHOLE, _SHARE_OF_THE_WHOLE * sentences)

    def _nearest(self, at: int) -> Told | None:
        """The claim of the block itself, of what introduces it or goes on behind it, of the headings above."""
        block = self._blocks[at]
        own = _strongest(self._told[at])
        if own is not None:
            return own
        introduction, heading = self._above[at]
        if block.kind in (Kind.PRINTED, Kind.LOOSE):
            around = self._introduced(introduction, block) or self._going_on(at)
            if around is not None:
                return around
        return heading

    def _introduced(self, introduction: int | None, block: Block) -> Told | None:
        """The claim of the paragraph above; not where that came to its end, and then follows what tells where it was
        printed: a condition there is by the way."""
        if introduction is None:
            return None
        told = _strongest(self._told[introduction])
        ended = self._blocks[introduction].text.rstrip().endswith(".")
        unsure = told is not None and told.claim is Claim.DESCRIBES and not told.sure
        return None if unsure and ended and _tells_where(block) else told

    def _claims_above(self) -> Iterator[tuple[int | None, Told | None]]:
        """By block: the number of the paragraph above, whatever was printed between; and the claim of the nearest
        heading that makes one, or of those above it."""
        introduction: int | None = None
        headings: list[tuple[int, Told | None]] = []
        for at, (block, told) in enumerate(zip(self._blocks, self._told, strict=True)):
            yield introduction, headings[-1][1] if headings else None
            if block.kind is Kind.HEADING:
                while headings and headings[-1][0] >= block.level:
                    headings.pop()
                inherited = headings[-1][1] if headings else None
                headings.append((block.level, told[0] if told else inherited))
                introduction = None
            elif block.kind is Kind.PROSE:
                introduction = at

    def _going_on(self, at: int) -> Told | None:
        """Of the sentence that goes on behind what is printed, or says what it means."""
        below = self._blocks[at + 1] if at + 1 < len(self._blocks) else None
        if below is None or below.kind is not Kind.PROSE or _GOES_ON.match(below.lines[0].strip()) is None:
            return None
        return _strongest(self._told[at + 1])


def _claims_of(block: Block) -> list[Told]:
    if block.kind is Kind.HEADING:
        return list(_of_heading(block.text.lower()))
    if block.kind is Kind.ROW:
        return list(_of_table(block.lines[0].lower()))
    if block.kind is not Kind.PROSE:
        return []
    sentences = _SENTENCE.split(block.text.lower())
    found = [(number, told) for number, each in enumerate(sentences) if (told := _of_sentence(each)) is not None]
    return [replace(told, opens=number == 0 and len(sentences) > 1) for number, told in found]


def _of_sentence(sentence: str) -> Told | None:
    """Who says "I see" tells of now; a word for now beside a condition says neither."""
    known = claims()
    if (found := known.person.search(sentence)) is not None:
        return Told(Claim.NOW, found[0])
    if (found := known.over.search(sentence)) is not None and known.yet.search(sentence) is None:
        return Told(Claim.OVER, found[0])
    now, describes = known.time.search(sentence), known.describes.search(sentence)
    if describes is not None and (now is not None or sentence.rstrip().endswith("?")):
        return None
    if now is not None:
        return Told(Claim.NOW, now[0], sure=False)
    return Told(Claim.DESCRIBES, describes[0].strip(), sure=False) if describes is not None else None


def _of_heading(text: str) -> Iterator[Told]:
    known = claims()
    for claim, pattern in (
        (Claim.OVER, known.heading_over),
        (Claim.DESCRIBES, known.heading_describes),
        (Claim.NOW, known.heading_now),
        (Claim.NOW, known.person),
    ):
        if (found := pattern.search(text)) is not None and not (pattern is known.person and "?" in text):
            yield Told(claim, found[0])
            return


def _of_table(heading: str) -> Iterator[Told]:
    """A table that says what to do about what."""
    cells = [cell.strip() for cell in heading.strip().strip("|").split("|")]
    if any(claims().columns.fullmatch(cell) for cell in cells):
        yield Told(Claim.DESCRIBES, heading.strip())


def _strongest(told: Sequence[Told]) -> Told | None:
    """Somebody who has the trouble outweighs all; else the last word counts, which stands next to what is printed."""
    now = next((each for each in told if each.claim is Claim.NOW), None)
    last = next((each for each in reversed(told) if not (each.opens and each.claim is Claim.OVER)), None)
    return now or last


def _is_excerpt(block: Block) -> bool:
    """Was it printed by something that ran: lines that tell when and where, and no word to be filled in?"""
    return not _has_gaps(block) and (_identities(block) >= _EXCERPT or _is_long(block))


def _tells_where(block: Block) -> bool:
    """Does any line tell when or where it was printed?"""
    printed = block.kind in (Kind.PRINTED, Kind.LOOSE)
    return printed and not _has_gaps(block) and (_identities(block) > 0 or _is_long(block))


def _has_gaps(block: Block) -> bool:
    return any(_PLACEHOLDER.search(line) for line in block.lines)


def _identities(block: Block) -> int:
    return sum(_IDENTITY.search(line) is not None for line in block.lines)


def _is_long(block: Block) -> bool:
    return block.kind in (Kind.PRINTED, Kind.LOOSE) and len(block.lines) >= _LONG
