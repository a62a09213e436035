"""Rates of pairs alone and of all together, in words."""

from __future__ import annotations

import pytest
from feeding import feed

from slowlink.parsers.complaints.slower_together import SlowerTogether


def values(text: str) -> list[str]:
    return [found.value for found in feed(SlowerTogether, [text])]


@pytest.mark.parametrize(
    "text",
    [
        "each pair alone gives 46 GB/s, the alltoall of all 64 nodes 9 GB/s",
        "in the alltoall: 9 GB/s; two hosts by themselves 46 GB/s",
        "# both nodes reach 46 GB/s on their own, with the others 9 GB/s",
        "any two nodes alone: 44 to 46 GB/s, 16 of them 9 GB/s",
    ],
)
def test_both_rates_in_any_order(text: str) -> None:
    assert values(text) == ["46 GB/s alone, 9 GB/s together"]


@pytest.mark.parametrize(
    "text",
    [
        "each pair alone gives 46 GB/s, the alltoall of all 64 nodes 41 GB/s",  # no loss to speak of
        "each pair alone gives 46 GB/s",
        "each pair alone gives 46 GB/s, before it was 9 GB/s and 11 GB/s",  # which of the two?
        "each pair alone gives 46 GB/s, each wire carries 9 Gb/s",
        "the standalone scheduler: 46 GB/s, two hosts 9 GB/s",
        "leave the two hosts alone",
        "should two hosts alone reach 46 GB/s e.g. and all of them 9 GB/s, see also the manual",
    ],
)
def test_lines_that_compare_nothing(text: str) -> None:
    assert values(text) == []
