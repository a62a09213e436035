"""Scripts that run until they are told: what they printed is their answer, and nothing of them is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from slowlink.launch.alone import AloneEnd, alone_end, alone_script
from slowlink.launch.fanout.ask import answers
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Node


def test_what_was_printed_until_the_stop_is_the_answer() -> None:
    stop = threading.Event()
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    script = "echo first; while :; do sleep 1; done"
    found = [each for _, each in answers([Node("a"), Node("b")], script, Here(), timeout_s=60, stop=stop)]
    timer.join()
    assert sorted((each.node, each.stdout, each.trouble) for each in found) == [
        ("a", "first\n", ""),
        ("b", "first\n", ""),
    ]
    assert all(each.seconds < 30 for each in found)


def test_an_end_before_the_stop_is_an_end_as_any() -> None:
    found = [each for _, each in answers([Node("a")], "echo x; exit 3", Here(), timeout_s=60, stop=threading.Event())]
    assert [(each.status, each.stdout, each.trouble) for each in found] == [(3, "x\n", "")]


def test_ctrl_c_is_a_stop_where_there_is_one_and_only_the_second_raises() -> None:
    stop = threading.Event()
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    script = "echo first; while :; do sleep 1; done"
    timer.start()
    found = [each for _, each in answers([Node("a")], script, Here(), timeout_s=60, stop=stop)]
    timer.join()
    assert stop.is_set()
    assert [(each.stdout, each.trouble) for each in found] == [("first\n", "")]


def test_a_held_script_hears_that_nobody_listens_any_more(tmp_path: Path) -> None:
    asks = (
        "from slowlink.launch.fanout.ask import answers; from slowlink.launch.fanout.ways import Here\n"
        "from slowlink.model.plan import Node\n"
        f"script = 'while read -r line; do :; done; echo gone > {tmp_path}/heard; exit\\n'\n"
        "for _ in answers([Node('a')], '{ ' + script + '}', Here(), timeout_s=60, held=True): pass\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", asks])
    while not any(Path(f"/proc/{asking.pid}/task/{asking.pid}/children").read_text().split()):
        assert asking.poll() is None
        time.sleep(0.02)
    asking.kill()
    asking.wait()
    deadline = time.monotonic() + 30
    while not (tmp_path / "heard").exists():
        assert time.monotonic() < deadline, "the script does not know that nobody listens"
        time.sleep(0.02)


def test_a_program_alone_keeps_its_words_and_tells_its_end() -> None:
    mark = "#slowlink-4711"
    script = alone_script(["sh", "-c", 'echo "$OWN $1"; echo oops >&2; exit 7', "x", "it's"], {"OWN": "a b"}, mark)
    (answer,) = [each for _, each in answers([Node("a")], script, Here(), timeout_s=60, held=True)]
    assert (answer.stdout, answer.status) == ("a b it's\n", 0)
    assert alone_end(answer.stderr, mark) == AloneEnd(7, "oops\n")


@given(st.text(), st.integers(0, 255))
def test_the_end_of_a_program_is_found_in_any_text(printed: str, status: int) -> None:
    end = alone_end(f"{printed}\n#slowlink-4711 ended {status}\n", "#slowlink-4711")
    assert (end.status, end.stderr) == (status, f"{printed}\n")


def test_the_end_is_heard_behind_a_line_that_has_none() -> None:
    """mpirun's last words end in blanks, and the word of ours follows on the same line."""
    assert alone_end("oops\n  #slowlink-4711 ended 3\n", "#slowlink-4711") == AloneEnd(3, "oops\n  ")
