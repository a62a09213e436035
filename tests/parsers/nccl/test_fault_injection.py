"""Notes of fault injectors, in the spellings that key and value have."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.nccl import fault_injection


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fault ranks: [3, 5]", ((3, 5), None, None)),
        ("fault_rank=7", ((7,), None, None)),
        ("Fault delay: 42.5", ((), None, 42.5)),
        ("fault_delay_s = 9", ((), None, 9.0)),
        ("Rank 3, fault_type: SIGSTOP", ((3,), "SIGSTOP", None)),
        ("fault_type=GPU_SLEEP", ((), "GPU_SLEEP", None)),
        ("[shim] injected completion on mlx5_0 wr_id=3 status=12", ((), None, None)),
        ("injecting a link failure on mlx5_2", ((), None, None)),
        ("FAULT_INJECTION: forcing a failure.", ((), None, None)),
    ],
)
def test_a_note(text: str, expected: tuple[object, ...]) -> None:
    (found,) = feed(fault_injection.PARSER, [text])
    assert (found.ranks, found.fault, found.delay_s) == expected


def test_prose_about_faults_is_no_note() -> None:
    assert (
        feed(fault_injection.PARSER, ["the default rank is 0", "Segmentation fault on rank 3", "fault ranks: none"])
        == []
    )


@given(st.text(alphabet="fault rank type:=[]0123456789,. ", max_size=60))
def test_any_text_gives_a_result(text: str) -> None:
    assert len(feed(fault_injection.PARSER, [text])) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Injecting CDI devices failed: unresolvable device, error 2",
        "sidecar injected into pod job-0, no error",
        "0 completions were injected with status=12",
    ],
)
def test_what_else_is_injected_is_no_fault(text: str) -> None:
    assert feed(fault_injection.PARSER, [text]) == []
