"""The Slurm that the other tests here rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]


def test_srun_reaches_every_node(slurm: Lab) -> None:
    done = slurm.exec("node2", ["srun", "-N4", "--immediate=5", "hostname"])
    assert (sorted(done.stdout.split()), done.stderr) == (slurm.nodes, "")


def test_sbatch_runs_a_script_in_an_allocation(slurm: Lab, shared: Path) -> None:
    script = shared / "job.sh"
    script.write_text("#!/bin/sh\necho nodes=$SLURM_JOB_NODELIST\nsrun --ntasks-per-node=2 hostname\n")
    out = shared / "job.out"
    done = slurm.exec("node3", ["sbatch", "--wait", "-N4", "--ntasks-per-node=2", f"--output={out}", str(script)])
    assert done.returncode == 0, done.stderr
    first, *rest = out.read_text().split()
    assert first == "nodes=node[1-4]"
    assert sorted(rest) == sorted(slurm.nodes * 2)
