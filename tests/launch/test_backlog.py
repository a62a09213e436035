"""A backlog hands on what comes, in order; where it is full, the oldest of it is dropped, counted and told."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.launch.backlog import Backlog, Lost, without
from slowlink.launch.execute import execute
from slowlink.model.plan import Ended, Plan
from slowlink.model.source import Line
from slowlink.parsers.context.left_out import PARSER
from slowlink.parsers.forms.interface import Use


class Slow:
    """Writes nothing until it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.begun = threading.Event()
        self.written = b""

    def __call__(self, chunk: bytes) -> None:
        self.begun.set()
        self.let.wait()
        self.written += chunk


def flooded(chunks: list[bytes], most: int) -> tuple[bytes, Lost]:
    """What comes out where the first chunk was being written while all others came."""
    slow = Slow()
    with Backlog(most) as backlog:
        put = backlog.sink(slow)
        put(b"first\n")
        slow.begun.wait()
        for chunk in chunks:
            put(chunk)
        slow.let.set()
    return slow.written, backlog.lost


def test_all_of_it_comes_in_order() -> None:
    written, lost = flooded([b"a\nb", b"c\n", b"d"], 1 << 20)
    assert (written, bool(lost)) == (b"first\na\nbc\nd", False)


def test_the_oldest_goes_and_a_line_says_how_much() -> None:
    written, lost = flooded([b"line %04d\n" % number for number in range(1000)], 100)
    before, told, *after = written.decode().splitlines()
    kept = [f"line {number:04d}" for number in range(1000 - len(after), 1000)]
    assert (before, told, after) == ("first", f"[... {lost.lines:,} lines omitted ...]", kept)
    assert (lost.lines, lost.size) == (1000 - len(after), 10 * (1000 - len(after)))
    assert 0 < len(after) <= 10


def test_a_line_that_was_cut_joins_no_other() -> None:
    written, _ = flooded([b"password=Quartz", b"-Velvet9" * 20, b"more\nnext\n"], 30)
    assert written == b"first\n[... 1 line omitted ...]\nnext\n"


def test_what_no_line_end_follows_is_told_at_the_end() -> None:
    written, lost = flooded([b"x" * 5000], 100)
    assert (written, lost) == (b"first\n[... 5,000 bytes omitted ...]\n", Lost(5000, 0))


def test_each_stream_tells_its_own() -> None:
    slow, other = Slow(), Slow()
    other.let.set()
    with Backlog(40) as backlog:
        out, err = backlog.sink(slow), backlog.sink(other)
        out(b"first\n")
        slow.begun.wait()
        for number in range(10):
            out(b"out %d\n" % number)
        err(b"error: it broke\n")
        slow.let.set()
    assert slow.written.startswith(b"first\n[... ")
    assert other.written == b"error: it broke\n"


def test_what_a_writer_raises_is_raised_where_chunks_come_in() -> None:
    def full(_: bytes) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"), Backlog() as backlog:
        backlog.sink(full)(b"a\n")


def test_the_last_words_stay_when_time_is_over() -> None:
    slow = Slow()
    timer = threading.Timer(0.2, slow.let.set)
    with Backlog(1 << 30, patience_s=0.0) as backlog:
        put = backlog.sink(slow)
        put(b"first\n")
        slow.begun.wait()
        put(b"middle\n" * 100_000)
        put(b"error: it broke\n")
        timer.start()
    told, *rest = slow.written.decode().splitlines()[1:]
    assert told == f"[... {lost_lines(backlog):,} lines omitted ...]"
    assert (rest[-1], len(rest)) == ("error: it broke", 100_001 - lost_lines(backlog))
    assert len("\n".join(rest)) <= 256 << 10


def lost_lines(backlog: Backlog) -> int:
    return backlog.lost.lines


@settings(deadline=None)
@given(
    st.lists(st.binary(min_size=1, max_size=40).map(lambda text: text.replace(b"[", b"(")), max_size=30),
    st.integers(20, 300),
)
def test_whole_lines_are_kept_or_counted(chunks: list[bytes], most: int) -> None:
    written, lost = flooded(chunks, most)
    whole = b"first\n" + b"".join(chunks)
    if not lost:
        assert written == whole
        return
    head, _, tail = written.partition(b"[... ")
    told, _, rest = tail.partition(b"]\n")
    assert whole.startswith(head)
    assert whole.endswith(rest)
    assert told.decode() == f"{lost.words()} omitted ..."
    assert len(head) + lost.size + len(rest) == len(whole)


def test_the_end_says_what_is_missing() -> None:
    ended = Ended(status=0, signal=None, reason="exited", started_at=0.0, seconds=1.0)
    assert without(ended, Lost()) == ended
    told = without(ended, Lost(9000, 1234)).detail
    assert told == "1,234 lines that it printed were dropped: they came faster than they could be written"


def test_a_program_is_not_kept_waiting_by_who_writes(tmp_path: Path) -> None:
    slow = Slow()
    plan = Plan("local", ("sh", "-c", "seq 1 2000000; echo over >&2"))

    def on_stderr(chunk: bytes) -> None:
        assert chunk == b"over\n"
        slow.let.set()  # nothing was written before: the program came to its end all the same

    with Backlog(1 << 16) as backlog:
        ended = execute(plan, tmp_path / "scratch", backlog.sink(slow), on_stderr)
    lines = slow.written.decode().splitlines()
    numbers = [int(line) for line in lines[-1000:]]
    assert (ended.reason, ended.status, numbers[-1]) == ("exited", 0, 2000000)
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert any(line.startswith("[... ") for line in lines)


@pytest.mark.parametrize("size", [1, 5000, 7_654_321])
@pytest.mark.parametrize("lines", [0, 1, 51_234])
def test_the_reader_of_logs_takes_the_line_for_what_it_says(size: int, lines: int) -> None:
    reader = PARSER()
    use = reader.feed(Line("stdout", 4, f"[... {Lost(size, lines).words()} omitted ...]"))
    assert (use, reader.unfinished) == (Use.IGNORED, "says in line 4 that lines of it were left out")
