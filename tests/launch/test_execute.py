"""execute() with real processes: nothing is lost of what they print, and nothing of them is left."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.launch import guard
from slowlink.launch.execute import Captured, capture, execute, resolved
from slowlink.launch.streams import MAX_LINE_BYTES, LineSplitter
from slowlink.model.plan import Ended, Plan, PlannedFile, Step


class Caught:
    def __init__(self) -> None:
        self.out, self.err = b"", b""

    def on_stdout(self, chunk: bytes) -> None:
        self.out += chunk

    def on_stderr(self, chunk: bytes) -> None:
        self.err += chunk


def shell(script: str, **more: object) -> Plan:
    return Plan("local", ("sh", "-c", script), **more)  # type: ignore[arg-type]


def run(plan: Plan, tmp_path: Path, **options: object) -> tuple[Ended, Caught]:
    caught = Caught()
    ended = execute(plan, tmp_path / "scratch", caught.on_stdout, caught.on_stderr, **options)  # type: ignore[arg-type]
    assert not (tmp_path / "scratch").exists()
    return ended, caught


def alive(pid: int) -> bool:
    """Running, and not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """A bound for tests that would hang, not a timing."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> set[str]:
    """Process ids of our children, zombies included; fixtures of other tests may have some in this process."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def test_status_and_both_streams(tmp_path: Path) -> None:
    ended, caught = run(shell("echo out; echo err >&2; exit 3"), tmp_path)
    assert (ended.status, ended.signal, ended.reason, ended.detail) == (3, None, "exited", "")
    assert (caught.out, caught.err) == (b"out\n", b"err\n")


def test_full_pipes_do_not_block_one_another(tmp_path: Path) -> None:
    ended, caught = run(shell("head -c 10000000 /dev/zero >&2; echo done"), tmp_path)
    assert ended.status == 0
    assert len(caught.err) == 10_000_000
    assert caught.out == b"done\n"


def test_last_line_without_end_and_binary_junk_arrive_as_they_are(tmp_path: Path) -> None:
    _, caught = run(shell(r"printf 'a\000\377\nlast'"), tmp_path)
    assert caught.out == b"a\x00\xff\nlast"


