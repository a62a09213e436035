"""``slowlink check``: what is refused before anything runs, every plan of a dry run, and this machine for real."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from mpi_ranks import needs_mpi
from slowlink import analyze
from slowlink.cli.check import command
from slowlink.cli.check.work import Told
from slowlink.errors import SlowlinkError
from slowlink.ladder.layers import LAYERS
from slowlink.ladder.plan import Machine, NodeParts, Wanted, plan_ladder
from slowlink.model.ladder import AGAIN, Ladder, LadderResult, Waterfall

SMALL = ("-e", "64K", "--iters", "2", "--on", "local", "--benchmark", "probe")


def check(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def refused(*arguments: str) -> str:
    error = check(*arguments).exception
    assert isinstance(error, (click.UsageError, SlowlinkError)), error
    return error.message


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--layers", "pairs"), "there is no layer 'pairs'; one of host, port, pairs-host"),
        (("--layers", ","), "there is no layer"),
        (("--layers", "command"), "needs a command behind --"),
        (("--budget", "0"), "0"),
        (("--nodes", "node[1-2]", "--on", "local"), "--on local is this machine"),
        (("--on", "ssh"), "which nodes?"),
        (("--resume", "nowhere"), "nowhere"),
        (("--resume", "nowhere", "--quick"), "--quick cannot be given"),
        (("--perftest", "/nowhere/ib_write_bw", "--nodes", "node[1-2]"), "/nowhere/ib_write_bw does not exist"),
        (("--", "-x"), "'-x' is no command"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_the_layers_of_the_command_line_are_those_of_the_ladder() -> None:
    from slowlink.cli.check.options import LAYERS as NAMES

    assert [*NAMES] == [layer.id for layer in LAYERS]


@needs_mpi
def test_a_dry_run_prints_every_plan_and_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = check(*SMALL, "--dry-run", "--", "python", "train.py")
    assert done.exception is None, done.exception
    assert "## port: each port: not there: no node has an HCA" in done.output
    assert "slowlink.probe all_reduce --backend mpi -b 16384 -e 65536" in done.output
    assert "# command, round 1\npython train.py\n" in done.output
    assert list(tmp_path.iterdir()) == []


def slowlink(place: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "slowlink", "check", *words],
        cwd=place,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ladder_of(place: Path) -> Waterfall:
    found = analyze(str(place)).ladder
    assert found is not None
    return found


@needs_mpi
def test_this_machine_interrupted_and_gone_on_with(tmp_path: Path) -> None:
    """Ctrl-C while the user's own command runs: what was measured before stays, and is not measured again."""
    waits = ("sh", "-c", "test -e go || { touch began; sleep 60; }")
    words = (*SMALL, "--bundle", "b", "--format", "json", "--no-snapshot", "--", *waits)
    process = slowlink(tmp_path, *words)
    deadline = time.monotonic() + 60
    while not (tmp_path / "began").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "slowlink check --resume b goes on" in err
    states = {rung["layer"]: rung["state"] for rung in json.loads(out)["ladder"]["rungs"]}
    assert (states["node"], states["command"]) == ("measured", "not-run")
    (node,) = (tmp_path / "b" / "captures" / "node").iterdir()
    before = (node / "stdout").stat().st_mtime_ns

    (tmp_path / "go").touch()
    process = slowlink(tmp_path, "--resume", "b", "--format", "json")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err  # MPI on CPU memory has no bandwidth that it should reach
    assert (node / "stdout").stat().st_mtime_ns == before
    rungs = {rung["layer"]: rung for rung in json.loads(out)["ladder"]["rungs"]}
    assert {rungs[name]["state"] for name in ("node", "command")} == {"measured"}
    assert rungs["node"]["least_gbs"] > 0
    assert json.loads(out)["ladder"]["stopped"] == ""
    assert ladder_of(tmp_path / "b") == ladder_of(tmp_path / "b")


@needs_mpi
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("exit 3", "sh exited with code 3"),
        ("kill -9 $$", "sh died of signal 9 (SIGKILL): something outside killed it"),
        ("echo 'error: no space left for checkpoints' >&2; exit 1", "an error: no space left for checkpoints"),
    ],
)
def test_a_command_that_ends_badly_is_told_with_what_it_said(tmp_path: Path, program: str, said: str) -> None:
    """Nobody but slowlink waits for it: no launcher says how it ended. What was measured below it is no comfort."""
    words = (*SMALL, "--layers", "node,command", "--format", "json", "--no-snapshot", "--", "sh", "-c", program)
    process = slowlink(tmp_path, *words)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    report = json.loads(out)
    assert (report["verdict"], report["headline"]) == ("broken", said)
    assert {rung["layer"]: rung["state"] for rung in report["ladder"]["rungs"]}["node"] == "measured"


def test_each_test_is_told_with_what_it_gave_that_time(capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_ladder(Machine((NodeParts("node1"), NodeParts("node2"), NodeParts("node3"))), Wanted(snapshot=False))
    test = plan.tests[0]
    again = replace(test, name=test.name + AGAIN)
    told = Told(plan)
    told.begun([test])
    told.ended([test], Ladder(plan, (LadderResult(test, 0.12),)))
    told.begun([again])
    told.ended([again], Ladder(plan, (LadderResult(test, 0.12, repeated=True, first_gbs=0.12, again_gbs=0.07),)))
    assert capsys.readouterr().err == snapshot("""\
pairs, host memory (MPI between two ranks (no HCA in common))
  node1 + node2: 0.12 GB/s
pairs, host memory, once more (MPI between two ranks (no HCA in common))
  node1 + node2: 0.07 GB/s
""")
