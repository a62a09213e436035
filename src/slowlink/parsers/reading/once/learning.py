"""Which lines of an answer may be holes of its mould, and what is made of the words in them: found out by reading it.

The answer is read again with other words in the lines that were seen to differ: some chosen by chance, which tell by
themselves where they went, the least and the largest that fit. All readings have to be alike but for these words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import asdict, replace

from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.reading.line_interest import Plan
from slowlink.parsers.reading.once.answers import Answer
from slowlink.parsers.reading.once.moulds import (
    LONGEST_LINE,
    Alone,
    Asking,
    Fed,
    Hole,
    Mould,
    Recipe,
    Roles,
    Words,
    is_offered_alike,
    literals_of,
    with_ref,
)
from slowlink.parsers.reading.once.words import WORD, Slot, slot_for
from slowlink.parsers.reading.streams import kinds_of

_SEED = 20
_MOST_DIFFERENT = 0.5
"""Share of lines that may differ in what is still one kind of answer."""
_BY_CHANCE = 2
"""Readings with words chosen by chance."""
_DEEPEST = 3
"""So often lines that cannot be holes together are tried by halves."""
_MAKES: tuple[Callable[[str], object], ...] = (
    str,
    int,
    float,
    lambda word: word.removeprefix("0x").replace(":", ""),
    lambda word: int(word) << 10,
    lambda word: int(word) << 20,
    lambda word: int(word) << 30,
)


def note_varied(mould: Mould, lines: Sequence[str], fed: Sequence[Fed]) -> bool:
    """Remember where ``lines``, which were read, differ from the mould's, if all of that may become holes."""
    differing = mould.differing(lines)
    if len(differing) > len(lines) * _MOST_DIFFERENT or not mould.hopeless.isdisjoint(differing):
        return False
    by_line: dict[int, list[Fed]] = {place: [] for place in differing}
    for each in fed:
        if each.line - 1 in by_line:
            by_line[each.line - 1].append(each)
    varied: dict[int, Hole] = {}
    for place in differing:
        hole = _possible(mould, place, lines[place], by_line[place])
        if hole is None:
            return False
        known = mould.varied.get(place) or mould.holes.get(place)
        varied[place] = hole if known is None else _with_slots_of(hole, known)
    mould.varied.update(
        (at, hole) for at, hole in varied.items() if at not in mould.holes or hole is not mould.holes[at]
    )
    mould.changed |= changed_by(fed)
    return True


def changed_by(fed: Iterable[Fed]) -> frozenset[int]:
    """Parsers that may be other ones than they were when they were made."""
    return frozenset(each.index for each in fed if each.leaves_traces())


def _possible(mould: Mould, place: int, new: str, fed: Sequence[Fed]) -> Hole | None:
    """What is known of a line that differs; None where it cannot be a hole."""
    old, asking = mould.lines[place], mould.asking
    plan, known = asking.plan_of(new), asking.plan_of(old)
    if max(len(old), len(new)) > LONGEST_LINE or plan.prefix.cut or not is_offered_alike(plan, known):
        return None
    roles = _roles(plan, new, fed, asking)
    if roles is None or plan.json_at is not None or all(each.use is Use.NOT_MINE for each in fed):
        return None
    slots = _slots(old, new) if roles.by_form else ()
    return None if slots is None else _hole(old, known, roles, slots)


def _roles(plan: Plan, text: str, fed: Sequence[Fed], asking: Asking) -> Roles | None:
    """Who does what with a line; None where somebody takes it who promises nothing."""
    alone, by_form, refusing = [], [], []
    for each in fed:
        unit = asking.parsers[each.index]
        if each.text != text:
            return None
        if getattr(unit, "each_alone", False):
            alone.append((each.index, each.use))
        elif getattr(unit, "form_decides", False):
            by_form.append(each.index)
        elif not each.leaves_traces():
            refusing.append(each.index)
        else:
            return None
    asked = {each.index for each in fed}
    _, last_resort, _ = kinds_of(asking.parsers)
    silent = [index for index in plan.wanted_by if index not in asked]  # known to refuse it, or not needed
    return Roles(
        alone=tuple(alone),
        by_form=tuple(by_form),
        refusing=tuple(sorted([*refusing, *(index for index in silent if index not in last_resort)])),
        spared=tuple(index for index in silent if index in last_resort),
        greedy=any(each.greedy and each.use is not Use.NOT_MINE for each in fed),
    )


def _slots(old: str, new: str) -> tuple[Slot, ...] | None:
    """Slots for the words that differ; None where anything else does."""
    if WORD.split(old) != WORD.split(new):
        return None
    pairs = enumerate(zip(WORD.findall(old), WORD.findall(new), strict=True))
    found = [slot_for(place, first, second) for place, (first, second) in pairs if first != second]
    slots = tuple(slot for slot in found if slot is not None)
    return slots if len(slots) == len(found) else None


