"""``slowlink run``: what would run, word for word, and what cannot."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink.benchmarks.interface import Request
from slowlink.benchmarks.own_module import own_module
from slowlink.cli.quantities import Percent
from slowlink.cli.run import command
from slowlink.errors import SlowlinkError
from slowlink.launch import surroundings
from slowlink.launch.interface import Surroundings
from slowlink.launch.mpi_flags import found_mpi
from slowlink.launch.temporary import places
from slowlink.workflows import plan_run
from slowlink.workflows.run import place_beside

HERE = Surroundings(
    environment={},
    programs={"mpirun": "/opt/mpi/bin/mpirun", "ssh": "/usr/bin/ssh"},
    mpi="openmpi 5.0.11",
    uid=1000,
    cpus=4,
    scratch="/scratch",
)

COLLECT = surroundings.collect
"""As it is, before the tests put another in its place."""
STARTED = shlex.join(own_module("python", "module")[1:-1])
"""How a rank's Python is told what to run."""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(surroundings, "collect", lambda mpirun=None: HERE)
    monkeypatch.setattr(plan_run, "gpus_here", lambda: 0)
    monkeypatch.setattr(plan_run, "is_shared", lambda path: False)
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/bin/{name}")
    monkeypatch.setattr(places, "_INTERPRETER", sys.executable)  # whatever a plan shows, what is made here is removed
    monkeypatch.setattr(sys, "executable", "/opt/python/bin/python")
    monkeypatch.setattr("slowlink.benchmarks.probe.sys.executable", "/opt/python/bin/python")
    monkeypatch.setattr("slowlink.workflows.job_environment.of_this_shell", dict)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


@pytest.fixture
def _probe_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from slowlink.benchmarks.interface import Benchmark, Program

    def found(benchmark: Benchmark, collective: str, path: str | None = None) -> Program:
        if benchmark.name != "probe":
            raise SlowlinkError(f"there is no {benchmark.name}")
        return Program("/opt/python/bin/python", None, None)

    monkeypatch.setattr(plan_run, "find", found)


@pytest.mark.usefixtures("_probe_is_there")
def test_dry_run_here(tmp_path: Path) -> None:
    result = run("all_reduce", "-b", "1K", "-e", "1M", "-n", "2", "--env", "NCCL_IB_HCA=mlx5_0", "--dry-run")
    assert result.output == (
        "# launcher: local (openmpi 5.0.11 at /opt/mpi/bin/mpirun, 4 processors)\n"
        "# nodes: this machine\n"
        "# benchmark: probe (no GPU here: MPI on CPU memory)\n"
        "# launcher: local\n"
        "# nodes: localhost (1)\n"
        "# openmpi 5.0.11: 2 ranks on 1 node\n"
        "# ended after 1800 s\n"
        "\n"
        "# run\n"
        "/opt/mpi/bin/mpirun --map-by slot --bind-to none -n 2 -x NCCL_IB_HCA=mlx5_0 -x SLOWLINK_RUN=run "
        f"/opt/python/bin/python {STARTED} slowlink.probe all_reduce --backend mpi -b 1024 -e 1048576 -f 2 -n 20 -w 5 -c 1 -d float -o sum "
        "--output '{output}/probe-iterations.jsonl.gz'\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_probe_is_there")
def test_dry_run_over_ssh() -> None:
    result = run("alltoall", "--nodes", "n[1-2]", "--ranks-per-node", "2", "--timeout", "60", "--dry-run")
    assert result.output.splitlines()[:2] == [
        "# launcher: ssh (openmpi 5.0.11 at /opt/mpi/bin/mpirun over /usr/bin/ssh)",
        "# nodes: --nodes n[1-2]",
    ]
    assert "timeout --kill-after=5 90 /opt/python/bin/python -c " in result.output
    assert " slowlink.probe alltoall --backend mpi " in result.output
    assert "  | n1 slots=2\n  | n2 slots=2\n" in result.output


