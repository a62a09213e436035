"""A half of the work in a process beside this one: each program here has one thread, as the command line has."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HEAD = """\
import os, sys, multiprocessing
from slowlink.parsers.reading import beside as module
from slowlink.parsers.reading.beside import beside
module.cores = lambda: 2
def left():
    return len(multiprocessing.active_children())
"""
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


def printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", _HEAD + program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@needs_linux
def test_it_is_another_process_and_gives_the_same() -> None:
    here, there, value, left = printed(
        "with beside(lambda: (os.getpid(), 'v' * 1_000_000), pays=True) as result:\n    there, found = result()\n"
        "print(os.getpid(), there, len(found), left())"
    )
    assert here != there
    assert (value, left) == ("1000000", "0")


@needs_linux
@pytest.mark.parametrize("work", ["lambda: 1 / 0", "lambda: os._exit(9)", "lambda: lambda: 1"])
def test_what_fails_there_is_done_here(work: str) -> None:
    """A failure shows as it would without a second process; what cannot be sent is made here."""
    program = f"""
parent = os.getpid()
work = {work}
def here_or_there():
    return work() if os.getpid() != parent else "here"
with beside(here_or_there, pays=True) as result:
    print(result())
print(left())
"""
    assert printed(program) == ["here", "0"]


@needs_linux
def test_no_process_is_left_when_this_half_fails() -> None:
    program = """
import time
try:
    with beside(lambda: time.sleep(600), pays=True):
        raise KeyError
except KeyError:
    print(left())
"""
    assert printed(program) == ["0"]


@pytest.mark.parametrize(
    "without",
    [
        "module.cores = lambda: 1",
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
    ],
)
def test_one_core_or_a_second_thread_is_no_place_for_it(without: str) -> None:
    program = (
        f"{without}\nwith beside(os.getpid, pays=True) as result:\n    print(result() == os.getpid())\nos._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-u", "-c", _HEAD + program],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout == "True\n", done.stderr


def test_what_does_not_pay_is_done_here() -> None:
    assert printed("with beside(os.getpid, pays=False) as result:\n    print(result() == os.getpid())") == ["True"]
