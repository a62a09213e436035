"""``slowlink follow JOB`` in a real Slurm: the job's number alone leads to what its ranks write."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

import slowlink
from slowlink.lab.lab import Lab
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]
SLOWLINK = ["env", f"PYTHONPATH={Path(slowlink.__file__).parents[1]}", sys.executable, "-m", "slowlink"]
SCRIPT = """\
#!/bin/sh
export {variable}
mkdir -p "{place}"
cp {written}/* "{place}"
touch {shared}/written-$SLURM_JOB_ID
sleep 300
"""


@pytest.fixture(scope="module")
def written(shared: Path) -> Path:
    """What the Inspector of a training with a throttled GPU writes."""
    place = shared / "inspector"
    place.mkdir()
    for name, text in files_of(columns_of(Job(Shape(4, 4, 2), Noise(), Sick(gpu={9: 0.7}), 1), 30)):
        (place / name).write_text(text)
    return place


def started(slurm: Lab, shared: Path, written: Path, place: str, variable: str) -> str:
    """The number of a job that has written there."""
    script = shared / "job.sh"
    script.write_text(SCRIPT.format(variable=variable, place=place, written=written, shared=shared))
    there = ["--parsable", "-w", "node3", f"--chdir={shared}", "--output=/dev/null"]
    done = slurm.exec("node1", ["sbatch", *there, str(script)])
    assert done.returncode == 0, done.stderr
    job = done.stdout.strip()
    until = time.monotonic() + 40
    while not (shared / f"written-{job}").exists():
        assert time.monotonic() < until, slurm.exec("node1", ["squeue"]).stdout
        time.sleep(0.1)
    return job


@pytest.mark.parametrize(
    ("place", "variable", "why"),
    [
        ("nccl-inspector-$SLURM_JOB_ID", "SOMETHING=else", "where the Inspector of job {} writes that is told nothing"),
        ("own place", "NCCL_INSPECTOR_DUMP_DIR='own place'", "as the ranks of job {} were told"),
    ],
)
def test_the_number_of_a_job_is_enough(
    slurm: Lab, shared: Path, written: Path, place: str, variable: str, why: str
) -> None:
    job = started(slurm, shared, written, place, variable)
    try:
        done = slurm.exec("node1", [*SLOWLINK, "follow", job, "--for", "0.1", "--format", "json"], timeout_s=120)
    finally:
        slurm.exec("node1", ["scancel", job])
    assert done.returncode == 1, done.stderr
    assert [each["cause"] for each in json.loads(done.stdout)["diagnoses"]] == ["straggler-gpu"]
    assert done.stderr.startswith(f"# {shared}/{place.replace('$SLURM_JOB_ID', job)}: {why.format(job)}")


def test_a_job_that_writes_nothing_is_told(slurm: Lab, shared: Path, written: Path) -> None:
    job = started(slurm, shared, written, "elsewhere", "SOMETHING=else")
    try:
        done = slurm.exec("node1", [*SLOWLINK, "follow", job])
    finally:
        slurm.exec("node1", ["scancel", job])
    assert (done.returncode, done.stdout) == (2, "")
    assert f"job {job} (RUNNING) writes no times that are seen here" in done.stderr


def test_a_job_that_slurm_does_not_know_is_told(slurm: Lab) -> None:
    done = slurm.exec("node1", [*SLOWLINK, "follow", "99999"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "Slurm does not tell of job 99999: " in done.stderr
    assert "Invalid job id specified" in done.stderr
