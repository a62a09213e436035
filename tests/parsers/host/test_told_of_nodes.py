"""What people and loops say of each node in a line of its own."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import diagnoses_of

from slowlink.model.job import Observation
from slowlink.model.state import Reading
from slowlink.parsers.host import told_of_nodes
from slowlink.parsers.host.told_of_nodes import PARSER


def told(*lines: str) -> list[tuple[str, str | None, object]]:
    return [
        (record.attribute if isinstance(record, Reading) else record.kind, record.host, record.value)
        for record in feed(PARSER, lines)
    ]


def causes(text: str) -> list[tuple[str, str, str]]:
    return [(found.cause, found.severity, found.suspects[0].name) for found in diagnoses_of(text)]


def test_the_sample() -> None:
    assert told("n1: 8 GPUs", "n2: 7 of 8 GPUs, 8 HCAs") == snapshot(
        [("gpu-count", "n1", 8), ("gpu-count", "n2", 7), ("hca-count", "n2", 8)]
    )
    assert sample_in(told_of_nodes.__doc__ or "")


def test_counts_versions_and_speeds_are_compared() -> None:
    counts = "".join(f"node0{n}: {8 - (n == 7)} GPUs\n" for n in (5, 6, 7, 8))
    assert causes(counts) == snapshot([("gpu-missing", "error", "node07")])
    built = "".join(f"h200-{n}: 8x H200, 8 HCAs, driver {550 if n == 'c' else 570}.86.15\n" for n in "abcd")
    assert causes(built) == snapshot([("version-mismatch", "warning", "h200-c")])
    kernels = "Kernel versions per node:\n" + "".join(
        f"g-{n}  5.15.0-{1042 if n == 3 else 1063}-nvidia\n" for n in range(1, 5)
    )
    assert causes(kernels) == snapshot([("version-mismatch", "warning", "g-3")])


def test_the_speed_that_a_loop_asked_for() -> None:
    command = '$ for h in n0{1..4}; do echo -n "$h: "; ssh $h "ethtool ens1f0np0 | grep Speed"; done\n'
    rows = "".join(f"n0{n}:    Speed: {100 if n == 3 else 200}000Mb/s\n" for n in (1, 2, 3, 4))
    assert causes(command + rows) == snapshot([("port-rate-low", "error", "n03 ens1f0np0")])
    assert causes(command + rows.replace("100000", "200000")) == []


@pytest.mark.parametrize(
    "text",
    [
        "step 100: 8 GPUs\nstep 200: 7 GPUs\n",
        "rank1: 8 GPUs\nrank2: 7 GPUs\nrank3: 8 GPUs\n",
        "node07: 7 GPUs were enough for us\nnode08: 8 GPUs were enough for us\nnode09: 8 GPUs were enough\n",
        "use kernel 5.15.0\nuse driver 550.1\n",
        "v1: 8 GPUs\nv2: 7 GPUs\nv3: 8 GPUs\n",
        "Kernel launches per node:\nn1  5.15\nn2  5.14\nn3  5.14\n",
    ],
)
def test_other_lines_say_nothing_of_nodes(text: str) -> None:
    assert told(*text.splitlines()) == []


@given(st.lists(st.text(alphabet="n12: gpus,=8driver.-", max_size=40), max_size=6))
def test_any_lines_are_borne(lines: list[str]) -> None:
    for record in feed(PARSER, lines):
        assert isinstance(record, Reading | Observation)


@given(st.text(alphabet="n0123: gpus,=driver.-hca", max_size=60))
def test_what_is_wanted_does_not_depend_on_digits(text: str) -> None:
    zeroed = "".join("0" if char.isdecimal() else char for char in text)
    assert PARSER.wants(text) == PARSER.wants(zeroed)
