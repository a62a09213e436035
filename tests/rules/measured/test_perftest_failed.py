from __future__ import annotations

import pytest
from text_findings import findings_of

HEADER = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_3
 Number of qps   : 1            Transport type : IB
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
"""
ROW = " 65536      5000             391.20             391.10               0.745964\n"
RULE = "---------------------------------------------------------------------------------------\n"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (HEADER + " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\n", "rdma-retry-exceeded"),
        (
            HEADER + " Completion with error at client\n Failed status 10: wr_id 0 syndrom 0x88\n",
            "rdma-protection-error",
        ),
        (" Failed to modify QP 391 to RTR\n Unable to Connect the HCA's through the link\n", "gid-index-wrong"),
        ("Couldn't allocate MR\nfailed to create mr\n", "memory-registration-failed"),
        (" Port number 1 state is Down\n", "port-down"),
        (" IB device mlx5_9 not found\n Unable to find the Infiniband/RoCE device\n", "hca-missing"),
        ("Couldn't connect to 10.0.0.7:18515\nUnable to init the socket connection\n", "tcp-unreachable"),
    ],
)
def test_each_step_that_fails(text: str, cause: str) -> None:
    (found,) = findings_of("perftest-failed", text)
    assert (found.cause, found.severity) == (cause, "critical")


def test_a_failure_beside_a_result_breaks_no_job() -> None:
    (found,) = findings_of("perftest-failed", HEADER + ROW + RULE, "Couldn't connect to 10.0.0.7:18515\n")
    assert found.severity == "error"


def test_silent_on_a_result() -> None:
    assert findings_of("perftest-failed", HEADER + ROW + RULE) == ()


def test_words_that_ibv_devinfo_shares_name_no_program() -> None:
    (found,) = findings_of("perftest-failed", "[root@gpu03 ~]# ibv_devinfo\nNo IB devices found\n")
    assert found.message == "no RDMA device was found"
