"""Waits for file servers: one event a server, with the times where all waits ended."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.job import JobEvent
from slowlink.parsers.kernel.file_server_waits import FileServerWaits

LOST, BACK = "nfs: server fs1 not responding, still trying", "nfs: server fs1 OK"


def told(*lines: str) -> list[tuple[dict[str, str], int]]:
    events = feed(FileServerWaits, lines)
    return [(dict(event.groups), event.count) for event in events if isinstance(event, JobEvent)]


def test_waits_that_ended_have_their_times() -> None:
    lines = [f"[10.0] {LOST}", f"[12.5] {LOST}", f"[20.0] {BACK}", f"[30.0] {LOST}", f"[31.0] {BACK}"]
    assert told(*lines) == [({"server": "fs1", "longest": "10", "seconds": "11"}, 3)]


def test_one_that_goes_on_has_none() -> None:
    assert told(f"[10.0] {LOST}", f"[20.0] {BACK}", f"[30.0] {LOST}") == [({"server": "fs1"}, 2)]


def test_an_answer_alone_is_no_wait() -> None:
    assert told(f"[10.0] {BACK}") == []


@given(
    st.lists(st.sampled_from([LOST, BACK, f"[7.0] {LOST}", f"[Mar  2 10:00:01] {BACK}", "["]) | st.text(max_size=60))
)
def test_any_text_gives_a_result(lines: list[str]) -> None:
    told(*lines)
