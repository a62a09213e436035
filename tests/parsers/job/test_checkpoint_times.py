"""Times of checkpoints: told in one line, or by two stamps."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.job.checkpoint_times import CheckpointTimes
from slowlink.parsers.reading.read import read


def told(text: str) -> list[tuple[str, str]]:
    """Of the whole reader, which takes stamps off."""
    events = read([Input("job.log", None, [text.encode()])], workers=1).events
    return [(event.groups["count"], event.groups["seconds"]) for event in events if event.kind == "checkpoint-time"]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Finished saving the checkpoint (or staging if async is enabled)in 6.20 seconds.", "6.2"),
        ("Saved checkpoint to /ckpt/7 (took 1500 ms)", "1.5"),
        ("checkpoint written, elapsed: 2.5 min", "150"),
        ("saved ckpt step=40 save_time_s: 12.5", "12.5"),
        ("    save-checkpoint ................................: (9104.11, 9204.60)", "9.2046"),
        ("    save-checkpoint ................................: 9104.50", "9.1045"),
    ],
)
def test_a_time_in_the_line(line: str, seconds: str) -> None:
    assert told(f"{line}\n") == [("1", seconds)]


def test_ranks_that_say_the_same_wrote_one_checkpoint() -> None:
    ranks = "".join(f"rank {rank}: saved checkpoint in {6 + rank / 10:.1f} s\n" for rank in range(4))
    step = "step 7 loss 2.1 step_time 1.00s\n"
    assert told(f"{ranks}{step}{ranks}") == [("2", "12.6")]


STAMPED = """\
2031-01-02 23:59:50,000 INFO Saving checkpoint to /ckpt/10
2031-01-03 00:00:10,500 INFO Checkpoint saved
"""


def test_two_stamps_also_over_midnight() -> None:
    assert told(STAMPED) == [("1", "20.5")]


def test_steps_that_go_on_meanwhile_are_not_held_up() -> None:
    begin, end = STAMPED.splitlines()
    steps = "".join(f"2031-01-02 23:59:5{n},000 INFO step {n} loss 2.1 step_time 1.00s\n" for n in range(1, 6))
    assert told(f"{begin}\n{steps}{end}\n") == []
    assert told(STAMPED.replace("Saving", "Scheduled async save, saving")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Loaded checkpoint saved in 2.0, took 6.2 s",
        "saving a checkpoint every 600 s",
        "checkpoint complete: wrote 3211 buffers (19.6%); write=120.2 s, sync=0.1 s, total=120.4 s",
        "failed to save the checkpoint in 6.2 s",
        "activation checkpoints saved 12.1 GB in 30 s",
    ],
)
def test_other_talk_of_checkpoints(line: str) -> None:
    assert told(f"{line}\n") == []


@given(st.lists(st.text(max_size=60).map("saved checkpoint in ".__add__), max_size=8))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    assert all(isinstance(record, JobEvent) for record in feed(CheckpointTimes, lines))


@given(st.text(max_size=200))
def test_it_wants_lines_by_their_form(text: str) -> None:
    zeroed = "".join("0" if each.isdecimal() and each.isascii() else each for each in text)
    assert CheckpointTimes.wants(text) == CheckpointTimes.wants(zeroed)
    assert CheckpointTimes().feed(Line("-", 1, text)) is not None
