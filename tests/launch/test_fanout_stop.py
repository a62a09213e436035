"""Scripts that run until they are told: what they printed is their answer, and nothing of them is left."""

from __future__ import annotations

import threading

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
