from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4713 [0] NCCL INFO NCCL_PROTO set by environment to LL\n"
    "node08:4711:4713 [0] NCCL INFO NCCL_PROTO set by environment to Simple\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0\n"
    "node08:4711:4713 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth1\n"
)


def test_names_both_values() -> None:
    assert said("environment-differs", FAILED) == snapshot(
        [
            (
                "environment-differs",
                "error",
                "certain",
                "NCCL_PROTO differs between ranks: LL on node07, Simple on node08",
            )
        ]
    )


ANNOUNCED = "".join(line for line in FAILED.splitlines(keepends=True) if "set by" in line)


def test_two_hosts_where_nobody_kept_the_lines_of_communicators() -> None:
    assert said("environment-differs", ANNOUNCED) == snapshot(
        [
            (
                "environment-differs",
                "warning",
                "likely",
                "NCCL_PROTO differs between ranks: LL on node07, Simple on node08",
            )
        ]
    )
    assert findings_of("environment-differs", ANNOUNCED.replace("node08", "node07")) == (), "one run after another"


def test_silent_on_names_that_may_differ_by_node() -> None:
    assert findings_of("environment-differs", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("environment-differs", FAILED) == snapshot(
        [[("Set it once for all ranks.", "mpirun -x NCCL_PROTO=LL ...")]]
    )
