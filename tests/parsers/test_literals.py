"""One search for the literal texts of all parsers says what a search for each of them says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.literals import Literals, folded

WORDS = ("error", "Err", "0x0", "r: ", "ü", "rror", "PASS", "\x1b[")
SETS = [(words, Literals(words)) for words in (WORDS, WORDS[:3], WORDS[3:], ("e",), ())]
ANY_CASE = [(words, Literals(map(folded, words), fold=True)) for words in (WORDS, WORDS[:3], ("pass", "x00"))]
TEXTS = st.lists(st.sampled_from((*WORDS, "0x5", "E", "err or", "Ü", "\udc80", "\0", " ")) | st.text(max_size=3)).map(
    "".join
)


@given(TEXTS)
def test_a_set_is_found_as_written(text: str) -> None:
    assert [literals.in_(text) for _, literals in SETS] == [any(word in text for word in words) for words, _ in SETS]


@given(TEXTS)
def test_a_folded_set_is_found_in_any_case_and_with_any_digits(text: str) -> None:
    held = [any(folded(word) in folded(text) for word in words) for words, _ in ANY_CASE]
    assert [literals.in_(text) for _, literals in ANY_CASE] == held


def test_a_set_that_comes_later_is_found_too() -> None:
    text = "a line that was searched before"
    assert SETS[3][1].in_(text)
    assert Literals(("searched",)).in_(text)
    assert not Literals(("nothing",)).in_(text)
