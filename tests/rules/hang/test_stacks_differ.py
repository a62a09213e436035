from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "stacks-differ"
WAITS = """\
Process {pid}: /usr/bin/python3 -u train.py
Thread {pid} (idle): "MainThread"
    recv (torch/distributed/distributed_c10d.py:2112)
    receive_forward (p2p_communication.py:321)
    train_step (train.py:540)
"""
READS = """\
Process {pid}: /usr/bin/python3 -u train.py
Thread {pid} (active): "MainThread"
    load (PIL/Image.py:301)
    train_step (train.py:502)
"""


def test_all_wait_for_somebody_else() -> None:
    text = "".join(WAITS.format(pid=pid) for pid in (11, 12))
    assert said(RULE, text) == snapshot(
        [
            (
                "rank-stuck",
                "info",
                "possible",
                "the main thread of process 11 waits in a collective or for its GPU in recv (torch/distributed/distributed_c10d.py:2112); the stacks of the other ranks would show for whom",
            )
        ]
    )


def test_the_one_that_does_something_else_is_whom_they_wait_for() -> None:
    text = "".join(WAITS.format(pid=pid) for pid in (11, 12)) + READS.format(pid=13)
    (found,) = findings_of(RULE, text)
    assert (found.severity, found.confidence, found.message) == snapshot(
        (
            "warning",
            "possible",
            "the main thread of process 13 reads or decodes data in load (PIL/Image.py:301), while 2 others wait in a collective",
        )
    )
    assert [(each.kind, each.name) for each in found.suspects] == [("process", "13")]
    assert remedies_of(RULE, text) == snapshot(
        [[("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID")]]
    )


def test_a_process_at_its_work_is_no_news() -> None:
    assert said(RULE, READS.format(pid=13)) == []
    assert said(RULE, "".join(READS.format(pid=pid) for pid in (11, 12)) + WAITS.format(pid=13)) == []
