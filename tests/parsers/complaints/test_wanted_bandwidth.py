"""What somebody expects of a bandwidth, in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.complaints.wanted_bandwidth import FACTS, WantedBandwidth


def _wanted(text: str) -> list[str]:
    parser = WantedBandwidth()
    if parser.wants(text):
        parser.feed(Line(source="mail.txt", no=1, text=text))
    return [seen.value for seen in parser.finish()]


@pytest.mark.parametrize("sample", [sample for fact in FACTS for sample in fact.samples])
def test_each_sample_tells_a_number(sample: str) -> None:
    assert _wanted(sample)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("NVLink on A100 is 600 GB/s according to the datasheet. We only reach 232", ["600 GB/s"]),
        ("Which variable do I need so that alltoall gets at least 300?", ["300"]),
        ("I get 392 Gb/s with this cable and not 400 others", []),
        ("With this cable and port I get 392 Gb/s, and not 400", ["400"]),
        ("我们的 all_reduce 至少想要 300", ["300"]),
        ("We expect bandwidth to scale from 2 to 16 nodes", []),
        ("We expect all_reduce over 16 GPUs to finish in time", []),
        ("the all_reduce should finish in 30 ms on this machine", []),
        ("At least 3 of our nodes hang in all_reduce, we expect none", []),
        ("The NCCL_TESTS_MIN_BW of the job was expected to be 400", []),
        ("We wanted a run with at least 8GB of messages for all_reduce", []),
    ],
)
def test_numbers_that_are_expected(text: str, values: list[str]) -> None:
    assert _wanted(text) == values


@given(st.text(max_size=300))
def test_any_text_gives_a_result(text: str) -> None:
    assert all(value[0].isdecimal() for value in _wanted(text))
