"""Moulds: answers in which lines differ from node to node, and the rest is alike. Only what differs is read.

Most answers of a node are its own in a few lines: a UUID, a temperature, a counter. A *mould* is such an answer with
*holes*, its lines that differ, and knows which of its records they make. An answer that differs from it nowhere else
is the mould's, with other words in the holes. What may be a hole is found out by reading (``learning``) and stands on
what its parsers promise (``forms.interface``): ``each_alone`` or ``form_decides``. A parser that promises nothing has
to refuse the line, and is asked again each time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.source import Line, Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.identifiers import spells_a_word
from slowlink.parsers.forms.interface import LineParser, Record, Use
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.reading.line_interest import Plan
from slowlink.parsers.reading.once.answers import Answer
from slowlink.parsers.reading.once.refusals import refusals_of
from slowlink.parsers.reading.once.words import WORD, Slot

LONGEST_LINE = 400
_FIRST_LEARNED = 4
"""So many answers like one are read before it is worth finding out what they have in common."""
_MOST_SHAPES = 64
"""Of lines that were met at one hole, which are remembered."""
_ANY = b""
"""For the shapes of all lines that differ by identifiers alone."""
_SEED, _TRIALS = 20, 6
"""So many other identifiers are tried."""
Words = tuple[str, ...]


class Fed(Struct, frozen=True):
    """A parser that was offered a line."""

    line: int
    text: str
    """As it was offered; "" where a lead was known behind which it would be offered first."""
    index: int
    use: Use
    was_new: bool
    """As it was when it was made."""
    greedy: bool
    """It is asked first, and nobody else where it takes the line."""

    def leaves_traces(self) -> bool:
        """May the parser be another one than it was when it was made?"""
        return self.use is not Use.NOT_MINE or not self.was_new


class Asking(Struct):
    """How lines are read where the answer comes from."""

    parsers: tuple[type[LineParser], ...]
    plan_of: Callable[[str], Plan]
    read: Callable[[Sequence[str], list[Fed]], Answer | None]
    """The answer of these lines, and who was offered which line."""
    line: Callable[[int, str], Line]
    """The line of this number."""

    def alone(self, index: int, number: int, text: str) -> tuple[Use, tuple[Record, ...]]:
        """What a new parser makes of a line by itself."""
        parser = self.parsers[index]()
        use = parser.feed(self.line(number, text))
        return use, tuple(parser.finish()) if use is Use.USED else ()

    def refuses(self, index: int, number: int, text: str) -> bool:
        """Does a new parser say that the line is not its own?"""
        parser = self.parsers[index]()
        return parser.feed(self.line(number, text)) is Use.NOT_MINE and not parser.greedy

    def refuses_all_like(self, index: int, text: str) -> bool:
        """Does a new parser refuse all lines that differ from this one by digits alone?"""
        return not refusals_of(self.parsers).without((index,), text, ranked=False)


class Alone(Struct):
    """What a parser that takes each line by itself made of a hole's line."""

    index: int
    use: Use
    made: tuple[Record, ...]
    places: tuple[int, ...] | None
    """Of these in the answer; None where equal ones of several lines are one."""


class Roles(Struct, frozen=True):
    """What the parsers did that were offered a line."""

    alone: tuple[tuple[int, Use], ...]
    """Those that take each line by itself."""
    by_form: tuple[int, ...]
    """Those for which the form of the line decides."""
    refusing: tuple[int, ...]
    """Others, which were asked in vain."""
    spared: tuple[int, ...]
    """Last resorts that were not asked."""
    greedy: bool
    """A greedy parser took it, and nobody else was asked."""


class Others(Struct, frozen=True):
    """Who has to refuse lines of a plan."""

    plan: Plan
    """Kept with its identity."""
    parsers: tuple[int, ...] | None
    """None where such a line does not go into the hole."""


