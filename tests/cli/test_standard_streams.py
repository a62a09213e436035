"""Closed and full standard streams, and reports that ``-o`` writes: real processes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

LOG = Path(__file__).parent.parent.parent / "demo" / "logs" / "degraded-2nodes.log.gz"


def slowlink(redirections: str, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs slowlink from a shell that redirects its streams."""
    command = f'exec "$@" {redirections}'
    argv = ["sh", "-c", command, "sh", sys.executable, "-m", "slowlink", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, cwd=cwd)


def test_closed_output_is_said_and_the_status_still_tells() -> None:
    done = slowlink(">&-", "analyze", str(LOG), "-q")
    assert (done.returncode, done.stderr) == (1, "slowlink: standard output is closed; what it would show is lost\n")


def test_all_streams_closed() -> None:
    assert slowlink("<&- >&- 2>&-", "analyze", str(LOG), "-q").returncode == 1


@pytest.mark.parametrize("words", [("analyze", "-", "-q"), ("nodes", "--hostfile", "-"), ("compare", "-", str(LOG))])
def test_closed_input_is_no_empty_one(words: tuple[str, ...]) -> None:
    done = slowlink("<&-", *words)
    said = "slowlink: standard input is closed\n  give it something to read, or name a file\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_an_empty_input_is_one() -> None:
    done = slowlink("</dev/null", "analyze", "-", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (3, "INCONCLUSIVE: the input is empty\n", "")


@pytest.mark.parametrize("unbuffered", [True, False])
@pytest.mark.parametrize("blocking", [True, False])
def test_a_slow_reader_gets_everything(tmp_path: Path, unbuffered: bool, blocking: bool) -> None:
    """Signals come while a write waits: how much is written then is the pipe's size, and the rest must follow."""
    channels = (
        f"gpu01:4711:4720 [0] NCCL INFO Channel 00/0 : {n}[0] -> {n + 8}[0] [send] via NET/IB/0" for n in range(4000)
    )
    (tmp_path / "job.log").write_text("\n".join(channels))
    words = ["-m", "slowlink", "analyze", str(tmp_path / "job.log"), "--format", "json"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    end, start = os.pipe()
    os.set_blocking(start, blocking)
    with os.fdopen(end, "rb") as pipe, subprocess.Popen([sys.executable, *words], stdout=start, env=environment):
        os.close(start)
        begin = pipe.read(1)
        time.sleep(1)
        text = begin + pipe.read()
    assert len(text) > 1 << 17
    assert json.loads(text)["schema"] == "slowlink.report/1"


@pytest.mark.parametrize("words", [("analyze", str(LOG), "-q"), ("--version",), ("--help",), ("rules",)])
def test_an_output_that_is_open_for_reading_alone_is_said(words: tuple[str, ...]) -> None:
    done = slowlink("1</dev/null", *words)
    said = "slowlink: cannot write to standard output: Bad file descriptor\n  make room, or choose another place\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_closed_output_is_not_written_into_a_report(tmp_path: Path) -> None:
    """The number of a closed stream is free: the first file that is opened would get it, and what is printed, too."""
    done = slowlink(">&-", "analyze", str(LOG), "-o", "report.json", cwd=tmp_path)
    assert done.returncode == 1
    assert (tmp_path / "report.json").read_text().startswith('{\n  "schema": "slowlink.report/1"')


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ("analyze", str(LOG), "-q"),
        ("analyze", str(LOG), "--format", "json"),
        ("--version",),
        ("--help",),
        (),
        ("rules", "--help"),
        ("rules", "list"),
        ("expect", "--system", "hgx-h100"),
        ("nodes", "gpu[1-3]", "--help"),
        ("report", "--schema"),
        ("snapshot", "--dry-run"),
        ("compare", str(LOG), str(LOG)),
        ("prepare", "--help"),
        ("manifest", "--help"),
    ],
    ids=" ".join,
)
def test_full_output_is_said(words: tuple[str, ...]) -> None:
    done = slowlink(">/dev/full", *words)
    said = "slowlink: cannot write to standard output: No space left on device\n  make room, or choose another place\n"
    assert (done.returncode, done.stderr[-len(said) :]) == (2, said)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_where_errors_cannot_be_written_the_status_still_tells(tmp_path: Path) -> None:
    for words in (("analyze", "absent"), ("analize",), ("rules", "--nothing")):
        assert slowlink("2>/dev/full", *words, cwd=tmp_path).returncode == 2
    assert slowlink(">/dev/full 2>/dev/full", "--version").returncode == 2


