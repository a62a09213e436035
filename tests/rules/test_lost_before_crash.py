"""What came first in the process that crashed, and crashes of others that are told late."""

from __future__ import annotations

import pytest
from text_findings import diagnoses_of

HERE = "alpha:71:71 [0] NCCL INFO Bootstrap : Using eth1:10.9.0.1<0>\n"
THERE = "beta:82:82 [0] NCCL INFO Bootstrap : Using eth1:10.9.0.2<0>\n"
FAILED = "alpha:71:90 [0] misc/socket.cc:99 NCCL WARN socketStartConnect: Connect to 10.9.0.2<4242> failed : {}\n"
TIMED_OUT, REFUSED = FAILED.format("Connection timed out"), FAILED.format("Connection refused")
CLOSED = "alpha:71:90 [0] misc/socket.cc:88 NCCL WARN socketProgress: Connection closed by remote peer beta<4242>\n"
SHELL = "Segmentation fault (core dumped)\n"
BY_PID = "[{}:{}:0:{}] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)\n"


def _leads(*texts: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.cause, each.explains) for each in diagnoses_of(*texts)]


@pytest.mark.parametrize(
    "text",
    [
        HERE + TIMED_OUT + SHELL,
        HERE + REFUSED + SHELL,
        TIMED_OUT + SHELL,
        HERE + THERE + TIMED_OUT + SHELL,
        HERE + THERE + REFUSED + BY_PID.format("alpha", 71, 71),
    ],
)
def test_who_lost_its_peer_and_then_crashed_crashed_for_that(text: str) -> None:
    assert _leads(text) == [("tcp-unreachable", ("process-crashed",))]


@pytest.mark.parametrize(
    "text",
    [
        HERE + SHELL + TIMED_OUT,
        HERE + THERE + f"beta: {SHELL}" + REFUSED,
        HERE + THERE + REFUSED + BY_PID.format("beta", 82, 82),
        HERE + THERE + REFUSED + SHELL,
        REFUSED + SHELL,  # other ranks may be there and have had no reason to warn
        HERE + THERE + REFUSED + BY_PID.format("alpha", 72, 72),
    ],
)
def test_a_crash_before_the_loss_or_of_another_process_leads_whoever_tells_first(text: str) -> None:
    assert _leads(text)[0] == ("process-crashed", ("tcp-unreachable",))


def test_the_crash_of_one_whose_peer_had_closed_the_connection_is_an_echo() -> None:
    assert _leads(HERE + CLOSED + BY_PID.format("alpha", 71, 71))[0] == ("rank-lost", ("process-crashed",))
    assert _leads(HERE + THERE + CLOSED + BY_PID.format("beta", 82, 82))[0][0] == "process-crashed"
