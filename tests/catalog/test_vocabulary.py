"""What programs say: the form of a text, and the documents themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import slowlink
from slowlink.catalog.causes import all_causes
from slowlink.catalog.vocabulary import Meaning, Message, Text, Vocabulary, programs, taken_apart, vocabulary, word_of
from slowlink.parsers.forms.program_lines import PROGRAM_LINES, UNPREFIXED, may_complain
from slowlink.parsers.nccl.nccl_log.registry import VOCABULARIES
from slowlink.rules.job.program_said import CAUSES

MEANINGS = [(name, meaning) for name in programs() for meaning in vocabulary(name).meanings]
RULES = Path(slowlink.__file__).parent / "rules"
SPELLED = frozenset(
    name
    for path in RULES.rglob("*.py")
    for name in re.findall(r"[\"']([a-z0-9]+(?:-[a-z0-9]+)*)[\"']", path.read_text(encoding="utf-8"))
)


def meaning(kind: str, *texts: str) -> Meaning:
    return Meaning(kind, "grinder", "cause", kind, "", "error", "likely", (), (), secondary=False, texts=texts)


def found(text: str, line: str) -> dict[str, str] | None:
    read = Vocabulary((meaning("any", text),)).find(Message(line))
    return None if read is None else read[1]


def test_a_place_keeps_a_word() -> None:
    assert found("port {port} of {hca} is down", "Port 1 of mlx5_3 is down.") == {"port": "1", "hca": "mlx5_3"}


def test_a_place_for_a_word_takes_no_more_than_one() -> None:
    assert found("port {port} of {hca} is down", "Port 1 of the card mlx5_3 is down.") is None


def test_a_place_with_dots_keeps_words() -> None:
    assert found("could not open: {error...} ({code})", "could not open: No such file (2)") == {
        "error": "No such file",
        "code": "2",
    }


def test_a_value_at_the_end_is_one_word_without_what_quotes_it() -> None:
    assert found("unknown device {hca}", "Unknown device 'mlx5_9', ignored") == {"hca": "mlx5_9"}


def test_an_unnamed_place_is_anything_and_keeps_nothing() -> None:
    assert found("lost {} of peer {peer}", "lost all trace of peer 10.0.0.2 today") == {"peer": "10.0.0.2"}


def test_an_anchored_text_begins_the_message() -> None:
    assert found("^grinder stopped", "Grinder stopped") == {}
    assert found("^grinder stopped", "the grinder stopped") is None


def test_an_anchored_text_whose_first_word_goes_on_is_found_by_its_beginning() -> None:
    known = Vocabulary((meaning("grinder", "^grind{}: "),))
    assert [
        known.find(Message(text)) is not None for text in ("GrinderStart_X: odd", "the grinder: odd", "gr: odd", "")
    ] == [
        True,
        False,
        False,
        False,
    ]


def test_the_text_with_the_most_literal_characters_counts() -> None:
    both = Vocabulary((meaning("short", "queue overran"), meaning("long", "queue overran on {hca}")))
    known = both.find(Message("completion queue overran on mlx5_0"))
    assert known is not None
    assert (known[0].kind, known[1]) == ("long", {"hca": "mlx5_0"})


def test_a_broad_meaning_gives_way_to_any_other() -> None:
    trouble = replace(meaning("trouble", "grinder failed to turn"), broad=True)
    both = Vocabulary((trouble, meaning("stone", "a stone")))
    lines = ("grinder failed to turn", "grinder failed to turn: a stone")
    assert [known[0].kind for line in lines if (known := both.find(Message(line)))] == ["trouble", "stone"]


def test_a_text_is_found_by_a_word_that_no_value_can_stretch() -> None:
    assert word_of(taken_apart(meaning("any"), "mlx{n} temperature{x} at port")) == "port"


@given(st.text(max_size=200))
def test_any_text_gives_a_result(line: str) -> None:
    for name in programs():
        vocabulary(name).find(Message(line))


@given(st.lists(st.sampled_from(["queue", "port", "lost", " ", "{}", "{name}", "{name...}"]), min_size=1, max_size=9))
def test_a_text_finds_itself_with_its_places_filled(parts: list[str]) -> None:
    text = "lost queue " + "".join(parts)
    line = re.sub(r"\{[^}]*\}", "x", text)
    taken: Text = taken_apart(meaning("any"), text)
    if "" not in taken.literals[1:-1] and " " not in taken.literals[1:]:
        assert Vocabulary((meaning("any", text),)).find(Message(line)) is not None


@pytest.mark.parametrize("program", programs())
def test_a_meaning_is_used_or_says_that_it_needs_no_use(program: str) -> None:
    """A symptom is the first error of a run that failed for a reason that nobody knows; a cause needs a rule."""
    for each in vocabulary(program).meanings:
        assert each.cause or each.kind in SPELLED or each.sort != "cause", f"give {each.kind} a cause or a rule"
        assert not (each.cause and each.sort in ("fact", "harmless")), f"{each.kind}: what is no fault has no cause"


@pytest.mark.parametrize("program", programs())
def test_no_text_is_so_short_that_it_fits_by_chance(program: str) -> None:
    """Short ones only where the form of the line says whose it is, unknown lines are ignored, and nobody is accused."""
    chatty = {name for form in PROGRAM_LINES if form.chatty for name in (form.program, *form.also)}
    for each in vocabulary(program).meanings:
        for text in each.texts:
            letters = sum(c.isalpha() for literal in taken_apart(each, text).literals for c in literal)
            least = 5 if text.startswith("^") else 10
            assert letters >= (3 if each.sort != "cause" and program in chatty else least), text


@pytest.mark.parametrize("program", programs())
def test_no_text_stands_twice(program: str) -> None:
    texts = [text.lower() for each in vocabulary(program).meanings for text in each.texts]
    assert sorted(texts) == sorted(set(texts))


def test_a_cause_with_its_own_words_has_a_kind_of_its_own() -> None:
    for program in programs():
        kinds = [each.kind for each in vocabulary(program).meanings if each.cause]
        assert sorted(kinds) == sorted(set(kinds)), program


@pytest.mark.parametrize("program", UNPREFIXED)
def test_bare_texts_hold_a_hint(program: str) -> None:
    for each in vocabulary(program).meanings:
        for text in each.texts:
            assert may_complain(text), f"{text}: no reader asks for it"
            assert word_of(taken_apart(each, text)), f"{text}: every line would be compared with it"


def test_every_document_has_readers() -> None:
    asked = {name for form in PROGRAM_LINES for name in (form.program, *form.also)}
    by_name = {"systemd-units"}  # parsers/host/systemd_units.py asks it for names of units
    assert asked | {*UNPREFIXED} | {*VOCABULARIES} | by_name == {*programs()}


def test_the_rule_declares_what_the_documents_name() -> None:
    named = {each.cause for _, each in MEANINGS if each.cause} | {c for _, each in MEANINGS for c in each.explains}
    assert {each.cause for _, each in MEANINGS if each.cause} <= {*CAUSES}
    assert named <= {*all_causes()}
