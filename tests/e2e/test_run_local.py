"""``slowlink run`` on this machine, from the command line to the exit status, with real ranks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from local_run import MPIRUN, NO_MPIRUN, bundle_of, program, slowlink, table_text

pytestmark = pytest.mark.skipif(MPIRUN is None, reason=NO_MPIRUN)
SIZES = ("-b", "1M", "-e", "8M", "-n", "2")


def run(tmp_path: Path, path: Path, *more: str) -> tuple[int | None, str, str]:
    return slowlink(tmp_path, "run", "all_reduce", "--no-snapshot", *SIZES, "--path", str(path), *more)


def processes_with(word: str) -> list[int]:
    """Processes whose command line holds ``word``."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def test_the_probe_measures_on_cpu_memory(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    status, out, err = slowlink(
        tmp_path,
        "run",
        "all_reduce",
        "--no-snapshot",
        "-b",
        "1K",
        "-e",
        "64K",
        "-n",
        "2",
        "--iters",
        "3",
        "--format",
        "json",
    )
    report = json.loads(out)
    assert status in (0, 3), err
    (sweep,) = report["sweeps"]
    assert (sweep["collective"], sweep["nranks"], sweep["complete"]) == ("all_reduce", 2, True)
    assert {point["size_bytes"] for point in sweep["points"]} == {1024 << step for step in range(7)}
    assert report["facts"]["launches"][0]["reason"] == "exited"
    assert "passed: measurement: 1 launch complete" in err
    assert "64 KiB" in err


def test_a_node_that_does_not_exist_is_named_before_anything_starts(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    if shutil.which("ssh") is None:
        pytest.skip("needs ssh")
    words = ("run", "all_reduce", "--nodes", "node1.invalid", "--timeout", "60")
    status, out, err = slowlink(tmp_path, *words)
    assert (status, out) == (2, "")
    assert "node1.invalid: the name of a node is not known; check the spelling, or give its address" in err
    assert list(tmp_path.iterdir()) == []
    status, out, _ = slowlink(tmp_path, *words, "--no-preflight")
    assert status == 1
    assert "node1.invalid" in out
    assert "slowlink nodes --check" in out


@pytest.mark.parametrize(("threshold", "status"), [("90", 0), ("110", 1)])
def test_threshold_decides_the_exit_status(tmp_path: Path, threshold: str, status: int) -> None:
    made = program(tmp_path, table_text())
    got, out, err = run(tmp_path, made.path, "--min-busbw", threshold)
    assert got == status, err
    assert f"busbw >= {threshold} GB/s: plateau 100 GB/s" in out


def test_baseline_of_an_earlier_run(tmp_path: Path) -> None:
    made = program(tmp_path, table_text())
    assert run(tmp_path, made.path, "--min-busbw", "90", "-o", str(tmp_path / "old.json"))[0] == 0
    assert run(tmp_path, made.path, "--baseline", str(tmp_path / "old.json"))[0] == 0
    old = json.loads((tmp_path / "old.json").read_text())
    for point in old["sweeps"][0]["points"]:
        point["busbw_gbs"] *= 2
    (tmp_path / "faster.json").write_text(json.dumps(old))
    status, out, _ = run(tmp_path, made.path, "--baseline", str(tmp_path / "faster.json"))
    assert status == 1
    assert "50.0% of the baseline's 200 GB/s" in out


@pytest.mark.parametrize(
    ("cut", "after", "words"),
    [
        (0, "", "no row was printed"),
        (-6, "", "the table is not complete"),
        (None, "exit 7", "exit status 7"),
    ],
    ids=["no rows", "truncated", "failed launch"],
)
def test_what_was_not_measured_never_passes(tmp_path: Path, cut: int | None, after: str, words: str) -> None:
    text = "".join(table_text().splitlines(keepends=True)[:cut])
    made = program(tmp_path, text, after)
    status, out, _ = run(tmp_path, made.path, "--min-busbw", "1")
    assert status != 0
    assert words in out


def test_wrong_number_of_ranks_never_passes(tmp_path: Path) -> None:
    made = program(tmp_path, table_text())
    status, out, _ = run(tmp_path, made.path, "-n", "3", "--min-busbw", "1")
    assert status != 0
    assert "2 ranks took part, not 3" in out


def test_repeated_launches_show_their_spread(tmp_path: Path) -> None:
    made = program(tmp_path, table_text())
    status, out, _ = run(tmp_path, made.path, "--repeat", "2", "--min-busbw", "90")
    assert status == 0
    assert "2 launches: plateau 100 GB/s (median), 100 to 100, CV 0.0%" in out
    assert {path.name for path in (bundle_of(tmp_path) / "captures").iterdir()} == {"run-1", "run-2"}


def test_nccl_debug_output_has_files_of_its_own(tmp_path: Path) -> None:
    after = 'echo "said by rank" >"$(dirname "$NCCL_DEBUG_FILE")/host.$$.log"'
    made = program(tmp_path, table_text(), after)
    run(tmp_path, made.path)
    files = sorted((bundle_of(tmp_path) / "captures" / "nccl-debug-1").iterdir())
    assert len(files) == 2
    assert files[0].read_text() == "said by rank\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda each: each.name)
def test_ended_in_the_middle_nothing_runs_on_and_rows_are_kept(tmp_path: Path, number: signal.Signals) -> None:
    lines = table_text().splitlines(keepends=True)
    made = program(tmp_path, "".join(lines[:-4]), f"exec sleep {tmp_path.stat().st_ino}7777.25")
    argv = [sys.executable, "-m", "slowlink", "run", "all_reduce", "--no-snapshot", *SIZES, "--path", str(made.path)]
    log = tmp_path / "err"
    places = tmp_path / "places"
    places.mkdir()
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        pid = os.posix_spawn(
            sys.executable,
            argv,
            {**os.environ, "TMPDIR": str(places)},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, str(tmp_path / "out"), os.O_WRONLY | os.O_CREAT, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT, 0o600),
            ],
        )
    finally:
        os.chdir(before)
    word = f"{tmp_path.stat().st_ino}7777.25"
    wait(lambda: len(processes_with(word)) >= 2 and "MiB" in log.read_text())
    os.kill(pid, number)
    _, status = os.waitpid(pid, 0)
    wait(lambda: not processes_with(word) and not processes_with(str(made.path)))
    assert processes_with(str(made.path)) == []
    wait(lambda: not any(places.iterdir()))
    assert list(places.iterdir()) == []
    kept = bundle_of(tmp_path) / "captures" / "run-1" / "stdout"
    assert "1048576" in kept.read_text()
    if number != signal.SIGKILL:
        assert os.WEXITSTATUS(status) == 130
        out = (tmp_path / "out").read_text()
        assert f"interrupted: ended by {number.name}" in out
        assert "NOT MEASURED" in out


def wait(condition: object, seconds: float = 60.0) -> None:
    """A bound for tests that would hang, not a timing."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)


def test_time_limit(tmp_path: Path) -> None:
    made = program(tmp_path, table_text(), "exec sleep 88888.5")
    status, out, _ = run(tmp_path, made.path, "--timeout", "8", "--min-busbw", "1")
    assert status == 3
    assert "ended by the time limit: not finished after 8 s" in out
    assert "plateau 100 GB/s, but the measurement does not count" in out
