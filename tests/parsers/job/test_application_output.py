"""What applications print about themselves."""

from __future__ import annotations

import re

import pytest
from feeding import feed

from slowlink.parsers.forms.observation_table import Fact
from slowlink.parsers.job.application_output import FACTS, PARSER

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
