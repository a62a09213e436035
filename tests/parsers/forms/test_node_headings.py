"""What heads the output of one node among several, in the words of whoever pasted it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.fronts.node_headings import HEADING_MARKS, Heading, heading_of, may_have_kind, nodes_among

WITH_A_TOOL = (
    "=== {n}: ibstat ===", "=== ibstat on {n} ===", "== {n}  ibstat", "### {n} - ibstat mlx5_0", "--- {n}, ibstat",
    "## ibstat ({n})", "# {n}: nvidia-smi -q", "**{n}** ibstat", "[{n}] ibstat", "{n}: ibstat", "{n} ibstat:",
    "--- ibstat @ {n} ---", "{n} | ibstat", "ibstat {n}:", "ibstat auf {n}:", "output of ethtool -S ens5f0np0 on {n}:",
)  # fmt: skip
WITH_WORDS = (
    "== {n} counters before the run",
    "## {n}: after the swap",
    ">> {n} - healthy twin",
    "on {n}:",
    "From {n}:",
)


@pytest.mark.parametrize("form", [*WITH_A_TOOL, *WITH_WORDS])
def test_two_nodes_are_told_apart(form: str) -> None:
    headings = [heading_of(form.format(n=name)) for name in ("gpu-07", "gpu-08")]
    assert [each.name for each in headings if each is not None] == ["gpu-07", "gpu-08"]
    assert len(nodes_among([each for each in headings if each is not None])) == 2
    assert any(mark.strip("\n") in f"\n{form}\n".lower() for mark in HEADING_MARKS)


@pytest.mark.parametrize(
    "text",
    [
        "run nvidia-smi on gpu-07 and gpu-08",
        "ibstat shows that gpu-07 is down",
        "we asked ibstat on gpu-07 and it was fine",
        "## 2 nodes and 16 ranks",
        "nvidia-smi -i 3",
        "ibstat mlx5_0",
        "see dmesg of rank3:",
    ],
)
def test_sentences_and_commands_name_no_node(text: str) -> None:
    heading = heading_of(text)
    assert heading is None or not may_have_kind(heading.name)


@given(st.text(max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    found = heading_of(text)
    assert found is None or isinstance(found, Heading)
