from __future__ import annotations

from hang_findings import of_jobs, said
from inline_snapshot import snapshot
from text_findings import remedy_of

from hang_jobs import data_parallel

RULE = "flight-recorder-no-progress"
WATCHDOG = (
    "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600044 milliseconds before timing out.\n"
)


def test_all_ranks_are_in_it_and_a_watchdog_gave_up() -> None:
    job = data_parallel({0: 9, 1: 9, 2: 9}, completed=8)
    assert said(of_jobs(RULE, job, more=WATCHDOG)) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "all 3 ranks entered all_reduce 9 of default_pg, and none has finished it: the network or a GPU stands still, no rank is missing",
                [],
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    (found,) = of_jobs(RULE, data_parallel({0: 9, 1: 9, 2: 9}, completed=8))
    assert remedy_of(found) == snapshot(
        [
            ("Run the same collective over the same nodes.", "slowlink run all_reduce --nodes NODES"),
            ("Look for GPU and link faults on all of them.", "dmesg -T | grep -i -E 'xid|mlx5|link'"),
        ]
    )


def test_given_up_in_the_dump_itself() -> None:
    job = data_parallel({0: 9, 1: 9, 2: 9}, completed=8)
    job[1]["entries"][-1]["retired"] = True
    assert [f.severity for f in of_jobs(RULE, job)] == ["critical"]


def test_a_job_that_may_run_is_no_alarm() -> None:
    assert said(of_jobs(RULE, data_parallel({0: 9, 1: 9, 2: 9}, completed=8))) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "all 3 ranks entered all_reduce 9 of default_pg, and none has finished it; a job that runs looks so too",
                [],
            )
        ]
    )


def test_silent_when_someone_is_missing_or_all_is_done() -> None:
    assert of_jobs(RULE, data_parallel({0: 9, 1: 8, 2: 9}, completed=8)) == ()
    assert of_jobs(RULE, data_parallel({0: 9, 1: 9, 2: 9}, completed=9)) == ()
    assert of_jobs(RULE, data_parallel({0: 9, 1: 9}, completed=8), data_parallel({0: 12, 1: 12}, completed=11)) == ()
