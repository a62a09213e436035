"""JSON in text: what is too rich for its length is not decoded."""

from __future__ import annotations

import json

import pytest

from slowlink.parsers.forms.json_blocks import MOST_CONTAINERS, MOST_VALUES, TRUNCATED, Block, find_block, is_cut


@pytest.mark.parametrize(
    "text",
    [
        "[" + "{}," * (MOST_CONTAINERS + 1) + "{}]",
        "[" + "1," * (MOST_VALUES + 1) + "1]",
    ],
    ids=["brackets", "commas"],
)
def test_of_a_text_of_very_many_values_only_the_front_is_decoded(text: str) -> None:
    found = find_block([text], 0, 0, 1)
    assert isinstance(found, Block)
    assert isinstance(found.value, list)
    assert (len(found.value) < 1 << 16, found.span, found.cut) == (True, 1, "inside")


def test_a_long_text_of_few_values_is_decoded() -> None:
    found = find_block(['{"a": "' + "x" * (MOST_VALUES + 1) + '"}'], 0, 0, 1)
    assert isinstance(found, Block)
    assert found.cut == ""


@pytest.mark.parametrize("indent", [None, 1])
def test_wherever_a_value_is_cut_it_says_that_it_ends_there(indent: int | None) -> None:
    value = {"a": "x\u00e9\\", "b": [True, None, -1.5e3, 1e-9, {"c": float("-inf"), "d": False}], "e": "end"}
    text = json.dumps(value, indent=indent)
    cuts = [find_block(text[:length].split("\n"), 0, 0, 1) for length in range(2, len(text))]
    assert {found.cut if isinstance(found, Block) else found for found in cuts} == {"end"}


def test_a_value_that_goes_wrong_holds_what_stands_before() -> None:
    lines = ['{"a": [', '  {"b": 1},', '  {"b": 2,', "Xid 79 on gpu07", '  {"b": 3}]}']
    assert find_block(lines, 0, 0, 1) == Block({"a": [{"b": 1}, {"b": 2}], TRUNCATED: True}, 1, 3, "inside")


def test_in_a_list_the_last_entry_is_marked() -> None:
    found = find_block(['[{"a": 1}, {"a": 2, "b'], 0, 0, 1)
    assert found == Block([{"a": 1}, {"a": 2, TRUNCATED: True}], 1, 1, "end")
    assert is_cut(found.value)
    assert not is_cut([{"a": 1}])


def test_a_comma_that_is_missing_at_a_lines_end() -> None:
    """NCCL 2.28.9 prints the missing ranks of RAS so."""
    lines = ["{", '  "missing_ranks": [', "    {", '      "nvml_dev": 1', '      "status": {', '        "gone": true']
    lines += ["      }", "    }", "  ]", "}", "next"]
    assert find_block(lines, 0, 0, 1) == Block({"missing_ranks": [{"nvml_dev": 1, "status": {"gone": True}}]}, 1, 10)
