"""What is decided before anything runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from slowlink.benchmarks.interface import Request
from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.model.plan import Allocation, Node
from slowlink.workflows import plan_run as module
from slowlink.workflows.plan_run import Asked, is_shared, plan_run

HERE = Surroundings(
    environment={},
    programs={"mpirun": "/opt/mpi/bin/mpirun", "ssh": "/usr/bin/ssh"},
    mpi="openmpi 5.0.11",
    uid=1000,
    cpus=8,
    scratch="/scratch",
)
REQUEST = Request("all_reduce", 8, 1024)
FOUR = Allocation(tuple(Node(f"n{index}") for index in range(4)), "--nodes n[0-3]")


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gpus_here", lambda: 0)
    monkeypatch.setattr(module, "is_shared", lambda path: False)


def test_without_gpu_the_probe_runs_on_cpu_memory(tmp_path: Path) -> None:
    prepared = plan_run(Asked(REQUEST), HERE, tmp_path)
    assert prepared.benchmark == "probe"
    assert prepared.request.backend == "mpi"
    assert prepared.job.nranks == 4
    assert "no GPU here" in prepared.reasons[-1]
    assert prepared.outputs == ("probe-iterations.jsonl.gz",)
    assert f"{tmp_path}/probe-iterations.jsonl.gz" in prepared.plan.argv


def test_over_ssh_ranks_know_their_own_time_and_write_on_their_own_nodes(tmp_path: Path) -> None:
    asked = Asked(REQUEST, allocation=FOUR, ranks_per_node=2, options=LaunchOptions(timeout_s=100))
    prepared = plan_run(asked, HERE, tmp_path)
    assert prepared.plan.launcher == "ssh"
    assert prepared.job.nranks == 8
    assert prepared.job.argv[:3] == ("timeout", "--kill-after=5", "130")
    assert prepared.on_nodes
    assert prepared.job.argv[-2:] == ("--output", "/tmp/slowlink-run/probe-iterations.jsonl.gz")


def test_where_nothing_can_be_fetched_ranks_write_nothing(tmp_path: Path) -> None:
    asked = Asked(REQUEST, allocation=FOUR, ranks_per_node=2)
    prepared = plan_run(asked, HERE, tmp_path, on_nodes=False)
    assert "--output" not in prepared.job.argv
    assert not any("{output}" in word for word in prepared.job.argv)
    assert (prepared.outputs, prepared.output_directory) == ((), None)
    batch = msgspec.structs.replace(HERE, programs={"srun": "/bin/srun", "sbatch": "/bin/sbatch"})
    submitted = plan_run(Asked(REQUEST, on="slurm", nranks=4), batch, tmp_path, on_nodes=False)
    assert (submitted.output_directory, submitted.job.around) == (None, None)


def test_a_batch_job_prints_what_its_ranks_wrote(tmp_path: Path) -> None:
    batch = msgspec.structs.replace(HERE, programs={"srun": "/bin/srun", "sbatch": "/bin/sbatch"})
    submitted = plan_run(Asked(REQUEST, on="slurm", nranks=4), batch, tmp_path)
    assert submitted.output_directory == Path(f"/tmp/slowlink-{HERE.run_id}")
    assert submitted.job.around is not None
    (script,) = (file.content for file in submitted.plan.files if file.path == "job.sh")
    assert script.index(f"#slowlink-nodes {submitted.job.around.mark}") > script.index("slowlink.probe")
    assert not submitted.on_nodes


def test_sizes_that_nobody_named_reach_the_plateau_of_what_measures(tmp_path: Path) -> None:
    unnamed = msgspec.structs.replace(REQUEST, max_bytes=0)
    assert plan_run(Asked(unnamed), HERE, tmp_path).request.max_bytes == 128 << 20
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    prepared = plan_run(Asked(unnamed, path=str(program), nranks=2), HERE, tmp_path)
    assert prepared.job.argv[prepared.job.argv.index("-e") + 1] == str(8 << 30)


def test_settings_go_to_every_rank(tmp_path: Path) -> None:
    asked = Asked(REQUEST, allocation=FOUR, env={"NCCL_IB_HCA": "mlx5"})
    assert "NCCL_IB_HCA=mlx5" in " ".join(plan_run(asked, HERE, tmp_path).plan.argv)


def test_nccl_says_what_it_does_in_files_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    asked = Asked(REQUEST, path=str(program), nranks=2)
    env = plan_run(asked, HERE, tmp_path / "output").job.env
    assert env["NCCL_DEBUG"] == "INFO"
    assert env["NCCL_DEBUG_FILE"] == f"{tmp_path}/output/nccl-debug/%h.%p.log"
    quiet = plan_run(Asked(REQUEST, path=str(program), nranks=2, env={"NCCL_DEBUG": "WARN"}), HERE, tmp_path / "output")
    assert quiet.job.env["NCCL_DEBUG"] == "WARN"
    assert "NCCL_DEBUG_SUBSYS" not in quiet.job.env


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Asked(REQUEST, path="/no/such/program"), "/no/such/program does not exist"),
        (Asked(REQUEST, on="nowhere"), "there is no launcher 'nowhere'"),
        (Asked(REQUEST, benchmark="nccl-tests"), "no program for all_reduce here"),
        (Asked(REQUEST, on="ssh"), "which nodes"),
        (Asked(REQUEST, allocation=FOUR, nranks=9, ranks_per_node=2), "need 5 nodes"),
    ],
)
def test_what_cannot_be(asked: Asked, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SlowlinkError, match=words):
        plan_run(asked, HERE, tmp_path)


def test_gpus_that_nobody_can_count(tmp_path: Path) -> None:
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    with pytest.raises(SlowlinkError, match="how many GPUs"):
        plan_run(Asked(REQUEST, path=str(program)), HERE, tmp_path)


def test_file_systems_that_other_nodes_see() -> None:
    mounts = "/dev/sda1 / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\ntmpfs /home/me/tmp tmpfs rw 0 0\n"
    assert is_shared(Path("/home/me/job"), mounts)
    assert not is_shared(Path("/home/me/tmp/job"), mounts)
    assert not is_shared(Path("/homes"), mounts)
    assert not is_shared(Path("/home"), "")
