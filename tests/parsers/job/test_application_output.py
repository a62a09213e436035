"""What applications print about themselves."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.observation_table import Fact
from slowlink.parsers.job.application_output import FACTS, PARSER

OUTPUT = """\
+ ARGS=('--nnodes=6' '--nproc_per_node=4' '--rdzv_id=7')
+ torchrun --nnodes=6 --nproc_per_node=4 train.py
gpu01:4711:4711 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>
 iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | learning rate: 1.2E-05 |
 iteration       13/     900 | elapsed time per iteration (ms): 3220.0 | learning rate: 1.2E-05 |
[train.py:9] Batch 31 Loss: 7.25, Speed: 6.50 samples/sec, lr: 0.0001
busbw: 181.2500  Gbps
Total run time: 61.25 seconds
[node3:4711] [ 7] /opt/mpi/lib/libmpi.so.40(MPI_Allreduce+0x17b)[0x7f1a2b3c4d5e]
MPICH Slingshot Network Summary: 3 network timeouts
"""
SAMPLES = [(fact, text) for fact in FACTS for text in fact.samples]


@pytest.mark.parametrize(("fact", "text"), SAMPLES)
def test_sample_gives_its_fact(fact: Fact, text: str) -> None:
    assert fact.kind in [one.kind for one in feed(PARSER, (text,))]
    assert PARSER.wants(re.sub(r"\d", "0", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            " iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | loss: 7",
            [("training-iteration-ms", "12", "3217.4")],
        ),
        ("I [train.py:9] Batch 31 Loss: 7.25, Speed: 6.50 samples/sec", [("training-batch-rate", "31", "6.50")]),
        (" busbw: 181.2500  Gbps", [("busbw-gbit", "application", "181.2500")]),
        (
            "+ ARGS=('--nnodes=6' '--nproc_per_node=4')",
            [("torchrun-nproc-per-node", "torchrun", "4"), ("torchrun-nnodes", "torchrun", "6")],
        ),
        ("0 MPICH Slingshot Network Summary: 3 network timeouts", [("slingshot-network-timeouts", "job", "3")]),
        ("the busbw: 40 Gbps that you should see", []),
        ("torchrun --nnodes=6 --nproc_per_node=4 train.py", []),
        ("   busbw: 40 GB/s", []),
    ],
)
def test_values(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(one.kind, one.subject, one.value) for one in feed(PARSER, (text,))] == expected


def facts(*lines: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.subject, one.value) for one in feed(PARSER, lines)]


def test_the_output_of_a_whole_job() -> None:
    assert facts(*OUTPUT.splitlines()) == snapshot(
        [
            ("torchrun-nproc-per-node", "torchrun", "4"),
            ("torchrun-nnodes", "torchrun", "6"),
            ("training-iteration-ms", "12", "3217.4"),
            ("training-iteration-ms", "13", "3220.0"),
            ("training-batch-rate", "31", "6.50"),
            ("busbw-gbit", "application", "181.2500"),
            ("run-time-s", "application", "61.25"),
            ("mpi-call-in-backtrace", "crash", "MPI_Allreduce"),
            ("slingshot-network-timeouts", "job", "3"),
        ]
    )


@given(end=st.integers(0, len(OUTPUT)))
def test_an_output_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    whole, cut = facts(*OUTPUT.splitlines()), facts(*OUTPUT[:end].splitlines())
    assert cut[:-1] == whole[: max(0, len(cut) - 1)]


@given(st.lists(st.text(max_size=60) | st.sampled_from(OUTPUT.splitlines()), max_size=12), st.integers(0, 60))
def test_any_lines_give_a_result(lines: list[str], start: int) -> None:
    found = feed(PARSER, [line[start:] for line in lines])
    assert all(1 <= one.ref.line <= len(lines) for one in found)
