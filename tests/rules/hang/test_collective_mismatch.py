from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : req 0/1 tag 4d peer 10.0.0.2<33092> posted incorrect "
    "receive info: size 65536 addr 7f2a40 rkey=1a\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO AllReduce: opCount 5 sendbuff 0x7f00 recvbuff 0x7f00 count 1024 "
    "datatype 7 op 0 root 0 comm 0x55 [nranks=2] stream 0x66\n"
    "node08:5711:5712 [1] NCCL INFO AllReduce: opCount 6 sendbuff 0x7f00 recvbuff 0x7f00 count 2048 "
    "datatype 7 op 0 root 0 comm 0x77 [nranks=2] stream 0x66\n"
)


def test_a_message_of_another_size() -> None:
    assert said("collective-mismatch", FAILED) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "node07: a message has not the size that its receiver expects: calls or settings differ between ranks",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("collective-mismatch", FAILED) == snapshot(
        [
            [
                ("Have PyTorch compare the calls of all ranks.", "export TORCH_DISTRIBUTED_DEBUG=DETAIL"),
                (
                    "Or log the calls of each rank and compare those with one opCount.",
                    "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL",
                ),
            ]
        ]
    )


def test_silent_on_ranks_at_different_calls() -> None:
    assert findings_of("collective-mismatch", FINE) == ()


def _member(host: str, rank: int, comm: str, count: int) -> str:
    prefix = f"{host}:4711:4712 [0] NCCL INFO"
    return (
        f"{prefix} ncclCommInitRank comm {comm} rank {rank} nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 "
        f"commId 0xabc - Init COMPLETE\n"
        f"{prefix} AllReduce: opCount 5 sendbuff 0x7f00 recvbuff 0x7f00 count {count} datatype 7 op 0 "
        f"root 0 comm {comm} "
        "[nranks=2] stream 0x66\n"
    )


def test_one_call_with_two_sizes() -> None:
    text = _member("node07", 0, "0x55", 1024) + _member("node08", 1, "0x77", 2048)
    assert said("collective-mismatch", text) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "call number 0x5 is AllReduce of 1024 elements on node07 and AllReduce of 2048 elements on node08",
            )
        ]
    )


def test_one_call_with_one_size() -> None:
    text = _member("node07", 0, "0x55", 1024) + _member("node08", 1, "0x77", 1024)
    assert findings_of("collective-mismatch", text) == ()
