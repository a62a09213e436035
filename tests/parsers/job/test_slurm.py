"""Slurm's end of a job, in the words of its programs."""

from __future__ import annotations

import pytest
from event_logs import events_of, secondary_kinds
from inline_snapshot import snapshot

from slowlink.parsers.job.slurm import Slurm

LOG = """\
Submitted batch job 4711
srun: job 4712 queued and waiting for resources
cpu-bind=MASK - gpu01, task  0  0 [4711]: mask 0xff set
slurmstepd: error: *** STEP 4711.0 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 ***
slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***
gpu02: step 40 loss 1.25
srun: error: gpu01: task 1: Terminated
srun: error: gpu[02-03]: tasks 8-23: Exited with exit code 1
srun: error: gpu04: task 31: Segmentation fault (core dumped)
slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.
srun: error: Node failure on gpu12
srun: error: Task launch for StepId=4713.0 failed on node gpu05: Communication connection failure
sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified
srun: Terminating job step 4711.0
"""


def test_the_end_of_a_job() -> None:
    assert events_of(Slurm, LOG) == snapshot(
        [
            ("slurm-cancelled", "gpu01", None, {"what": "STEP", "job": "4711.0", "host": "gpu01"}, 1),
            ("slurm-time-limit", "gpu01", None, {"what": "JOB", "job": "4711", "host": "gpu01"}, 1),
            ("slurm-task-exit", "gpu01", None, {"host": "gpu01", "task": "1", "signal": "Terminated"}, 1),
            ("slurm-task-exit", "gpu[02-03]", None, {"host": "gpu[02-03]", "task": "8-23", "code": "1"}, 1),
            ("slurm-task-exit", "gpu04", None, {"host": "gpu04", "task": "31", "signal": "Segmentation fault"}, 1),
            ("slurm-oom", None, None, {"kills": "1", "job": "4711.0"}, 1),
            ("slurm-node-fail", "gpu12", None, {"host": "gpu12"}, 1),
            ("slurm-launch-failed", "gpu05", None, {"job": "4713.0", "host": "gpu05"}, 1),
            (
                "slurm-invalid",
                None,
                None,
                {
                    "program": "sbatch",
                    "error": "Batch job submission failed: Invalid account or account/partition combination specified",
                },
                1,
            ),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "salloc: Granted job allocation 4711",
        "slurmstepd: info: Setting TmpFS to /tmp",
        "srun: the error was on our side",
        "JOB 4711 ON gpu01 was not cancelled",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Slurm, text) == []


def test_a_cancelled_step_and_a_terminated_task_are_secondary() -> None:
    assert secondary_kinds(Slurm, LOG) == ["slurm-cancelled", "slurm-task-exit"]
