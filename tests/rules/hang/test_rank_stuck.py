from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

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


def test_it_says_what_to_do() -> None:
    assert remedies_of("rank-stuck", FAILED) == snapshot(
        [
            [
                (
                    "Have every rank dump what it called last, and compare.",
                    "export TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=20000",
                ),
                ("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID"),
            ]
        ]
    )
    assert remedies_of("rank-stuck", _starts(0, 1, 3)) == snapshot(
        [[("See whether the process of this rank lives; if it does, read its stack.", "py-spy dump --pid PID")]]
    )


def test_silent_on_the_echo_of_a_time_out() -> None:
    assert findings_of("rank-stuck", FINE) == ()


def test_no_rank_is_accused_without_evidence() -> None:
    found = findings_of("rank-stuck", FAILED.splitlines(keepends=True)[0])
    assert [(f.confidence, f.suspects) for f in found] == [("likely", ())]


def _status(rank: int, group_rank: int, group: str, enqueued: int, work: int = 31) -> str:
    return (
        f"[rank{rank}]:[E705 11:02:03.004 ProcessGroupNCCL.cpp:2241] [PG ID 1 PG GUID {group} Rank {group_rank}]  failure "
        f"detected by watchdog at work sequence id: {work} PG status: last enqueued work: {enqueued}, last completed work: 30\n"
    )


def test_a_dump_signal_shows_how_far_a_rank_is_that_did_not_time_out() -> None:
    signal = (
        "[rank6]:[E705 11:02:03.009 ProcessGroupNCCL.cpp:1683] [PG ID 1 PG GUID 5(TP) Rank 2] Received a dump signal due to a "
        "collective timeout from  rank 4 and we will try our best to dump the debug info. Last enqueued NCCL work: 30, last "
        "completed NCCL work: 30.\n"
    )
    (found,) = findings_of("rank-stuck", FAILED.splitlines(keepends=True)[0] + _status(4, 0, "5(TP)", 33) + signal)
    assert (found.confidence, [s.name for s in found.suspects]) == ("certain", ["6"])


def test_a_rank_that_waits_in_what_others_completed_is_the_one_that_is_missing() -> None:
    lines = "".join(
        f"[rank{rank}]:[E1129 10:11:12.346 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
        f"Exception (either an error or timeout) detected by watchdog at work: {work}, last enqueued NCCL work: {work}, "
        f"last completed NCCL work: {work - 1}.\n"
        for rank, work in ((4, 88), (5, 88), (6, 88), (7, 87))
    )
    timeout = FAILED.splitlines(keepends=True)[0].replace("rank3", "rank4").replace("Rank 3", "Rank 4")
    (found,) = findings_of("rank-stuck", timeout.replace("SeqNum=9", "SeqNum=88") + lines)
    assert (found.confidence, [s.name for s in found.suspects]) == ("certain", ["7"])


def test_ranks_that_only_ran_ahead_less_are_not_behind() -> None:
    """All have enqueued the work that timed out."""
    text = FAILED.splitlines(keepends=True)[0] + _status(4, 0, "5(TP)", 33) + _status(5, 1, "5(TP)", 31)
    assert [f.suspects for f in findings_of("rank-stuck", text)] == [()]


def test_numbers_of_different_groups_are_not_compared() -> None:
    text = FAILED.splitlines(keepends=True)[0] + _status(4, 0, "5(TP)", 33) + _status(4, 1, "7(DP)", 3, work=3)
    assert [f.suspects for f in findings_of("rank-stuck", text)] == [()]


def test_a_barrier_that_names_the_missing_ranks() -> None:
    assert said(
        "rank-stuck", "RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 5000 ms\n"
    ) == snapshot([("rank-stuck", "critical", "certain", "ranks 1 and 3 did not join a collective within 5 s")])


def test_what_the_analyzer_of_pytorch_prints() -> None:
    text = (
        "Not all ranks joining collective, sequence number: 7\ninternal record id: 6\ngroup info: 0:default_pg\n"
        "collective: nccl:all_reduce\nmissing ranks: {1, 2}\ninput sizes: [[3, 4]]\ncollective state: scheduled\n"
    )
    assert said("rank-stuck", text) == snapshot(
        [("rank-stuck", "critical", "certain", "ranks 1 and 2 did not join all_reduce number 7")]
    )


def test_when_all_ranks_timed_out_none_is_missing() -> None:
    line = FAILED.splitlines(keepends=True)[0]
    all_of_them = "".join(line.replace("ank3]", f"ank{rank}]").replace("Rank 3", f"Rank {rank}") for rank in range(4))
    assert said("rank-stuck", _starts(0, 1, 2, 3) + all_of_them) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "all 4 ranks timed out in ALLREDUCE number 9 within 600 s: none is missing, the network or a GPU stands still",
            )
        ]
    )


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


def test_a_log_of_which_the_beginning_was_cut_off_accuses_nobody() -> None:
    later = "node07:472:4712 [2] NCCL INFO comm 0x52 rank 2 nRanks 4 nNodes 1 localRanks 4 localRank 2 MNNVL 0\n"
    assert findings_of("rank-stuck", later + _starts(0, 1, 3)) == ()


def test_a_lock_that_a_process_held_at_its_end_is_reported_beside_a_time_out_only() -> None:
    held = (
        "[rank5]:[E ProcessGroupNCCL.cpp:1266] Could not acquire GIL within 300 ms on exit, possible GIL induced hang\n"
    )
    assert [message for *_, message in said("rank-stuck", FAILED + held)] == snapshot(
        [
            "rank 5 did not join ALLREDUCE number 9 within 600 s; rank 3 timed out waiting; a process ended with "
            "Python's lock held"
        ]
    )
    assert findings_of("rank-stuck", held) == ()
