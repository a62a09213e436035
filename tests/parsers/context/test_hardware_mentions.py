"""Words about hardware."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.context.hardware_mentions import FACTS, HardwareMentions
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.observation_table import Fact


def _read(text: str) -> list[tuple[str, str, str]]:
    parser = HardwareMentions()
    if HardwareMentions.wants(text):
        parser.feed(Line("ticket.txt", 1, text))
    return [(o.kind, o.subject, o.value) for o in parser.finish()]


@pytest.mark.parametrize(("fact", "sample"), [(fact, sample) for fact in FACTS for sample in fact.samples])
def test_samples_are_wanted_and_read(fact: Fact, sample: str) -> None:
    assert fact.kind in [kind for kind, _, _ in _read(sample)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two nodes, 4x ConnectX-7 400G each", [("nics-mentioned", "4", "400")]),
        ("8 x H100 SXM with 8x400G", [("nics-mentioned", "8", "400"), ("gpu-mentioned", "", "H100 SXM")]),
        ("on p5.48xlarge", [("system-mentioned", "", "p5.48xlarge")]),
        ("  8388608  2097152  float  sum  -1  123.4  67.98  118.9  0", []),
        ("error code 0xH100", []),
        ("commit A100b2c and file-H100.txt", []),
    ],
)
def test_mentions(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert _read(text) == expected


def test_a_line_without_hardware_is_not_claimed() -> None:
    assert HardwareMentions().feed(Line("ticket.txt", 1, "it was slow")) is Use.NOT_MINE


TICKET = """\
We run on two nodes of H200 NVL, each with 4x ConnectX-7 400G RoCE.
Another cluster has 8 x MI300X and 8x400G, the cloud one p5.48xlarge and Standard_ND96isr_H100_v5.
gpu01:4711:4711 [0] NCCL INFO NVIDIA H100 with 8x400G
Commit A100b2c changed file-H100.txt; error code 0xH100.
"""


def test_a_whole_ticket() -> None:
    assert [(o.kind, o.subject, o.value) for o in feed(HardwareMentions, TICKET.splitlines())] == snapshot(
        [
            ("nics-mentioned", "4", "400"),
            ("port-rate-mentioned", "", "400"),
            ("gpu-mentioned", "", "H200 NVL"),
            ("nics-mentioned", "8", "400"),
            ("gpu-mentioned", "", "MI300X"),
            ("system-mentioned", "", "p5.48xlarge"),
            ("system-mentioned", "", "Standard_ND96isr_H100_v5"),
        ]
    )


@given(st.lists(st.text(max_size=60) | st.sampled_from(TICKET.split(" ")), max_size=12).map(" ".join))
def test_any_text_gives_a_result(text: str) -> None:
    assert all(found.value in text for found in feed(HardwareMentions, text.splitlines()))