@pytest.mark.usefixtures("_probe_is_there")
def test_dry_run_of_each_node_by_itself() -> None:
    result = run("all_reduce", "--nodes", "gpu[01-64]", "--each-node", "--ranks-per-node", "8", "--dry-run")
    head, _, command = result.output.partition("\n\n# run\n")
    assert head.splitlines()[3:] == snapshot(
        [
            "# launcher: ssh",
            "# nodes: gpu[01-64] (64)",
            "# openmpi 5.0.11: 8 ranks on 1 node",
            "# on each of 64 nodes by itself, all of them side by side",
            "# ended after 1800 s",
        ]
    )
    # What a node runs is an mpirun of its own, and nobody writes JSON: every node would have a rank 0.
    start = "/opt/mpi/bin/mpirun --map-by slot --bind-to none -n 8 -x SLOWLINK_RUN=run timeout --kill-after=5 1830 "
    assert command.startswith(start)
    assert "--output" not in command


@pytest.mark.usefixtures("_probe_is_there")
def test_dry_run_of_several_collectives() -> None:
    result = run("all_reduce,all_gather", "-n", "2", "--dry-run")
    assert [
        line.split(" slowlink.probe ")[1].split()[0] for line in result.output.splitlines() if " -n 2 " in line
    ] == [
        "all_reduce",
        "all_gather",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["all_reduc"], "did you mean all_reduce?"),
        (["all_reduce,all_gathr"], "did you mean all_gather?"),
        (["ib_write_bw", "--each-node"], "--each-node is for collectives"),
        (["all_reduce", "--each-node", "--on", "kubernetes"], "cannot start ranks by kubernetes"),
        (["all_reduce", "-b", "1G", "-e", "1M"], "the smallest size is above the largest"),
        (["all_reduce", "-b", "much"], "'much' is no size"),
        (["all_reduce", "--tolerance", "150%", "--baseline", "x"], "'150%' is no share"),
        (["all_reduce", "--nodes", "a", "--hostfile", "b"], "nodes come from one place"),
        (["all_reduce", "--env", "X"], "'X' is no NAME=VALUE"),
        (["all_reduce", "--on", "moon"], "there is no launcher 'moon'"),
        (["all_reduce", "--hostfile", "none"], "cannot read the hostfile none"),
        (["all_reduce", "--baseline", "none.json"], "cannot read the baseline none.json"),
        (["all_reduce", "--path", "/no/program"], "/no/program does not exist"),
        (["all_reduce", "--benchmark", "nccl-tests"], "no program for all_reduce here"),
        (["all_reduce", "-o", "report.doc"], "the suffix must be one of"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(arguments: list[str], words: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    result = run(*arguments, "--dry-run")
    assert result.exception is not None
    message = getattr(result.exception, "message", str(result.exception))
    assert words in message
    assert sorted(tmp_path.iterdir()) == before


def test_no_mpirun(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Surroundings(environment={}, programs={}, mpi=None, uid=1000, cpus=4, scratch="/scratch")
    monkeypatch.setattr(surroundings, "collect", lambda mpirun=None: bare)
    result = run("all_reduce", "--dry-run")
    assert isinstance(result.exception, SlowlinkError)
    assert "cannot start ranks by local" in result.exception.message
    assert "pip install" in result.exception.hint


def test_baseline_that_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"a": 1}))
    result = run("all_reduce", "--baseline", "x.json", "--dry-run")
    assert isinstance(result.exception, SlowlinkError)
    assert result.exception.slug == "report-unknown"


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), ("5", 0.05), ("0.05", 0.05), ("0.5%", 0.005), ("0", 0.0)])
def test_tolerance(text: str, share: float) -> None:
    assert Percent().convert(text, None, None) == pytest.approx(share)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("all_reduce", "--size", "8"), "--size is for perftest"),
        (("ib_write_bw", "-b", "8"), "--minbytes is not for perftest"),
        (("ib_write_bw", "--min-busbw", "8"), "--min-busbw is not for perftest"),
        (("ib_write_bw", "--benchmark", "probe"), "is a test of perftest, not of probe"),
        (("ib_write_bw", "-a", "--duration", "5"), "--all-sizes goes without"),
        (("ib_write_bw", "--gpu-index", "1"), "needs --gpu-memory"),
        (("ib_write_lat", "--min-gbit", "1"), "for a test of bandwidth"),
        (("ib_write_foo",), "is no collective"),
    ],
)
def test_options_that_would_be_ignored_are_refused(words: tuple[str, ...], message: str) -> None:
    from click import UsageError

    done = run(*words)
    assert isinstance(done.exception, UsageError)
    assert message in done.exception.message


