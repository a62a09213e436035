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


def _timed_out(rank: int, call: str, seq: int = 41, group: str = "0(default_pg)") -> str:
    status = (
        f"[rank{rank}]:[E ProcessGroupNCCL.cpp:2168] [PG ID 0 PG GUID {group} Rank {rank}]  failure detected by watchdog "
        f"at work sequence id: {seq} PG status: last enqueued work: {seq}, last completed work: {seq - 1}\n"
    )
    return (
        f"[rank{rank}]:[E ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={seq}, OpType={call}, Timeout(ms)=600000) ran for 60008{rank} milliseconds before timing out.\n"
    ) + (status if group else "")


SUM = "ALLREDUCE, NumelIn=1024, NumelOut=1024"
GATHER = "_ALLGATHER_BASE, NumelIn=64, NumelOut=256"


def test_ranks_that_timed_out_in_different_operations_under_one_number() -> None:
    text = "".join(_timed_out(rank, GATHER if rank == 2 else SUM) for rank in range(4))
    assert said("collective-mismatch", text) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "rank 2 called _ALLGATHER_BASE of 64 elements as number 41 of default_pg, where ranks 0, 1 and 3 called "
                "ALLREDUCE of 1024 elements",
            )
        ]
    )


def test_two_ranks_of_one_named_group_are_enough() -> None:
    text = _timed_out(0, SUM) + _timed_out(1, GATHER)
    assert said("collective-mismatch", text) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "rank 1 called _ALLGATHER_BASE of 64 elements as number 41 of default_pg, where rank 0 called ALLREDUCE of 1024 elements",
            )
        ]
    )
    assert [s.name for found in findings_of("collective-mismatch", text) for s in found.suspects] == ["0", "1"]
    unnamed = _timed_out(0, SUM, group="") + _timed_out(1, GATHER, group="")
    assert said("collective-mismatch", unnamed) == []  # each may wait in a group of its own
    assert [found[3] for found in said("rank-stuck", unnamed)] == snapshot(
        [
            "a rank did not arrive at ALLREDUCE or _ALLGATHER_BASE number 41 within 600 s; ranks 0 and 1 timed out waiting"
        ]
    )


def test_one_operation_with_two_sizes_among_those_that_timed_out() -> None:
    text = "".join(_timed_out(rank, SUM.replace("1024", "2048") if rank == 1 else SUM) for rank in range(4))
    assert [found[3] for found in said("collective-mismatch", text)] == [
        "rank 1 called ALLREDUCE of 2048 elements as number 41 of default_pg, where ranks 0, 2 and 3 called ALLREDUCE of "
        "1024 elements"
    ]


def test_without_the_name_of_the_group_it_is_only_possible() -> None:
    text = "".join(_timed_out(rank, GATHER if rank == 2 else SUM, group="") for rank in range(4))
    assert [found[2] for found in said("collective-mismatch", text)] == ["possible"]


def test_silent_where_groups_or_numbers_differ_or_sizes_may() -> None:
    other_group = "".join(_timed_out(rank, SUM) for rank in range(3)) + _timed_out(3, GATHER, group="7(TP)")
    other_number = "".join(_timed_out(rank, SUM) for rank in range(3)) + _timed_out(3, GATHER, seq=40)
    uneven = "".join(_timed_out(rank, f"ALLTOALL_BASE, NumelIn={rank}, NumelOut=9") for rank in range(4))
    pairs = "".join(_timed_out(rank, "RECV, NumelIn=4" if rank == 3 else "SEND, NumelIn=4") for rank in range(4))
    for text in (other_group, other_number, uneven, pairs):
        assert findings_of("collective-mismatch", text) == ()
