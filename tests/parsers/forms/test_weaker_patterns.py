"""What a pattern becomes in a gate. That no gate is shut for a line that is wanted: ``reading/test_line_interest.py``."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.gates import any_of, is_blind, weaker


@pytest.mark.parametrize(
    ("pattern", "weak"),
    [
        (r"(?<![\w])a(?=b)\d{1,300}", snapshot(r"[\x61](?:[\d])+")),
        (r"(?i)ok|\bno{2}\b", snapshot(r"(?:[\x6f\x4f][\x6b\x4b]|\b[\x6e\x4e](?:[\x6f\x4f]){2,2}\b)")),
        (r"^[^\s:é]+?(?P<end>…|\.)$", snapshot(r"^(?:[^\s\x3a])+(?:[\x2e])$")),
        (any_of(["it/s", "é"]), snapshot(r"(?:[\x69\x49][\x74\x54][\x2f][\x73\x53])")),
    ],
)
def test_what_a_pattern_becomes(pattern: str, weak: str) -> None:
    assert weaker(pattern) == weak


@given(st.from_regex(r"(?a)\A(?:(?:a|bc){1,9}(?=\.)\.\w{2,8}(?!\d)[^\d]?|x{0,5}y+?(?<!z))\Z"))
def test_the_weaker_pattern_matches_no_less(text: str) -> None:
    assert re.fullmatch(weaker(r"(?:a|bc){1,9}(?=\.)\.\w{2,8}(?!\d)[^\d]?|x{0,5}y+?(?<!z)"), text)


@pytest.mark.parametrize(
    "pattern", [r"a\d{1,3}b", r"[\d.]+x", r"[^\s\d]", r"(?:a|\w+)?(?<!\d)", r"\S+", r"[0-9a-f]+:", "(?i)ab."]
)
def test_a_pattern_that_asks_for_no_digit_is_blind(pattern: str) -> None:
    assert is_blind(pattern)


@pytest.mark.parametrize("pattern", ["x8", "[1-9]", "a(?!0)", r"(\d)/\1", "(?:a|b(?:3|c))+", "[^0]"])
def test_a_pattern_that_asks_which_digit_stands_there_is_not(pattern: str) -> None:
    assert not is_blind(pattern)
