"""JSON in text: what is too rich for its length is not decoded."""

from __future__ import annotations

import pytest

from slowlink.parsers.forms.json_blocks import MOST_CONTAINERS, MOST_VALUES, Block, find_block


@pytest.mark.parametrize(
    "text",
    [
        "[" + "{}," * (MOST_CONTAINERS + 1) + "{}]",
        "[" + "1," * (MOST_VALUES + 1) + "1]",
    ],
    ids=["brackets", "commas"],
)
def test_a_text_of_very_many_values_is_not_decoded(text: str) -> None:
    assert not isinstance(find_block([text], 0, 0, 1), Block)


def test_a_long_text_of_few_values_is_decoded() -> None:
    found = find_block(['{"a": "' + "x" * (MOST_VALUES + 1) + '"}'], 0, 0, 1)
    assert isinstance(found, Block)


def test_a_comma_that_is_missing_at_a_lines_end() -> None:
    """NCCL 2.28.9 prints the missing ranks of RAS so."""
    lines = ["{", '  "missing_ranks": [', "    {", '      "nvml_dev": 1', '      "status": {', '        "gone": true']
    lines += ["      }", "    }", "  ]", "}", "next"]
    assert find_block(lines, 0, 0, 1) == Block({"missing_ranks": [{"nvml_dev": 1, "status": {"gone": True}}]}, 1, 10)