def test_a_pair_of_perftest_word_for_word(tmp_path: Path) -> None:
    program = tmp_path / "ib_write_bw"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = run("ib_write_bw", "--nodes", "n[1-2]", "--path", str(program), "--gid-index", "3", "--dry-run")
    side = f"{program} -F --report_gbits -s 65536 -n 5000 -p 18515 -x 3"
    assert f"slowlink.launch.pair --server {side} --client {side} n1\n" in done.output


def test_a_pair_across_two_hcas_and_gpus(tmp_path: Path) -> None:
    program = tmp_path / "ib_write_bw"
    program.write_text("#!/bin/sh\n# --use_maca\n")
    program.chmod(0o755)
    words = ("--device", "mlx5_0:mlx5_1", "--gpu-memory", "maca", "--gpu-index", "0:4", "--dry-run")
    done = run("ib_write_bw", "--nodes", "n[1-2]", "--path", str(program), *words)
    side = f"{program} -F --report_gbits -s 65536 -n 5000 -p 18515 -d"
    assert f"--server {side} mlx5_0 -i 1 --use_maca=0 --client {side} mlx5_1 -i 1 --use_maca=4 n1\n" in done.output


@pytest.mark.parametrize("words", [("--device", "mlx5_0;reboot"), ("--device", "a:"), ("--gpu-index", "0:x")])
def test_hcas_and_gpus_are_names_and_numbers(words: tuple[str, str]) -> None:
    from click import BadParameter

    assert isinstance(run("ib_write_bw", "--nodes", "n[1-2]", *words, "--dry-run").exception, BadParameter)


def test_an_mpirun_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError, match="there is no such program"):
        surroundings._named_mpirun(str(tmp_path / "mpirun"))
    program = tmp_path / "mpirun"
    program.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.9'\n")
    program.chmod(0o755)
    here = COLLECT(str(program))
    assert (here.mpi, here.programs["mpirun"], here.programs["mpiexec"]) == (
        "openmpi 4.1.9",
        str(program),
        str(program),
    )


def test_mccl_is_told_by_its_own_variables(tmp_path: Path) -> None:
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = run("all_reduce", "--benchmark", "mccl", "--path", str(program), "--ranks-per-node", "8", "--dry-run")
    assert "-x MCCL_DEBUG=INFO -x 'MCCL_DEBUG_FILE={output}/nccl-debug/%h.%p.log'" in done.output
    assert "NCCL_" not in done.output.replace("MCCL_", "")


def test_one_process_for_eight_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_run, "gpus_here", lambda: 8)
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    words = ("all_reduce", "--path", str(program), "-b", "8", "-e", "128M", "--dry-run")
    assert " -n 1 " in run(*words, "--", "-g", "8").output
    assert " -n 2 " in run(*words, "--", "-t", "2", "-g", "2").output
    planned = plan_run.plan_run(
        plan_run.Asked(Request("all_reduce", 8, 1 << 20, extra=("-g", "8")), path=str(program)), HERE, tmp_path / "out"
    )
    assert (planned.job.nranks, planned.job.gpus_per_node, planned.nranks) == (1, 8, 8)


def test_a_directory_that_was_removed_and_no_home_are_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SlowlinkError) as caught:
        place_beside(None)
    assert str(caught.value) == "the directory in which this shell stands was removed"
    title = "[n1:77] Error: Unable to get the user home directory"
    with pytest.raises(SlowlinkError) as caught:
        found_mpi(replace(HERE, mpi=title))
    assert caught.value.hint == "set HOME to a directory of yours: export HOME=/tmp"
