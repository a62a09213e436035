"""Reads of a pipe that Ctrl-C always ends."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO

from slowlink.inputs.waiting import pieces

# The signal is delivered to a thread that does not read, so it cannot break off the system's read: as the reader sees
# it, it came at the moment between Python's look for signals and the wait, which nothing can hit on purpose.
_READER = """
import signal, sys, threading, time
from slowlink.inputs.waiting import pieces
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
def note():
    time.sleep(0.3)  # the reader waits by now
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
for piece in pieces(sys.stdin.buffer, 1 << 20):
    threading.Thread(target=note).start()
"""


def test_a_signal_that_breaks_off_no_read() -> None:
    with subprocess.Popen([sys.executable, "-c", _READER], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"at work")
        process.stdin.flush()
        try:
            process.wait(timeout=60)
        finally:
            process.kill()
        assert b"KeyboardInterrupt" in process.stderr.read()


def test_a_file_that_cannot_be_waited_for() -> None:
    assert list(pieces(BytesIO(b"abcde"), 2)) == [b"ab", b"cd", b"e"]
