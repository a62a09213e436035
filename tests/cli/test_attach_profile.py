"""``slowlink attach --profile``: what is switched on is switched off, whoever is ended in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fake_ras import Job, serving
from slowlink.cli.attach import command
from slowlink.errors import SlowlinkError
from slowlink.workflows.attach.profiler import Profiling, script_of

ON, OFF = "CONTROL PROFILER_MASK coll,kernelch", "CONTROL PROFILER_MASK none"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("SLURM_", "KUBERNETES_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def words(port: int, *more: str) -> list[str]:
    address = ["--address", f"localhost:{port}", "--between", "5", "-o", "found"]
    return ["--no-history", "--no-snapshot", "--format", "json", *address, *more]


def invoke(port: int, *more: str) -> Result:
    result = CliRunner().invoke(command, words(port, *more), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def controls(job: Job) -> list[str]:
    """The commands that change the job, equal ones behind one another once."""
    found = [each for each in job.commands if each.startswith("CONTROL")]
    return [each for number, each in enumerate(found) if number == 0 or found[number - 1] != each]


def wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_on_for_a_while_and_off_again() -> None:
    with serving("control") as (port, job):
        result = invoke(port, "--profile", "1")
    assert controls(job) == [ON, OFF]
    assert result.return_value == 0
    assert json.loads(result.stdout)["findings"] == []
    assert "it was on for 1 s" in result.stderr


def test_masks_of_ones_own() -> None:
    with serving("control") as (port, job):
        invoke(port, "--profile", "1", "--profile-mask", "all", "--profile-after", "0x2")
    assert controls(job) == ["CONTROL PROFILER_MASK all", "CONTROL PROFILER_MASK 0x2"]


def on_this_node(wanted: Profiling) -> list[str]:
    """What the script says, with little patience, where nobody holds its input open."""
    script = script_of(wanted).replace("alarm(12)", "alarm(1)")
    done = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


def test_an_answer_that_comes_byte_after_byte_is_not_waited_for_and_may_have_switched_it_on() -> None:
    with serving("drips") as (port, job):
        said = on_this_node(Profiling(1, "all", "none", (f"localhost:{port}",)))
    assert said == [
        f"slowlink-profiler begins localhost:{port} mask all",
        f"slowlink-profiler off localhost:{port} mask none: no answer",
    ]
    assert controls(job) == ["CONTROL PROFILER_MASK all", OFF]


def test_where_nothing_speaks_ras_nothing_is_sent() -> None:
    with serving("json") as (closed, _):
        pass
    with serving("foreign") as (port, job):
        said = on_this_node(Profiling(1, "all", "none", (f"localhost:{port}", f"localhost:{closed}")))
    assert sorted(said) == sorted(
        line
        for address, why in (
            (f"localhost:{port}", "foreign: what listens there does not speak RAS"),
            (f"localhost:{closed}", "absent: nothing listens there"),
        )
        for line in (
            f"slowlink-profiler begins {address} mask all",
            f"slowlink-profiler refused {address} {why}",
        )
    )
    assert controls(job) == []


def test_its_address_is_found_as_that_of_the_question_is() -> None:
    """By the environment of a process of the job: no option names it."""
    with serving("control") as (port, job):
        environment = {**os.environ, "NCCL_RAS_ADDR": f"localhost:{port}"}
        with subprocess.Popen(["sleep", "600"], env=environment) as rank:
            try:
                words_ = ["--no-history", "--no-snapshot", "--between", "5", "-o", "found", "--profile", "1"]
                result = CliRunner().invoke(command, words_, standalone_mode=False)
            finally:
                rank.kill()
    assert result.exception is None
    assert controls(job) == [ON, OFF]
    assert (result.return_value, job.answers) == (0, 2)


def test_the_first_address_that_takes_it_is_the_one() -> None:
    with serving("json") as (old, before), serving("control") as (port, job):
        result = invoke(old, "--profile", "1", "--address", f"localhost:{port}")
    assert controls(job) == [ON, OFF]
    assert set(controls(before)) <= {ON}
    assert json.loads(result.stdout)["findings"] == []


def test_a_version_without_it_is_left_as_it_is() -> None:
    with serving("json") as (port, job):
        result = invoke(port, "--profile", "60")
    assert controls(job) == [ON]  # unknown there, so nothing was changed and nothing is put back
    assert "it was not switched on: " in result.stderr
    assert "Unknown command" in result.stderr
    assert (result.return_value, json.loads(result.stdout)["findings"]) == (0, [])


@pytest.mark.parametrize("mask", ["coll;id", "$(id)", "a b", "", "Coll\nSTATUS"])
def test_what_is_no_mask(mask: str) -> None:
    with pytest.raises(SlowlinkError, match="is no mask"):
        invoke(1, "--profile", "1", "--profile-mask", mask)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_off_again_when_slowlink_is_ended(number: signal.Signals) -> None:
    with serving("control") as (port, job):
        argv = [sys.executable, "-m", "slowlink", "attach", *words(port, "--profile", "600")]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
            wait(lambda: ON in job.commands)
            started.send_signal(number)
            started.wait(timeout=60)
        wait(lambda: OFF in job.commands)
    assert controls(job) == [ON, OFF]


@contextmanager
def on_the_node(port: int, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """What switches it on for so long, as on a node: with an input that nobody closes."""
    with subprocess.Popen(
        ["sh", "-s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as shell:
        assert shell.stdin is not None
        shell.stdin.write(script_of(Profiling(seconds, "coll,kernelch", "none", (f"localhost:{port}",))))
        shell.stdin.flush()
        yield shell


OFF_AGAIN = "slowlink-profiler off localhost:{} mask none: OK\n"


def test_off_again_when_the_shell_on_the_node_is_killed() -> None:
    with serving("control") as (port, job), on_the_node(port, 600) as shell:
        assert shell.stdout is not None
        while shell.stdout.readline() != "slowlink-profiler ready\n":
            pass
        os.killpg(shell.pid, signal.SIGTERM)
        assert shell.stdout.read() == OFF_AGAIN.format(port)
    assert controls(job) == [ON, OFF]


def test_off_again_when_it_is_killed_before_it_heard_that_it_is_on() -> None:
    with serving("control") as (port, job):
        job.says_on.clear()
        with on_the_node(port, 600) as shell:
            wait(lambda: ON in job.commands)
            os.killpg(shell.pid, signal.SIGTERM)
            job.says_on.set()
            assert shell.stdout is not None
            assert shell.stdout.read().splitlines(keepends=True)[-1] == OFF_AGAIN.format(port)
    assert controls(job) == [ON, OFF]


def test_who_leaves_it_on_says_so() -> None:
    with serving("control") as (port, job):
        job.keeps_on = True
        result = invoke(port, "--profile", "1")
    (found,) = json.loads(result.stdout)["findings"]
    assert (found["cause"], found["severity"]) == ("profiler-left-on", "warning")