def _with_slots_of(hole: Hole, known: Hole) -> Hole:
    """With the slots of both; those of ``known`` where they are of other kinds."""
    slots = {slot.place: slot for slot in known.slots}
    for slot in hole.slots:
        both = slots[slot.place].with_other(slot) if slot.place in slots else slot
        if both is None:
            return known
        slots[slot.place] = both
    if tuple(slots[place] for place in sorted(slots)) == known.slots:
        return known
    return _hole(hole.text, hole.plan, hole.roles, [slots[place] for place in sorted(slots)])


def _hole(text: str, plan: Plan, roles: Roles, slots: Sequence[Slot]) -> Hole:
    old = WORD.findall(text)
    words = tuple(old[slot.place] for slot in slots)
    return Hole(text, plan, roles, (), tuple(slots), _pattern(text, slots), words)


def _pattern(text: str, slots: Sequence[Slot]) -> re.Pattern[str] | None:
    """Matches the line with any words in its slots."""
    if not slots:
        return None
    by_place = {slot.place: slot for slot in slots}
    around, words = WORD.split(text), WORD.findall(text)
    parts = [re.escape(around[0])]
    for place, (word, behind) in enumerate(zip(words, around[1:], strict=True)):
        parts += [by_place[place].pattern() if place in by_place else re.escape(word), re.escape(behind)]
    return re.compile("".join(parts))


def learn(mould: Mould) -> None:
    """Make holes of the lines that were seen to differ, as far as they can be."""
    varied, mould.varied = _with_siblings(mould), {}
    _learn(mould, varied, _DEEPEST)


def _with_siblings(mould: Mould) -> dict[int, Hole]:
    """With all lines of the forms of those: where the temperature of one GPU differs, that of the next one will."""
    found = dict(mould.varied)
    by_form: dict[tuple[str, ...], Hole] = {skeleton(hole.text): hole for hole in mould.varied.values() if hole.slots}
    for place, line in enumerate(mould.lines):
        like = by_form.get(skeleton(line)) if by_form and place not in found else None
        if like is not None and place not in mould.holes and place not in mould.hopeless:
            hole = _hole(line, mould.asking.plan_of(line), like.roles, like.slots)
            if hole.plan.wanted_by == like.plan.wanted_by and hole.words_in(line) is not None:
                found[place] = hole
    return found


def skeleton(line: str) -> tuple[str, ...]:
    return tuple(re.split(r"[0-9a-f]+", line))


