"""Variables as ``env`` and the headers of scripts print them."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.context.env_dump import MAX_SETTINGS, PARSER


def pairs(*lines: str) -> list[tuple[str, str, str]]:
    return [(one.name, one.value, one.origin) for one in feed(PARSER, lines)]


def test_env_output() -> None:
    lines = ["HOME=/root", "NCCL_DEBUG=INFO", "NCCL_NET=AWS Libfabric", "SLURM_NTASKS=16", "SHELL=/bin/bash"]
    assert pairs(*lines) == [
        ("NCCL_DEBUG", "INFO", "dump"),
        ("NCCL_NET", "AWS Libfabric", "dump"),
        ("SLURM_NTASKS", "16", "dump"),
    ]


def test_header_of_a_script() -> None:
    assert pairs("# Env: LD_LIBRARY_PATH=/usr/lib64 FI_PROVIDER=efa NCCL_ALGO=Ring") == [
        ("LD_LIBRARY_PATH", "/usr/lib64", "dump"),
        ("FI_PROVIDER", "efa", "dump"),
        ("NCCL_ALGO", "Ring", "dump"),
    ]


def test_what_a_loop_over_nodes_prints() -> None:
    lines = ["gpu07 NCCL_PROTO=Simple", "gpu08: NCCL_DEBUG=INFO NCCL_PROTO=LL", "NCCL_DEBUG=INFO NCCL_ALGO=Ring"]
    assert [(one.process.host, one.name, one.value) for one in feed(PARSER, lines)] == [
        ("gpu07", "NCCL_PROTO", "Simple"),
        ("gpu08", "NCCL_DEBUG", "INFO"),
        ("gpu08", "NCCL_PROTO", "LL"),
        (None, "NCCL_DEBUG", "INFO"),
        (None, "NCCL_ALGO", "Ring"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "export NCCL_PROTO=Simple",
        "x2 NCCL_PROTO=$PROTO",
        "NCCL_DEBUG=INFO NCCL_ALGO=Ring ./all_reduce_perf -g 8",
        "step3 LOSS=2.1 TIME=3",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    assert pairs(text) == []


def test_a_value_of_several_words_needs_a_variable_right_above_it() -> None:
    assert pairs("NCCL_DEBUG=INFO", "", "NCCL_NET=AWS Libfabric") == [("NCCL_DEBUG", "INFO", "dump")]
    assert pairs('NCCL_NET="AWS Libfabric"') == [("NCCL_NET", "AWS Libfabric", "dump")]


def test_a_dump_that_was_cut_gives_what_it_holds() -> None:
    assert pairs("NCCL_DEBUG=INFO", "NCCL_IB_HCA=mlx5_0,ml") == [
        ("NCCL_DEBUG", "INFO", "dump"),
        ("NCCL_IB_HCA", "mlx5_0,ml", "dump"),
    ]
    assert pairs("NCCL_DEBUG=INFO", "NCCL_IB_H") == [("NCCL_DEBUG", "INFO", "dump")]


@pytest.mark.parametrize(
    "text",
    [
        "NCCL_IB_DISABLE=1 is set in environment",
        "  • NCCL_IB_DISABLE=1",
        "NCCL_DEBUG=INFO mpirun -np 2 ./all_reduce_perf",
        "NCCL_IB_HCA=${PORTS}",
        "NCCL_IB_HCA=$(ls /sys/class/infiniband)",
        "PSM_CUDA=1;' export 'PSM_CUDA;",
        "NCCL_DEBUGINFO for topology check",
        "LD_LIBRARY_PATH=/opt/lib \\",
    ],
)
def test_sentences_and_scripts_are_no_dump(text: str) -> None:
    assert pairs(text) == []


def test_settings_are_bounded() -> None:
    assert len(pairs(*(f"NCCL_X{number}=1" for number in range(MAX_SETTINGS + 50)))) == MAX_SETTINGS


@given(
    texts=st.lists(st.one_of(st.text(max_size=40), st.sampled_from(["NCCL_X=1", "NCCL_X=1 2", "Env: A=1 NCCL_Y=2"])))
)
@settings(max_examples=50, deadline=None)
def test_any_lines_give_a_result(texts: list[str]) -> None:
    assert all(PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text)) for text in texts)
    assert all(1 <= found.ref.line <= len(texts) for found in feed(PARSER, texts))
