from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = (
    "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600092 "
    "milliseconds before timing out.\n"
    "[rank3]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 3] Timeout at NCCL work: 9, last enqueued NCCL "
    "work: 12, last completed NCCL work: 8.\n"
    "[rank2]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 2] Timeout at NCCL work: 9, last enqueued NCCL "
    "work: 12, last completed NCCL work: 8.\n"
    "[rank5]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 5] Timeout at NCCL work: 9, last enqueued NCCL "
    "work: 8, last completed NCCL work: 8.\n"
)

FINE = "[PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight recorder dump signal from another rank via TCPStore.\n"


def test_the_rank_that_enqueued_least_did_not_come() -> None:
    assert said("rank-stuck", FAILED) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "certain",
                "rank 5 did not join ALLREDUCE number 9 within 600 s; rank 3 timed out waiting",
            )
        ]
    )


def test_silent_on_the_echo_of_a_time_out() -> None:
    assert findings_of("rank-stuck", FINE) == ()


def test_no_rank_is_accused_without_evidence() -> None:
    found = findings_of("rank-stuck", FAILED.splitlines(keepends=True)[0])
    assert [(f.confidence, f.suspects) for f in found] == [("likely", ())]


def _starts(*ranks: int) -> str:
    return "".join(
        f"node07:47{rank}:4712 [{rank}] NCCL INFO ncclCommInitRank comm 0x5{rank} rank {rank} nranks 4 cudaDev {rank} "
        f"nvmlDev {rank} busId {rank}b000 commId 0xabc - Init START\n"
        for rank in ranks
    )


def test_a_rank_that_never_began() -> None:
    assert said("rank-stuck", _starts(0, 1, 3)) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 2 never began to create the communicator that 3 of 4 ranks wait in",
            )
        ]
    )


def test_a_start_that_all_ranks_began_accuses_nobody() -> None:
    assert findings_of("rank-stuck", _starts(0, 1, 2, 3)) == ()
