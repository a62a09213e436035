"""SIGTERM and SIGHUP in the middle of a command: real processes that are ended, and what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from slowlink.bundle import BundleWriter, pack

SLOWLINK = [sys.executable, "-m", "slowlink"]
BOTH = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)


def a_bundle(place: Path) -> Path:
    with BundleWriter(place / "b") as writer, writer.capture("run-1", "collective", ["mpirun"]) as run:
        run.write_stdout("hello\n")
    return writer.directory


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def wait_for(happened: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    while not happened():
        assert process.poll() is None, "it ended before the signal"
        time.sleep(0.01)


def words_of(process: subprocess.Popen[bytes]) -> list[str]:
    assert process.stderr is not None
    return process.stderr.read().decode().split()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_pack_leaves_no_part(tmp_path: Path, number: signal.Signals) -> None:
    bundle = a_bundle(tmp_path)
    with (bundle / "captures/run-1/stdout").open("r+b") as file:
        file.truncate(20 << 30)  # a hole that takes longer to pack than the signal to come
    there = tmp_path / "there"
    there.mkdir()
    argv = [*SLOWLINK, "bundle", "pack", str(bundle), "-o", str(there / "b.tar.zst")]
    with subprocess.Popen(argv, stderr=subprocess.PIPE) as process:
        wait_for(lambda: names(there) or opened_below(there, process), process)
        process.send_signal(number)
        process.send_signal(number)  # timeout(1) does so: the process, then its group
        if number is signal.SIGKILL:
            assert process.wait(timeout=60) == -number
        else:
            assert process.wait(timeout=60) == 130
            assert words_of(process) == ["slowlink:", "interrupted", "by", number.name]
    assert names(there) == []


def opened_below(directory: Path, process: subprocess.Popen[bytes]) -> bool:
    """Has it a file open there, which may have no name?"""
    try:
        opened = [str(entry.readlink()) for entry in Path(f"/proc/{process.pid}/fd").iterdir()]
    except OSError:
        return False
    return any(name.startswith(f"{directory}/") for name in opened)


@contextmanager
def half_unpacked(place: Path, before: Callable[[], object] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """An unpack that has the first half of its archive, and waits for the other."""
    archive = pack(a_bundle(place), place / "b.tar.gz").read_bytes()
    os.mkfifo(place / "slow.tar.gz")
    there = place / "there"
    there.mkdir()
    argv = [*SLOWLINK, "bundle", "unpack", str(place / "slow.tar.gz"), "-C", str(there)]
    with (
        subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before) as process,
        (place / "slow.tar.gz").open("wb", buffering=0) as pipe,
    ):
        pipe.write(archive[:-200])
        wait_for(lambda: names(there), process)
        yield process
        if process.poll() is None:
            pipe.write(archive[-200:])


@BOTH
def test_unpack_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with half_unpacked(tmp_path) as process:
        process.send_signal(number)
        assert process.wait(timeout=60) == 130
        assert words_of(process) == ["slowlink:", "interrupted", "by", number.name]
    assert names(tmp_path / "there") == []


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    with half_unpacked(tmp_path, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.send_signal(signal.SIGHUP)
    assert process.returncode == 0
    assert names(tmp_path / "there") == ["b"]


def test_a_process_that_we_fork_ends_by_the_signal() -> None:
    """The processes that scan with us are ended by SIGTERM: they have nothing to clean up and nobody to tell."""
    program = (
        "import os, signal\n"
        "from slowlink.cli.ending import signals_as_interrupts\n"
        "with signals_as_interrupts():\n"
        "    child = os.fork()\n"
        "    if not child: signal.pause()\n"
        "    os.kill(child, signal.SIGTERM)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("-15\n", "")


_FORKS = """
import os, signal, time
sent = []
os.register_at_fork(before=lambda: sent or (sent.append(1), os.kill(os.getpid(), signal.SIGTERM)))
from slowlink.cli.ending import last_words, signals_as_interrupts
with signals_as_interrupts():
    try:
        if os.fork() == 0:
            os._exit(0)
        os.wait()
        time.sleep(30)
        print("lost")
    except KeyboardInterrupt:
        print(last_words())
"""


def test_a_signal_that_comes_while_we_fork_is_not_lost() -> None:
    # Hooks before a fork run in reverse order: the signal comes when ours has begun to hold signals back.
    done = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "slowlink: interrupted by SIGTERM\n", "")


# The signal is delivered to a thread that does not read, so it breaks off no read. As the reader sees it, it came at
# the moment between Python's look for signals and the wait, which nothing can hit on purpose.
_READS = """
import os, signal, threading, time
from slowlink.cli.ending import signals_as_interrupts
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
def note():
    time.sleep(0.3)  # the reader waits by now
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
with signals_as_interrupts():
    threading.Thread(target=note).start()
    try:
        os.read(0, 1)
    except KeyboardInterrupt:
        print("heard")
"""


def test_a_signal_that_breaks_off_no_read_is_heard() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _READS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == "heard\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_signal_while_we_fork_is_not_lost(number: signal.Signals) -> None:
    """Python drops what is raised in its callbacks around a fork, and prints it."""
    program = (
        "import os, signal, time\n"
        f"os.register_at_fork(before=lambda: os.kill(os.getpid(), {int(number)}))\n"
        "from slowlink.cli import ending\n"
        "try:\n"
        "    with ending.signals_as_interrupts():\n"
        "        if not os.fork(): os._exit(0)\n"
        "        time.sleep(30)\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
