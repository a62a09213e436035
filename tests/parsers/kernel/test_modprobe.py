"""Modules that could not be loaded."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.kernel.modprobe import MESSAGES, PARSER


def test_each_sample_is_read() -> None:
    for message in MESSAGES:
        for sample in message.samples:
            (event,) = feed(PARSER, [sample])
            assert (event.kind, event.groups["module"].replace("-", "_")) == ("module-refused", "nvidia_peermem")


@given(st.text(max_size=80))
def test_any_text_gives_a_result(text: str) -> None:
    assert feed(PARSER, [f"modprobe: ERROR: {text}"]) == []