def test_a_report_replaces_a_link_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious\n")
    (tmp_path / "report.json").symlink_to(tmp_path / "victim")
    assert slowlink("", "analyze", str(LOG), "-q", "-o", "report.json", cwd=tmp_path).returncode == 1
    assert (tmp_path / "victim").read_text() == "precious\n"
    assert not (tmp_path / "report.json").is_symlink()
    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o600
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.json", "victim"]


def test_a_report_goes_into_a_pipe_that_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.json")
    command = 'cat report.json > seen & exec 3>&1; "$@"; status=$?; wait; exit $status'
    argv = ["sh", "-c", command, "sh", sys.executable, "-m", "slowlink", "analyze", str(LOG), "-q", "-o", "report.json"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert (tmp_path / "report.json").is_fifo()
    assert (tmp_path / "seen").read_text().startswith('{\n  "schema": "slowlink.report/1"')


@pytest.mark.parametrize("redirection", ["", "> seen", "| cat"])
def test_a_report_goes_to_standard_output_by_its_name(tmp_path: Path, redirection: str) -> None:
    name = "/dev/stdout"
    link = Path(name).readlink()
    command = f'"$@" {redirection}'
    argv = ["sh", "-c", command, "sh", sys.executable, "-m", "slowlink", "analyze", str(LOG), "-q", "-o", name]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    said = (tmp_path / "seen").read_text() if redirection == "> seen" else done.stdout
    assert (done.stderr, said.count("DEGRADED"), Path(name).readlink()) == ("", 2, link)


def test_no_report_takes_the_place_of_an_input(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "job.txt"
    log.write_bytes(gzip.decompress(LOG.read_bytes()))
    (tmp_path / "hard.txt").hardlink_to(log)
    before = log.read_bytes()
    for words in (
        ("analyze", "logs/job.txt", "-o", "logs/job.txt"),
        ("analyze", "logs/job.txt", "-o", "hard.txt"),
        ("analyze", "logs", "-o", "logs/job.txt"),
        ("compare", "logs/job.txt", str(LOG), "-o", "logs/job.txt"),
    ):
        done = slowlink("", *words, cwd=tmp_path)
        said = f"slowlink: {words[-1]} is an input: the report would take its place\n"
        assert (done.returncode, done.stdout, done.stderr.startswith(said)) == (2, "", True)
    assert log.read_bytes() == before


def test_reports_take_the_place_of_earlier_ones_among_the_logs(tmp_path: Path) -> None:
    (tmp_path / "job.log.gz").write_bytes(LOG.read_bytes())
    names = [f"report{suffix}" for suffix in (".html", ".json", ".md", ".xml", ".txt")]
    for _ in range(2):
        done = slowlink("", "analyze", ".", "-q", *(word for name in names for word in ("-o", name)), cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, "")
        assert [name for name in names if not (tmp_path / name).stat().st_size] == []


def test_a_folder_is_no_place_for_a_report(tmp_path: Path) -> None:
    (tmp_path / "r.html").mkdir()
    done = slowlink("", "analyze", str(LOG), "-o", "r.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "slowlink: cannot write r.html: it is a directory\n  name a file\n")


@pytest.mark.parametrize("environment", [{}, {"HOME": "/nonexistent", "TERM": ""}, {"TERM": "dumb", "LC_ALL": "C"}])
def test_a_bare_environment_is_enough(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "slowlink", "analyze", str(LOG)],
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.startswith(b"DEGRADED")
