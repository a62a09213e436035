"""The whole command as a user starts it: exit codes, slips, interruption, a reader that leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from slowlink import __version__
from slowlink.simulate.job import SimulatedJob, job_log

SLOWLINK = [sys.executable, "-m", "slowlink"]


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SLOWLINK, *words], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def log(tmp_path: Path) -> str:
    file = tmp_path / "job.log"
    file.write_text(job_log(SimulatedJob(plateau_gbs=9.4)))
    return str(file)


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"slowlink {__version__}\n", "")


def test_alone_it_tells_what_it_can_do() -> None:
    done = run()
    assert done.returncode == 2
    assert all(name in done.stdout for name in ("analyze", "expect", "report", "rules", "Exit status"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("analyse",), "there is no command 'analyse'; did you mean 'analyze'?"),
        (("options",), "there is no command 'options', and no file"),
        (("job7.log",), "there is no command 'job7.log', and no file or directory of this name"),
        (("-v", "job7.log"), "no such file or directory: job7.log"),
        (("--verison",), "No such option '--verison'"),
        (("analyze",), "Missing argument 'PATH...'"),
        (("analyze", "--nics"), "requires an argument"),
        (("analyze", ".", "--format", "pdf"), "'pdf' is not one of"),
        (("analyze", ".", "--gpus-per-node", "0"), "0 is not in the range"),
    ],
)
def test_slips_of_the_command_line(words: tuple[str, ...], said: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_no_stranger_s_word_commands_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "slowlink.toml").write_text('"k\\u001b]52;c;aWQK\\u0007\\u009b" = 1\n')
    (tmp_path / "nodes").write_text("gpu[01-\x1b[2J]\n")
    hostile = (("analyze", "."), ("snapshot", "--hostfile", "nodes", "--dry-run"), ("analyze", "--\x1b[2J\x9b"))
    for words in hostile:
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 2, words
        shown = done.stderr.replace("\n", "")
        assert "x1b" in shown or "u001b" in shown, words
        assert shown.isprintable(), words


def test_a_file_in_place_of_a_command_is_analyzed(log: str) -> None:
    done, meant = run(log, "-q"), run("analyze", log, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (meant.returncode, meant.stdout, meant.stderr)


def test_options_may_stand_before_the_file(log: str) -> None:
    done, meant = run("-q", "--nics", "2x200", log), run("analyze", log, "-q", "--nics", "2x200")
    assert (done.returncode, done.stdout, done.stderr) == (meant.returncode, meant.stdout, meant.stderr)


def test_a_defect_keeps_its_traceback_and_has_a_status_of_its_own(log: str) -> None:
    broken = "import slowlink.workflows.analyze as a; a.read = None; import slowlink.cli.main as m; m.main()"
    done = subprocess.run([sys.executable, "-c", broken, "analyze", log], capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "this is a defect of slowlink" in done.stderr


@pytest.mark.parametrize(
    "refused",
    [
        "MemoryError()",
        "OSError(12, 'Cannot allocate memory')",
        "ImportError('x.so: failed to map segment from shared object')",
    ],
)
def test_a_machine_without_memory_is_no_defect(log: str, refused: str) -> None:
    broken = (
        f"def read(*_, **__): raise {refused}\n"
        "import slowlink.workflows.analyze as a; a.read = read\nimport slowlink.cli.main as m; m.main()"
    )
    done = subprocess.run([sys.executable, "-c", broken, "analyze", log], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("slowlink: there is not enough memory for this\n")
    assert "Traceback" not in done.stderr


def test_a_reader_that_leaves_changes_no_status(log: str) -> None:
    for words, status in ((("analyze", log, "--nics", "2x200"), 1), (("rules",), 0), (("expect", "--list-systems"), 0)):
        closed, writer = os.pipe()
        os.close(closed)
        try:
            done = subprocess.run([*SLOWLINK, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
        finally:
            os.close(writer)
        assert (done.returncode, done.stderr) == (status, b"")


def test_interrupted_while_it_waits_for_input() -> None:
    with subprocess.Popen(
        [*SLOWLINK, "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # It must be at work before the signal comes: it has read what a full pipe could not hold.
        process.stdin.write(b"nothing of interest\n" * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read().decode().split() == ["slowlink:", "interrupted"]
        assert process.stdout is not None
        assert process.stdout.readline().decode() == ("INCONCLUSIVE  -: the reading was interrupted\n")


def test_an_output_that_knows_only_ascii(tmp_path: Path) -> None:
    file = tmp_path / "job.log"
    file.write_text("noeud-é:1:1 [0] NCCL INFO Using network Socket\n", encoding="utf-8")
    done = run("analyze", str(file), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_behind_standard_output_is_no_defect() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*SLOWLINK, "rules"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "slowlink: cannot write to standard output: No space left on device\n  make room, or choose another place\n",
    )
