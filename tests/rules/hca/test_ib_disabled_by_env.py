from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n"
    "node07:4711:4712 [0] NCCL INFO Using network Socket\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n"
    "node07:4711:4712 [0] NCCL INFO Using network Socket\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
)


def test_names_setting_and_sockets() -> None:
    assert said("ib-disabled-by-env", FAILED) == snapshot(
        [
            (
                "ib-disabled-by-env",
                "error",
                "certain",
                "NCCL_IB_DISABLE=1 turns RDMA off, and NCCL uses TCP sockets between nodes",
            )
        ]
    )


def test_silent_on_one_node() -> None:
    assert findings_of("ib-disabled-by-env", FINE) == ()


def test_silent_where_a_plug_in_has_the_network() -> None:
    assert findings_of("ib-disabled-by-env", FAILED.replace("network Socket", "network AWS Libfabric")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("ib-disabled-by-env", FAILED) == snapshot(
        [[("Take the setting out and run again.", "unset NCCL_IB_DISABLE")]]
    )
