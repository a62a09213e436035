"""What one test gave with each of several settings, as people write it down."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import diagnoses_of

from slowlink.parsers.benchmarks import trial_results
from slowlink.parsers.benchmarks.trial_results import PARSER


def rows(text: str) -> list[tuple[str, str, str]]:
    return [(e.groups["label"], e.groups["gbs"], e.groups["settings"]) for e in feed(PARSER, text.splitlines())]


def test_the_sample() -> None:
    assert rows(sample_in(trial_results.__doc__ or ""))[:2] == snapshot(
        [("baseline", "381.2", ""), ("NCCL_NET_GDR_LEVEL=LOC", "152.6", "NCCL_NET_GDR_LEVEL=LOC")]
    )


@pytest.mark.parametrize(
    "text",
    [
        "default: 92.4 GB/s\nNCCL_IB_HCA=mlx5_0,mlx5_3: 372.8 GB/s\n",
        "| setting | busbw GB/s |\n|---|---|\n| default | 92.4 |\n| NCCL_IB_HCA=mlx5_0,mlx5_3 | 372.8 |\n",
        "setting                     busbw\nwithout NCCL_IB_HCA         92.4\nNCCL_IB_HCA=mlx5_0,mlx5_3   372.8\n",
        "as shipped -> busbw 92.4\nNCCL_IB_HCA=mlx5_0,mlx5_3 -> busbw 372.8\n",
    ],
)
def test_who_writes_it_how(text: str) -> None:
    assert [(gbs, settings) for _, gbs, settings in rows(text)] == [
        ("92.4", ""),
        ("372.8", "NCCL_IB_HCA=mlx5_0,mlx5_3"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "default: 92.4\nNCCL_ALGO=Ring: 91\n",  # nobody says what the numbers are
        "setting  time (us)\ndefault  92.4\nNCCL_ALGO=Ring  91\n",
        "NCCL_DEBUG=INFO\nNCCL_BUFFSIZE=8388608\n",
        "default: 92.4 GB/s\n",
        "before the change we had 92.4 GB/s in all tests that we ran\nand after it NCCL was at 91 GB/s there\n",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert rows(text) == []


def test_rows_are_no_settings_in_force() -> None:
    text = "setting                  busbw\ndefault                  372.1\nNCCL_PROTO=Simple        371.0\n"
    assert diagnoses_of(text + "NCCL_P2P_DISABLE=1       370.0\n") == ()


@given(st.lists(st.text(alphabet="NCL_AO=1: defaultGB/s0.|", max_size=50), max_size=6))
def test_any_lines_are_borne(lines: list[str]) -> None:
    assert all(float(gbs) >= 0 for _, gbs, _ in rows("\n".join(lines)))


@given(st.text(alphabet="NCL_AO=012: defaultGB/s.|", max_size=60))
def test_what_is_wanted_does_not_depend_on_digits(text: str) -> None:
    zeroed = "".join("0" if char.isdecimal() else char for char in text)
    assert PARSER.wants(text) == PARSER.wants(zeroed)
