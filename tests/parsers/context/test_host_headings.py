"""Lines that name the host of what follows."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers.context.host_headings import HostHeadings
from slowlink.parsers.reading.read import read


@pytest.mark.parametrize(
    ("lines", "hosts"),
    [
        (["HOST=gpu07", "== nvidia-smi topo -m =="], ["gpu07"]),
        (["=== host: gpu07 ===", "$ nvidia-smi"], ["gpu07"]),
        (["Hostname: gpu07.lab", "-------------"], ["gpu07.lab"]),
        (["-" * 15, "gpu[01-14] (14)", "-" * 15, "x"], ["gpu[01-14]"]),
        (["gpu07 | CHANGED | rc=0 >>", "x", "gpu08 | FAILED | rc=1 >>"], ["gpu07", "gpu08"]),
        (["| gpu07 | CHANGED | rc=0 |"], []),
        (["HOST=gpu07", "HOME=/root", "== x =="], []),
        (["host: alpha", "hca_id:\tmlx5_2", "host: beta", "hca_id:\tmlx5_2"], ["alpha", "beta"]),
        (["node: gpu07", "CA 'mlx5_0'"], ["gpu07"]),
        (["HOST=gpu07"], []),
        (["host: 7", "== x =="], []),
        (["node is gpu07", "== x =="], []),
    ],
)
def test_headings(lines: list[str], hosts: list[str]) -> None:
    assert [found.host for found in feed(HostHeadings, lines)] == hosts


def test_what_follows_belongs_to_the_host() -> None:
    text = "".join(
        f"HOST=gpu{n:02}\n== nvidia-smi topo -m ==\n\tGPU0\tGPU1\nGPU0\t X \tNV{n}\nGPU1\tNV{n}\t X \n" for n in (4, 6)
    )
    state = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert state is not None
    assert [(r.host, r.value) for r in state.readings["gpu-pair-link"].all] == [("gpu04", "NV4"), ("gpu06", "NV6")]


@given(st.lists(st.sampled_from(["HOST=a1", "host: b", "== x ==", "", "text", "Node = c ##"]), max_size=10))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    parser = HostHeadings()
    for number, text in enumerate(lines, 1):
        assert HostHeadings.wants(text) == HostHeadings.wants(re.sub(r"\d", "0", text))
        parser.feed(Line("t", number, text))
    assert len(list(parser.finish())) <= len(lines)