def test_output_comes_while_the_process_runs(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    seen: list[bytes] = []

    def on_stdout(chunk: bytes) -> None:
        seen.append(chunk)
        gate.touch()

    plan = shell(f"echo first; while [ ! -e {gate} ]; do sleep 0.02; done; echo second")
    ended = execute(plan, tmp_path / "scratch", on_stdout, lambda _: None, timeout_s=20)
    assert ended.reason == "exited"
    assert b"".join(seen) == b"first\nsecond\n"


def test_on_start_is_called_once_while_the_program_runs(tmp_path: Path) -> None:
    calls: list[bool] = []
    go = tmp_path / "go"

    def on_start() -> None:
        calls.append(go.exists())
        go.touch()

    # The program ends only after the call, so a call that does not come shows as a time-out.
    ended, _ = run(shell(f"while ! test -e {go}; do sleep 0.02; done"), tmp_path, on_start=on_start, timeout_s=20)
    assert (ended.reason, calls) == ("exited", [False])


def test_on_start_is_not_called_for_what_never_started(tmp_path: Path) -> None:
    calls: list[int] = []
    ended, _ = run(Plan("local", ("no-such-program-anywhere",)), tmp_path, on_start=lambda: calls.append(1))
    assert (ended.reason, calls) == ("not-started", [])


def test_environment_stdin_files_and_scratch(tmp_path: Path) -> None:
    plan = Plan(
        "local",
        ("sh", "-c", 'cat; cat "$0"; echo $COLOUR', "{scratch}/deep/hosts"),
        env={"COLOUR": "green"},
        files=(PlannedFile("deep/hosts", "node01\n"),),
        stdin="from stdin\n",
    )
    _, caught = run(plan, tmp_path)
    assert caught.out == b"from stdin\nnode01\ngreen\n"
    assert resolved(plan, Path("/x"))[-1] == "/x/deep/hosts"


def test_large_stdin_that_nobody_reads(tmp_path: Path) -> None:
    ended, _ = run(shell("exit 0", stdin="x" * 1_000_000), tmp_path)
    assert ended.status == 0


def test_prepare_main_cleanup_in_this_order(tmp_path: Path) -> None:
    plan = shell(
        "echo main",
        prepare=(Step(("echo", "one")), Step(("echo", "two"))),
        cleanup=(Step(("echo", "three")), Step(("false",)), Step(("echo", "four"))),
    )
    ended, caught = run(plan, tmp_path)
    assert ended.status == 0
    assert caught.out.split() == [b"one", b"two", b"main", b"three", b"four"]


def test_failed_prepare_ends_the_plan_and_still_cleans_up(tmp_path: Path) -> None:
    plan = shell("echo main", prepare=(Step(("sh", "-c", "exit 4")),), cleanup=(Step(("echo", "cleaned")),))
    ended, caught = run(plan, tmp_path)
    assert (ended.reason, ended.status, ended.detail) == ("not-started", None, "sh -c exit 4: exit status 4")
    assert caught.out == b"cleaned\n"


def test_prepare_that_takes_too_long(tmp_path: Path) -> None:
    plan = shell("echo main", prepare=(Step(("sleep", "100"), timeout_s=0.1),))
    ended, caught = run(plan, tmp_path)
    assert (ended.reason, ended.detail) == ("not-started", "sleep 100: ended by signal 15")
    assert caught.out == b""


def test_program_that_is_not_there(tmp_path: Path) -> None:
    ended, _ = run(Plan("local", ("no-such-program",)), tmp_path)
    assert (ended.reason, ended.detail) == ("not-started", "cannot start no-such-program: not found on PATH")


def test_timeout_ends_grandchildren_that_ignore_sigterm_and_left_their_group(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = (
        f"trap '' TERM; sleep 1000 & echo $! >>{pids}; setsid sleep 1000 & echo $! >>{pids}; "
        f"(setsid sh -c 'trap \"\" TERM; echo $$ >>{pids}; sleep 1000; sleep 1000' &); echo $$ >>{pids}; "
        "echo ready; wait; wait; sleep 1000"
    )
    ended, caught = run(shell(script), tmp_path, timeout_s=3, grace_s=0.3)
    assert (ended.reason, ended.detail) == ("timeout", "not finished after 3 s")
    assert caught.out == b"ready\n"
    started = [int(text) for text in pids.read_text().split()]
    assert len(started) == 4
    assert [pid for pid in started if alive(pid)] == []


def test_what_an_exited_process_leaves_behind_is_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    ended, _ = run(shell(f"setsid sleep 1000 & echo $! >{pids}; exit 0"), tmp_path)
    assert (ended.reason, ended.status) == ("exited", 0)
    assert not alive(int(pids.read_text()))


def test_orderly_end_lets_the_process_say_its_last_words(tmp_path: Path) -> None:
    ended, caught = run(shell("trap 'echo bye; exit 9' TERM; echo up; sleep 1000 & wait"), tmp_path, timeout_s=2)
    assert (ended.reason, ended.status) == ("timeout", 9)
    assert caught.out == b"up\nbye\n"


def test_other_processes_are_not_touched(tmp_path: Path) -> None:
    bystander = os.posix_spawn("/bin/sleep", ["sleep", "1000"], dict(os.environ))
    try:
        run(shell("sleep 1000"), tmp_path, timeout_s=0.1)
        assert alive(bystander)
    finally:
        os.kill(bystander, signal.SIGKILL)
        os.waitpid(bystander, 0)


def test_sigint_to_slowlink_ends_the_run_and_the_handler_is_restored(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    caught = Caught()

    def on_stdout(chunk: bytes) -> None:
        caught.on_stdout(chunk)
        os.kill(os.getpid(), signal.SIGINT)

    plan = shell("echo up; sleep 1000", cleanup=(Step(("echo", "cleaned")),))
    ended = execute(plan, tmp_path / "scratch", on_stdout, caught.on_stderr, timeout_s=60)
    assert (ended.reason, ended.detail) == ("interrupted", "ended by SIGINT")
    assert caught.out == b"up\ncleaned\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_second_ctrl_c_hurries_but_cleanup_still_runs(tmp_path: Path) -> None:
    out: list[bytes] = []

    def on_stdout(chunk: bytes) -> None:
        out.append(chunk)
        if b"up" in chunk or b"told" in chunk:
            os.kill(os.getpid(), signal.SIGINT)

    plan = shell("trap 'echo told' TERM; echo up; while :; do sleep 0.05; done", cleanup=(Step(("echo", "cleaned")),))
    # With a grace of an hour only the second signal can end this.
    ended = execute(plan, tmp_path / "scratch", on_stdout, lambda _: None, grace_s=3600)
    assert (ended.reason, ended.signal) == ("interrupted", 9)
    assert b"".join(out).endswith(b"cleaned\n")


def test_sink_that_fails_ends_the_run_and_its_error_is_raised(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    def full(chunk: bytes) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        execute(shell(f"echo $$ >{pids}; echo x; sleep 1000"), tmp_path / "scratch", full, full)
    assert not alive(int(pids.read_text()))
    assert not (tmp_path / "scratch").exists()


def test_descriptors_and_zombies_do_not_pile_up(tmp_path: Path) -> None:
    run(shell("true"), tmp_path)
    before = open_descriptors(), children()
    for _ in range(5):
        run(shell("echo x"), tmp_path)
    assert (open_descriptors(), children()) == before


def test_scratch_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    with pytest.raises(SlowlinkError, match="cannot write the launch files"):
        execute(shell("true"), tmp_path / "scratch", lambda _: None, lambda _: None)
    assert (tmp_path / "scratch").exists()


def test_slowlink_gone_before_the_program_started_ends_the_run_too(tmp_path: Path) -> None:
    """The order is all that the guard hears: the end of the socket shows when it says that the program runs."""
    order = {"argv": ["sleep", "1000"], "env": dict(os.environ), "prepare": [], "cleanup": [], "grace_s": 1}
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, str(theirs.fileno())], pass_fds=(theirs.fileno(),)
        )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "raw.log").write_text("raw\n")
    with ours:
        ours.sendall(json.dumps({**order, "scratch": str(scratch)}).encode() + b"\n")
    try:
        assert process.wait(20) == 0
        assert not scratch.exists(), "nobody but the guard is left to remove it"
    finally:
        for pid in (*children_of(process.pid), process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def children_of(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_runs_in_a_thread_too(tmp_path: Path) -> None:
    results: list[Ended] = []
    thread = threading.Thread(target=lambda: results.append(run(shell("exit 2"), tmp_path)[0]))
    thread.start()
    thread.join(30)
    assert results[0].status == 2


def test_silent_run_with_a_node_that_went_away_is_ended_and_the_node_named(tmp_path: Path) -> None:
    asked: list[str] = []
    printed = tmp_path / "printed"

    def is_alive(node: str) -> bool:
        asked.append(node)
        return node != "node02" or asked.count("node02") == 1 or not printed.exists()

    plan = shell(f"echo row; touch {printed}; sleep 1000", nodes=("node01", "node02"))
    ended, caught = run(plan, tmp_path, silent_after_s=0.3, is_alive=is_alive, timeout_s=60)
    assert (ended.reason, ended.detail) == ("silent", "no output, and no answer any more from node02")
    assert ended.nodes == ("node02",)
    assert caught.out == b"row\n"


@pytest.mark.parametrize("answer", [True, False], ids=["all answer", "none ever answered"])
def test_slow_run_is_not_given_up(tmp_path: Path, answer: bool) -> None:
    plan = shell("echo row; sleep 1.2; echo next", nodes=("node01",))
    ended, caught = run(plan, tmp_path, silent_after_s=0.2, is_alive=lambda _: answer)
    assert (ended.reason, ended.status) == ("exited", 0)
    assert caught.out == b"row\nnext\n"


def test_capture() -> None:
    assert capture(["sh", "-c", "cat; echo e >&2; exit 3"], 10, stdin="in") == Captured(3, "in", "e\n")
    assert capture(["sh", "-c", 'echo "$X"'], 10, env={"X": "1"}).stdout == "1\n"
    assert capture(["no-such-program"], 10).status == 127
    late = capture(["sh", "-c", "echo early; sleep 1000"], 0.3)
    assert (late.status, late.stdout) == (None, "early\n")
    assert "no answer within 0.3 s" in late.stderr


def test_lines_of_chunks() -> None:
    lines = LineSplitter()
    assert lines.feed(b"one\ntw") == ["one"]
    assert lines.feed(b"o\r\n\xff\n") == ["two", "\ufffd"]
    assert lines.finish() == []
    assert lines.feed(b"x" * (MAX_LINE_BYTES + 5)) == ["x" * MAX_LINE_BYTES]
    assert lines.finish() == ["x" * 5]


KILLED = """
import sys
from pathlib import Path
from slowlink.launch.execute import execute
from slowlink.model.plan import Plan, Step
script = "sleep 1000 & echo $$ $!; setsid sh -c 'echo $$; sleep 1000; sleep 1000' & wait"
plan = Plan("local", ("sh", "-c", script), cleanup=(Step(("touch", sys.argv[2])),))
def show(chunk):
    sys.stdout.buffer.write(chunk)
    sys.stdout.flush()
ended = execute(plan, Path(sys.argv[1]), show, show, grace_s=1)
print(ended.reason)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda n: n.name)
def test_slowlink_killed_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    cleaned, scratch = tmp_path / "cleaned", tmp_path / "scratch"
    reading, writing = os.pipe()
    slowlink = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", KILLED, str(scratch), str(cleaned)],
        dict(os.environ),
        file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)],
    )
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as output:
        text = b""
        while len(text.split()) < 3:
            text += output.read(4096)
        started = [int(word) for word in text.split()]
        assert [alive(pid) for pid in started] == [True] * 3
        os.kill(slowlink, number)
        rest = output.read() if number != signal.SIGKILL else b""
    os.waitpid(slowlink, 0)
    assert wait_until(lambda: not any(alive(pid) for pid in started))
    assert wait_until(lambda: cleaned.exists() and not scratch.exists())
    if number != signal.SIGKILL:
        assert rest == b"interrupted\n"


def test_a_run_that_cannot_be_started_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("slowlink.launch.execute.socket.socketpair", none_left)
    with pytest.raises(SlowlinkError) as caught:
        run(shell("true"), tmp_path)
    assert str(caught.value) == "cannot start the process that watches over the run: Too many open files"
    assert list(tmp_path.iterdir()) == []
