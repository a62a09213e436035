"""Dumps of py-spy, written by us in the form of its versions 0.3.8 to 0.4.2."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.catalog.programs.python_frames import work_of
from slowlink.model.source import Line
from slowlink.parsers.job.py_spy import PySpy

DUMP = """\
Process 4711: /opt/env/bin/python -u train.py --steps 9000
Python v3.11.9 (/opt/env/bin/python3.11)

Thread 4711 (idle): "MainThread"
    wait (threading.py:359)
    get (torch/utils/data/dataloader.py:1320)
    main (train.py:88)
    <module> (train.py:90)
Thread 4790 (active+gil): "pin"
    do_one_step (torch/utils/data/_utils/pin_memory.py:42)
Thread 0x7F3C6FFFF640 (idle)
    run (watch.py:7)
"""
NATIVE = """\
Thread 4712 (active): "MainThread"
    poll (libc.so.6)
    all_reduce (torch/distributed/distributed_c10d.py:2501)
        Arguments:
            tensor: <Tensor at 0x7f3c>
"""


def _stacks(text: str) -> list[tuple[str, str]]:
    parser = PySpy()
    for number, line in enumerate(text.splitlines(), 1):
        if parser.greedy or parser.wants(line):
            parser.feed(Line("a.log", number, line))
    return [(found.subject, found.value) for found in parser.finish()]


def test_the_main_thread_of_each_process() -> None:
    assert _stacks(DUMP + "\n" + NATIVE) == snapshot(
        [
            (
                "4711",
                "wait (threading.py:359) < get (torch/utils/data/dataloader.py:1320) < main (train.py:88) < <module> (train.py:90)",
            ),
            ("4712", "poll (libc.so.6) < all_reduce (torch/distributed/distributed_c10d.py:2501)"),
        ]
    )


def test_lines_that_look_like_frames_are_no_stack() -> None:
    assert (
        _stacks("    see the manual (page:3)\n    read (PIL/ImageFile.py:3)\nThread 12 (idle)\n    run (a.py:3)\n")
        == []
    )


def test_what_a_process_does_is_told_by_its_innermost_known_frame() -> None:
    told = {
        frames: work.name if (work := work_of(frames)) else None
        for frames in (
            ("read (PIL/ImageFile.py:3)", "main (train.py:5)"),
            ("wait (threading.py:359)", "get (torch/utils/data/dataloader.py:1320)"),
            ("wait (threading.py:359)", "main (train.py:5)"),
            ("_write (torch/serialization.py:9)", "save_checkpoint (train.py:7)"),
            ("all_reduce (torch/distributed/distributed_c10d.py:25)", "__next__ (torch/utils/data/dataloader.py:1)"),
            ("readline (socket.py:5)", "send (requests/adapters.py:3)", "log (wandb/sdk/run.py:4)"),
            ("interaction (pdb.py:4)", "main (train.py:5)"),
            ("forward (model.py:4)", "main (train.py:5)"),
        )
    }
    assert list(told.values()) == ["data", "data", "lock", "checkpoint", "collective", "report", "debugger", None]


@given(st.sampled_from([*DUMP.splitlines(), *NATIVE.splitlines()]))
def test_wants_is_blind_to_which_digits_stand_in_a_line(text: str) -> None:
    assert PySpy.wants(text) == PySpy.wants("".join("0" if each.isdecimal() else each for each in text))


@given(st.lists(st.sampled_from([*DUMP.splitlines(), *NATIVE.splitlines(), "x", ""]), max_size=20))
def test_any_order_of_lines_gives_stacks_of_known_frames(lines: list[str]) -> None:
    for pid, frames in _stacks("\n".join(lines)):
        assert pid
        assert set(frames.split(" < ")) <= {line.strip() for line in lines}


def test_main_threads_without_a_head_are_processes_of_their_own() -> None:
    """As ``pdsh`` puts the ends of several dumps below one another."""
    lines = ['Thread 11 (active): "MainThread"', 'Thread 12 (idle): "MainThread"', "    wait (threading.py:359)"]
    assert [found.subject for found in feed(PySpy, lines)] == ["12"]
