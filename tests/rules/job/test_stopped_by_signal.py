"""Frameworks that stop themselves for a signal."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check
from text_findings import HEADER, diagnoses_of, remedies_of, said

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

STEPS = "".join(f" iteration {n:8d}/     900 | elapsed time per iteration (ms): 2500.0 |\n" for n in range(4, 8))
NEMO = (
    "[NeMo I 2031-02-03 04:05:06 preemption:87] Received signal 15, initiating graceful stop\n"
    "[NeMo I 2031-02-03 04:05:07 preemption:67] Preemption detected, signaling trainer to stop\n"
)
DONE = "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.\n"
TORCHRUN = (
    "W0203 04:05:06.7 47 torch/distributed/elastic/agent/server/api.py:9] Received Signals.SIGTERM death signal, "
    "shutting down workers\n"
)


def test_a_job_that_was_preempted_did_not_come_to_its_end() -> None:
    assert said("stopped-by-signal", STEPS + NEMO + DONE) == snapshot(
        [
            (
                "run-interrupted",
                "info",
                "certain",
                "the run was stopped by SIGTERM for preemption and did not come to its end, which is no "
                "fault of its own; until then 4 steps of Megatron-LM, 2.5 s in the middle",
            )
        ]
    )
    assert check("run-succeeded", STEPS + NEMO + DONE).proofs == ()
    (proof,) = check("run-succeeded", STEPS + DONE).proofs
    assert "worker group successfully finished" in proof.message


def test_it_is_neither_healthy_nor_broken_and_its_steps_are_a_measurement() -> None:
    report = report_of(read([Input("job.log", None, [(STEPS + NEMO + DONE).encode()])], workers=1))
    assert (report.verdict, report.headline) == snapshot(
        (
            "inconclusive",
            "inconclusive: the run was stopped by SIGTERM for preemption and did not come to its end, which is no "
            "fault of its own; until then 4 steps of Megatron-LM, 2.5 s in the middle",
        )
    )


@pytest.mark.parametrize(
    "line",
    [
        " [exiting program after receiving SIGTERM.] datetime: 2031-02-03 04:05:06 \n",
        "[rank: 0] Received SIGTERM: 15\n",
        "SIGTERM received, will request JIT checkpoint after 3s\n",
        "submitit WARNING (2031-02-03 04:05:06,789) - Caught signal SIGUSR2 on gpu01: this job is preempted.\n",
        TORCHRUN,
    ],
)
def test_each_framework_has_words_of_its_own(line: str) -> None:
    ((cause, severity, _, _),) = said("stopped-by-signal", STEPS + line)
    assert (cause, severity) == ("run-interrupted", "info")


def test_what_launchers_say_of_its_end_follows_from_it() -> None:
    end = "srun: error: gpu01: task 0: Exited with exit code 1\n"
    assert [(d.cause, d.explains) for d in diagnoses_of(STEPS + TORCHRUN + end)] == snapshot(
        [("run-interrupted", ("rank-lost",))]
    )
    assert said("stopped-by-signal", STEPS + end + TORCHRUN) == []


def test_a_watchdog_that_gave_up_before_is_no_consequence() -> None:
    watchdog = (
        "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL("
        "SeqNum=9, OpType=ALLREDUCE, NumelIn=7, NumelOut=7, Timeout(ms)=600000) ran for 600031 milliseconds\n"
    )
    assert diagnoses_of(STEPS + watchdog + TORCHRUN)[0].cause == "rank-stuck"
    assert [d.cause for d in diagnoses_of(STEPS + TORCHRUN + watchdog)] == ["run-interrupted"]


@pytest.mark.parametrize(
    "line",
    [
        "slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***\n",
        "slurmstepd: error: *** STEP 7.0 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO PREEMPTION ***\n",
    ],
)
def test_the_scheduler_knows_better_why(line: str) -> None:
    assert said("stopped-by-signal", STEPS + NEMO + line) == []


def test_a_job_that_went_on_in_the_same_output_came_to_its_end() -> None:
    text = STEPS + NEMO + STEPS + DONE
    assert said("stopped-by-signal", text) == []
    assert len(check("run-succeeded", text).proofs) == 1


def test_an_interrupt_is_somebodys_hand() -> None:
    assert said("stopped-by-signal", HEADER + TORCHRUN.replace("SIGTERM", "SIGINT")) == []


def test_it_says_what_to_do() -> None:
    assert remedies_of("stopped-by-signal", STEPS + NEMO) == snapshot(
        [
            [
                (
                    "See who sent the signal: preemption, a time limit, or somebody.",
                    "sacct -j JOB -o JobID,State,Elapsed,Timelimit",
                ),
                ("Start it again from its last checkpoint; to measure, on nodes that nobody takes away.", ""),
            ]
        ]
    )
