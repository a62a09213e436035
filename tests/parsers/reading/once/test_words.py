"""Words that differ from node to node, and those that say something of their own."""

from __future__ import annotations

import random
import re

import pytest

from slowlink.parsers.reading.once.words import WORD, slot_for

_UUID, _OTHER = "GPU-8f643855-1f5a-b5ad-1228-42b4bad1612a", "GPU-00b41c55-ea9a-05ad-7721-92b4bad1612f"


@pytest.mark.parametrize(
    ("first", "second", "kind", "fit", "unfit"),
    [
        ("35", "7", "whole", ("1", "350"), ("0", "035", "3500", "255", "-3", "35.0")),
        ("66.12", "7.50", "decimal", ("0.01", "660.10"), ("0.00", "66.1", "66")),
        ("09:06:28", "23:59:59", "stamp", ("00:00:00",), ("9:06:28", "09-06-28")),
        (_UUID, _OTHER, "identifier", (_OTHER,), ("GPU-00000000-0000-0000-0000-000000000000", "XPU" + _UUID[3:])),
        ("0xa088c200b1df579f", "0x1088c200b1df579f", "identifier", ("0xa088c200b1df5790",), ("0xffffffffffffffff",)),
    ],
)
def test_a_slot_takes_words_of_its_kind(
    first: str, second: str, kind: str, fit: tuple[str, ...], unfit: tuple[str, ...]
) -> None:
    slot = slot_for(0, first, second)
    assert slot is not None
    assert slot.kind == kind
    chance = random.Random(1)
    for word in (first, second, *fit, slot.any_word(chance), slot.any_word(chance)):
        assert re.fullmatch(slot.pattern(), word)
        assert slot.fits(word)
    assert not any(re.fullmatch(slot.pattern(), word) and slot.fits(word) for word in unfit)


@pytest.mark.parametrize(
    ("first", "second"),
    [("0", "35"), ("65535", "7"), ("Active", "Down"), ("gen4", "gen5"), ("35", "35.5"), ("0.00", "1.25"), ("a1", "b2")],
)
def test_there_is_no_slot_for_words_that_mean_something_of_their_own(first: str, second: str) -> None:
    assert slot_for(0, first, second) is None


def test_numbers_are_tried_at_both_ends() -> None:
    whole, decimal = slot_for(0, "35", "36"), slot_for(0, "6.50", "7.50")
    assert whole is not None
    assert decimal is not None
    assert [whole.last_word(digit) for digit in "19"] == ["1", "999"]
    assert [decimal.last_word(digit) for digit in "19"] == ["0.01", "99.99"]


def test_a_word_is_what_stands_between_blanks_and_brackets() -> None:
    assert WORD.findall(f"GPU 0: H100 (UUID: {_UUID})") == ["GPU", "0", "H100", "UUID", _UUID]