class Hole(Struct):
    """A line that differs from node to node."""

    text: str
    plan: Plan
    roles: Roles
    alone: tuple[Alone, ...] = ()
    slots: tuple[Slot, ...] = ()
    """Words that may differ; none where its parsers take each line by itself, whatever stands in it."""
    pattern: re.Pattern[str] | None = None
    words: Words = ()
    """Those in the slots of ``text``."""
    told: tuple[int, ...] = ()
    """Places of the records that have this line as evidence."""
    askings: dict[int, Others] = field(default_factory=dict)
    """By the identity of its plan: whom else a line is offered."""
    refused: dict[tuple[int, bytes], bool] = field(default_factory=dict)
    """Of those, who refused a line of which shape, and whether it refuses all of these."""

    def with_words(self, words: Words) -> str:
        """Its line with these words in the slots."""
        new = dict(zip((slot.place for slot in self.slots), words, strict=True))
        around, old = WORD.split(self.text), WORD.findall(self.text)
        return around[0] + "".join(
            new.get(place, word) + behind for place, (word, behind) in enumerate(zip(old, around[1:], strict=True))
        )

    def differs_in_identifiers_alone(self) -> bool:
        """Of the lines that go in, is the rest the same?"""
        return bool(self.slots) and all(slot.kind == "identifier" for slot in self.slots)

    def words_in(self, text: str) -> Words | None:
        """The words in the slots; None where another line stands there."""
        if self.pattern is None:
            return ()
        found = self.pattern.fullmatch(text)
        if found is None or not all(slot.fits(word) for slot, word in zip(self.slots, found.groups(), strict=True)):
            return None
        return found.groups()


class Recipe(Struct, frozen=True):
    """How a field of a record is made of a word in a slot."""

    field: str
    """``value``, or ``part`` for the name of the part."""
    line: int
    slot: int
    make: Callable[[str], object]


