"""The script that looks at ranks, run by sh beside real processes: states, processor time, whose they are, no secrets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from feeding import feed

from slowlink.facts.hang.standing import standing
from slowlink.model.state import Reading
from slowlink.parsers.context.rank_states import RankStates
from slowlink.samplers import ranks_script

SPINS = "while True: pass"
SLEEPS = "import time; time.sleep(300)"
Start = Callable[..., int]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a process with an environment of its own, and ends it after the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(program: str, **variables: str) -> int:
        env = {"PATH": os.environ["PATH"], "TOKEN": "hunter2", **variables}
        started.append(subprocess.Popen([sys.executable, "-c", program], env=env))
        return started[-1].pid

    yield begin
    for process in started:
        process.kill()
        process.wait()


def looked(run: str, *ours: str, over_s: float = 0.5) -> str:
    script = ranks_script(run, ours, over_s=over_s)
    done = subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "hunter2" not in done.stdout
    return done.stdout


def readings(text: str) -> list[Reading]:
    return [each for each in feed(RankStates, text.splitlines(), host="here") if isinstance(each, Reading)]


def test_a_stopped_rank_is_told_from_those_that_work(start: Start) -> None:
    run = f"run-{os.getpid()}"
    stopped = start(SLEEPS, SLOWLINK_RUN=run, OMPI_COMM_WORLD_RANK="3", SLURM_PROCID="0")
    for rank in (4, 5, 6):
        start(SPINS, SLOWLINK_RUN=run, PMIX_RANK=str(rank), RANK="99")
    start(SLEEPS, SLOWLINK_RUN=run)  # the launcher: of the run, and no rank
    start(SLEEPS, SLOWLINK_RUN=f"{run}0", RANK="7")  # another run, whose word begins alike
    os.kill(stopped, signal.SIGSTOP)
    found = readings(looked(run))
    assert sorted(int(r.value) for r in found if r.attribute == "rank-number") == [3, 4, 5, 6]
    assert [(each.rank, each.pid, each.how) for each in standing(found)] == [(3, str(stopped), "stopped")]


def test_processes_that_their_user_named_are_looked_at_too(start: Start, tmp_path: Path) -> None:
    name = f"own{os.getpid()}"
    (tmp_path / name).symlink_to(sys.executable)
    process = subprocess.Popen([str(tmp_path / name), "-c", SLEEPS])
    try:
        found = {r.attribute: r.value for r in readings(looked("nobody", name)) if r.part.name == str(process.pid)}
    finally:
        process.kill()
        process.wait()
    assert (found["process-name"], found["rank-state"], "rank-number" in found) == (name, "S", False)


def test_a_name_with_an_end_of_line_hides_nobody(start: Start) -> None:
    run = f"named-{os.getpid()}"
    renamed = "import ctypes; ctypes.CDLL(None).prctl(15, b'x:) R 1\\n2', 0, 0, 0); "
    stopped = start(renamed + SLEEPS, SLOWLINK_RUN=run, RANK="3")
    deadline = time.monotonic() + 30
    while "x:) R" not in Path(f"/proc/{stopped}/comm").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(stopped, signal.SIGSTOP)
    (found,) = standing(readings(looked(run)))
    assert (found.rank, found.how, found.name) == (3, "stopped", "x___R_1_2")


def test_stacks_and_nccl_are_asked_where_they_are_installed(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, says in (("py-spy", 'echo "stack of $4"'), ("ncclras", "echo ranks of all")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    run = f"tools-{os.getpid()}"
    sleeping, working = start(SLEEPS, SLOWLINK_RUN=run, RANK="0"), start(SPINS, SLOWLINK_RUN=run, RANK="1")
    text = looked(run, over_s=2)
    assert f"stack of {sleeping}" in text
    assert f"stack of {working}" not in text
    assert text.count("ranks of all") == 1
    assert "ranks of all" not in looked(run.replace("tools", "other"))


@pytest.mark.parametrize("word", ["a b", "$(id)", "x'y", ""])
def test_only_plain_words_become_shell_text(word: str) -> None:
    with pytest.raises(ValueError, match="not plain words"):
        ranks_script(word)
    with pytest.raises(ValueError, match="not plain words"):
        ranks_script("abc", (word,))
