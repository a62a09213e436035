from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

FAILED = (
    "--------------------------------------------------------------------------\n"
    "There are not enough slots available in the system to satisfy the 24\n"
    "slots that were requested by the application:\n"
    "\n"
    "  ./all_reduce_perf\n"
)

FINE = "mpirun -np 24 ./all_reduce_perf -b 8 -e 128M\nssh: connect to host gpu02 port 22: Connection refused\n"


def test_says_how_many_were_asked_for() -> None:
    assert said("not-enough-slots", FAILED) == snapshot(
        [("not-enough-slots", "critical", "certain", "Open MPI has fewer slots than the 24 ranks that were asked for")]
    )


def test_silent_on_a_sound_start() -> None:
    assert findings_of("not-enough-slots", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("not-enough-slots", FAILED) == snapshot(
        [
            [
                ("Give each host its slots, one for each GPU.", "mpirun -np 16 --host node01:8,node02:8 ..."),
                ("Or ask the scheduler for as many tasks as ranks.", "sbatch --nodes=2 --ntasks-per-node=8 ..."),
            ]
        ]
    )


def test_a_step_of_slurm_asks_for_more_than_its_job_has() -> None:
    line = "srun: error: Unable to create step for job 4711: More processors requested than permitted\n"
    assert said("not-enough-slots", line) == snapshot(
        [
            (
                "not-enough-slots",
                "critical",
                "likely",
                "a step of the job asks for more tasks or processors than the job has",
            )
        ]
    )
    assert [each.cause for each in diagnoses_of(line)] == ["not-enough-slots"]
    other = line.replace("More processors requested than permitted", "Invalid account")
    assert findings_of("not-enough-slots", other) == ()
    assert findings_of("not-enough-slots", line.replace("error", "warning")) == ()