class Mould(Struct):
    """One answer, and where others may differ from it."""

    lines: Sequence[str]
    answer: Answer
    asking: Asking
    holes: dict[int, Hole] = field(default_factory=dict)
    recipes: dict[int, tuple[Recipe, ...]] = field(default_factory=dict)
    """By place of the record."""
    made_of: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Line -> places of the records that are made of its words."""
    changed: frozenset[int] = frozenset()
    """Parsers that took something of such an answer: they are not as they were when they were made."""
    literals: frozenset[str] = frozenset()
    """Words that stand outside of the slots."""
    varied: dict[int, Hole] = field(default_factory=dict)
    """Lines that were met in another wording, and that may become holes."""
    hopeless: set[int] = field(default_factory=set)
    """Lines that were tried and cannot be holes."""
    missed: int = 0
    """How many answers like this one had to be read."""
    cast_so_far: int = 0
    learn_at: int = _FIRST_LEARNED

    def differing(self, lines: Sequence[str]) -> list[int]:
        """Places of lines that are not those of this answer."""
        return [place for place, (old, new) in enumerate(zip(self.lines, lines, strict=True)) if old != new]

    def cast(self, lines: Sequence[str]) -> Answer | None:
        """The answer of ``lines``; None where it has to be read."""
        differing = self.differing(lines)
        if not self.holes.keys() >= set(differing):
            return None
        changed: dict[int, Record] = {}
        words: dict[int, Words] = {}
        for place in differing:
            found = self._fill(place, lines[place], changed)
            if found is None:
                return None
            words[place] = found
        if not self._same_identities(words):
            return None
        for record in {record for place in differing for record in self.made_of.get(place, ())}:
            changed[record] = self._made(record, changed.get(record, self.answer.records[record]), words)
        self.cast_so_far += 1
        self.answer.becomes_original()
        return replace(self.answer, changed=changed)

    def _fill(self, place: int, text: str, changed: dict[int, Record]) -> Words | None:
        """Put another line into a hole: the words in its slots; None where it does not go in."""
        hole, number, asking = self.holes[place], place + 1, self.asking
        words = hole.words_in(text) if len(text) <= LONGEST_LINE else None
        if words is None or not self._takes(hole, number, text):
            return None
        ref = asking.line(number, text).ref()
        for record in hole.told:
            changed[record] = with_ref(changed.get(record, self.answer.records[record]), ref)
        for each in hole.alone:
            use, made = asking.alone(each.index, number, text)
            if use is not each.use or len(made) != len(each.made):
                return None
            if each.places is not None:
                for record, new in zip(each.places, made, strict=True):
                    changed[record] = new
            elif not all(with_ref(old, ref) == with_ref(new, ref) for old, new in zip(each.made, made, strict=True)):
                return None
        return words

    def _takes(self, hole: Hole, number: int, text: str) -> bool:
        """Is this line for the parsers that took the hole's, and for no other?"""
        plan = self.asking.plan_of(text)
        known = hole.askings.get(id(plan))  # lines of one shape share one
        if known is None:
            if len(hole.askings) >= _MOST_SHAPES:
                hole.askings.clear()
            known = hole.askings[id(plan)] = Others(plan, self._others(hole, plan))
        if not known.parsers:
            return known.parsers is not None
        shape = _ANY if hole.differs_in_identifiers_alone() and not spells_a_word(text) else shape_of(text)
        return all(
            (index in hole.roles.refusing or index not in self.changed)
            and self._refuses(hole, index, number, text, shape)
            for index in known.parsers
        )

    def _others(self, hole: Hole, plan: Plan) -> tuple[int, ...] | None:
        """Who has to refuse lines of this plan, if they are offered as the hole's is; None where they are not."""
        roles = hole.roles
        if not is_offered_alike(plan, hole.plan):
            return None
        if roles.greedy:
            return ()
        takers = {*(index for index, _ in roles.alone), *roles.by_form}
        if not takers.intersection(hole.plan.wanted_by).issubset(plan.wanted_by):
            return None
        return tuple(index for index in plan.wanted_by if index not in takers and index not in roles.spared)

    def _refuses(self, hole: Hole, index: int, number: int, text: str, shape: bytes) -> bool:
        """Does a new parser refuse this line? Whether it refuses all lines of a shape is found out when the shape comes
        again: those with an identifier among other words have a shape of their own."""
        known = hole.refused.get((index, shape))
        if known:
            return True
        if not self.asking.refuses(index, number, text):
            return False
        if len(hole.refused) >= _MOST_SHAPES:
            hole.refused.clear()
        hole.refused[index, shape] = known is not None and self._refuses_all_like(hole, index, number, text, shape)
        return True

    def _refuses_all_like(self, hole: Hole, index: int, number: int, text: str, shape: bytes) -> bool:
        if shape is not _ANY:
            return self.asking.refuses_all_like(index, text)
        chance = random.Random(_SEED)  # noqa: S311 - no secret: the same each time, so that all runs ask alike
        others = (hole.with_words(tuple(slot.any_word(chance) for slot in hole.slots)) for _ in range(_TRIALS))
        return all(self.asking.refuses(index, number, other) for other in others)

    def _same_identities(self, words: dict[int, Words]) -> bool:
        """Are identifiers equal where those of this answer are, and nowhere else?"""
        new_of: dict[str, str] = {}
        old_of: dict[str, str] = {}
        for place, hole in self.holes.items():
            now_there = words.get(place, hole.words)
            for slot, was, now in zip(hole.slots, hole.words, now_there, strict=True):
                if slot.kind == "identifier" and (
                    new_of.setdefault(was, now) != now or old_of.setdefault(now, was) != was or now in self.literals
                ):
                    return False
        return True

    def _made(self, place: int, record: Record, words: dict[int, Words]) -> Record:
        assert isinstance(record, Reading)
        part, value = record.part, record.value
        for recipe in self.recipes[place]:
            of_line = words.get(recipe.line)
            if of_line is None:
                continue
            made = recipe.make(of_line[recipe.slot])
            if recipe.field == "part":
                part = Part(part.kind, str(made))
            else:
                value = made  # type: ignore[assignment]
        return Reading(record.attribute, part, value, record.ref, record.host, record.at)


def is_offered_alike(plan: Plan, other: Plan) -> bool:
    """Are lines with these plans offered in the same way, to whomever?"""
    return (
        (plan.prefix, plan.json_at, plan.lone) == (other.prefix, other.json_at, other.lone)
        and plan.is_wanted() == other.is_wanted()
        and bool(plan.wanted_by) == bool(other.wanted_by)
    )


def with_ref(record: Record, ref: Ref) -> Record:
    """The same with this line as its evidence."""
    return replace(record, ref=ref)


def literals_of(lines: Sequence[str], holes: dict[int, Hole]) -> frozenset[str]:
    """All words of the lines but those in slots."""
    found: set[str] = set()
    for place, line in enumerate(lines):
        slots = {slot.place for slot in holes[place].slots} if place in holes else ()
        found.update(word for at, word in enumerate(WORD.findall(line)) if at not in slots)
    return frozenset(found)