def _learn(mould: Mould, varied: dict[int, Hole], deep: int) -> None:
    if not varied:
        return
    learned = _tried(mould, {**mould.holes, **varied})
    if learned is not None:
        mould.holes, mould.recipes = learned
        mould.made_of = _made_of(mould.recipes)
        mould.literals = literals_of(mould.lines, mould.holes)
    elif deep and len(varied) > 1:
        places = sorted(varied, key=lambda place: (skeleton(mould.lines[place]), place))
        for some in (places[: len(places) // 2], places[len(places) // 2 :]):
            _learn(mould, {place: varied[place] for place in some}, deep - 1)
    else:
        mould.hopeless.update(varied)


def _made_of(recipes: Mapping[int, tuple[Recipe, ...]]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    for place, some in recipes.items():
        for line in {recipe.line for recipe in some}:
            found.setdefault(line, []).append(place)
    return {line: tuple(places) for line, places in found.items()}


_Learned = tuple[dict[int, Hole], dict[int, tuple[Recipe, ...]]]


def _tried(mould: Mould, holes: Mapping[int, Hole]) -> _Learned | None:
    """The holes and recipes, where readings with other words are alike; None where they are not."""
    base, asking = mould.answer, mould.asking
    readings: list[tuple[dict[int, Words], Answer]] = []
    for words in _other_words(holes) if any(hole.slots for hole in holes.values()) else ():
        lines = list(mould.lines)
        for place, some in words.items():
            lines[place] = holes[place].with_words(some)
        fed: list[Fed] = []
        answer = asking.read(lines, fed)
        if answer is None or not _is_alike(base, answer) or not _same_roles(holes, words, fed, asking):
            return None
        mould.changed |= changed_by(fed)
        readings.append((words, answer))
    recipes = _recipes(base, readings, holes)
    found = {place: _settled(place, hole, base, asking) for place, hole in holes.items()}
    settled = {place: hole for place, hole in found.items() if hole is not None}
    return (settled, recipes) if recipes is not None and len(settled) == len(found) else None


def _other_words(holes: Mapping[int, Hole]) -> Iterator[dict[int, Words]]:
    """Words for all slots, reading by reading. Identifiers that are equal stay equal."""
    chance = random.Random(_SEED)  # noqa: S311 - no secret: the same each time, so that all runs learn alike
    for digit in ("",) * _BY_CHANCE + ("1", "9"):
        same: dict[str, str] = {}
        words: dict[int, Words] = {}
        for place, hole in holes.items():
            old = hole.words
            some = []
            for slot, word in zip(hole.slots, old, strict=True):
                new = slot.last_word(digit) if digit and slot.kind != "identifier" else slot.any_word(chance)
                some.append(same.setdefault(word, new) if slot.kind == "identifier" else new)
            if some:
                words[place] = tuple(some)
        yield words


def _is_alike(base: Answer, other: Answer) -> bool:
    return (
        len(base.records) == len(other.records)
        and all(type(old) is type(new) for old, new in zip(base.records, other.records, strict=True))
        and (base.kinds, base.counts, base.lines, base.texts) == (other.kinds, other.counts, other.lines, other.texts)
        and base.samples == other.samples
    )


def _same_roles(holes: Mapping[int, Hole], words: Mapping[int, Words], fed: Iterable[Fed], asking: Asking) -> bool:
    """Was every line with other words offered to those, and taken by those, that the hole names?"""
    by_line: dict[int, list[Fed]] = {place: [] for place in words}
    for each in fed:
        if each.line - 1 in by_line:
            by_line[each.line - 1].append(each)
    for place, some in by_line.items():
        text, known = holes[place].with_words(words[place]), holes[place].roles
        roles = _roles(asking.plan_of(text), text, some, asking)
        if roles is None or (roles.alone, roles.by_form, roles.greedy) != (known.alone, known.by_form, known.greedy):
            return False
    return True


def _settled(place: int, hole: Hole, base: Answer, asking: Asking) -> Hole | None:
    """With what its parsers made of the line as it stands; None where that is not all that was made of it."""
    alone = []
    for index, expected in hole.roles.alone:
        use, made = asking.alone(index, place + 1, hole.text)
        if use is not expected:
            return None
        at = tuple(base.records.index(one) for one in made if one in base.records)
        alone.append(Alone(index, use, made, at if len(set(at)) == len(made) and not _folds(index, asking) else None))
    told = tuple(at for at, one in enumerate(base.records) if one.ref.line == place + 1)  # type: ignore[union-attr]
    if any(base.records[at].ref.text != hole.text for at in told):  # type: ignore[union-attr]
        return None
    by_form = bool(hole.slots)
    owned = {at for each in alone for at in each.places or ()}
    if not by_form and any(each.places is None and each.made for each in alone) and told:
        return None
    if not by_form and not owned.issuperset(told):
        return None
    return replace(hole, alone=tuple(alone), told=told)


def _folds(index: int, asking: Asking) -> bool:
    return bool(getattr(asking.parsers[index], "folds", False))


def _recipes(
    base: Answer, readings: Sequence[tuple[dict[int, Words], Answer]], holes: Mapping[int, Hole]
) -> dict[int, tuple[Recipe, ...]] | None:
    """How the records that differ are made; None where one of them cannot be told."""
    all_words = [{place: hole.words for place, hole in holes.items()}]
    all_words += [words for words, _ in readings]
    told = _by_result(all_words[1]) if readings else {}
    found: dict[int, tuple[Recipe, ...]] = {}
    for place, old in enumerate(base.records):
        versions = [old, *(answer.records[place] for _, answer in readings)]
        if all(each == old for each in versions):
            continue
        recipes = _of_record(versions, all_words, told)
        if recipes is None:
            return None
        if recipes:
            found[place] = recipes
    return found


_Results = dict[object, list[tuple[int, int, Callable[[str], object]]]]


def _by_result(words: Mapping[int, Words]) -> _Results:
    """What can be made of the words, and how."""
    found: _Results = {}
    for place, some in words.items():
        for slot, word in enumerate(some):
            for make in _MAKES:
                result = _made(make, word)
                if result is not None:
                    found.setdefault((type(result), result), []).append((place, slot, make))
    return found


def _made(make: Callable[[str], object], word: str) -> object:
    try:
        return make(word)
    except ValueError:
        return None


def _of_record(
    versions: Sequence[Record], words: Sequence[Mapping[int, Words]], told: _Results
) -> tuple[Recipe, ...] | None:
    """Recipes for the fields that differ, beside the line itself; None where there is none for one of them."""
    first = versions[0]
    plain = [with_ref(each, first.ref) for each in versions]  # type: ignore[union-attr]
    if any(each.ref.line != first.ref.line for each in versions):  # type: ignore[union-attr]
        return None
    if all(each == plain[0] for each in plain):
        return ()
    if not all(isinstance(each, Reading) for each in plain):
        return None
    fields = [asdict(each) for each in plain]
    names = [name for name in fields[0] if any(each[name] != fields[0][name] for each in fields)]
    recipes = []
    for name in names:
        values = [each[name].name if name == "part" else each[name] for each in fields]
        if name not in ("part", "value") or len({each["part"].kind for each in fields}) > 1:
            return None
        recipe = _of_field(name, values, words, told)
        if recipe is None:
            return None
        recipes.append(recipe)
    return tuple(recipes)


def _of_field(
    name: str, values: Sequence[object], words: Sequence[Mapping[int, Words]], told: _Results
) -> Recipe | None:
    """The recipe that gives each of the values of its words."""
    for place, slot, make in told.get((type(values[1]), values[1]), ()):
        if all(
            value == _made(make, some[place][slot]) and type(value) is type(_made(make, some[place][slot]))
            for value, some in zip(values, words, strict=True)
        ):
            return Recipe(name, place, slot, make)
    return None
