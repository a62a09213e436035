from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***\n"

FINE = "slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 ***\n"


def test_names_the_job() -> None:
    assert said("time-limit", FAILED) == snapshot(
        [("time-limit", "critical", "certain", "the scheduler cancelled job 4711 at its time limit")]
    )


def test_silent_on_a_job_that_somebody_cancelled() -> None:
    assert findings_of("time-limit", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("time-limit", FAILED) == snapshot(
        [
            [
                ("Compare the elapsed time with the limit.", "sacct -j 4711 -o JobID,State,Elapsed,Timelimit"),
                ("Ask for more time, if the job was making progress.", "sbatch --time=HH:MM:SS ..."),
            ]
        ]
    )


def test_a_step_with_a_limit_of_its_own_is_no_job() -> None:
    step = FAILED.replace("JOB 4711", "STEP 4711.2")
    assert [each[3] for each in said("time-limit", step)] == snapshot(
        ["the scheduler cancelled step 4711.2 at its time limit"]
    )
    assert "for the step alone (srun --time)" in remedies_of("time-limit", step)[0][-1][0]
    assert "job 4711" in said("time-limit", FAILED + step)[0][3]
