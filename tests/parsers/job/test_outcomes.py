from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.outcomes import PATTERNS, Outcomes


@pytest.mark.parametrize("text", [sample for *_, sample in PATTERNS])
def test_a_sample_is_a_success(text: str) -> None:
    parser = Outcomes()
    assert Outcomes.wants(text)
    assert parser.feed(Line("job.log", 7, text)) is Use.USED
    assert [(event.kind, event.ref.line) for event in parser.finish()] == [("run-succeeded", 7)]


@pytest.mark.parametrize(
    "text",
    [
        "exited with code 01:02",
        "exit code 3",
        "RESULT, as expected",
        '"key": "run_stop", "metadata": {"status": "aborted"}',
        "training completed step 7",
        "Timed out while checking to see if training complete!",
        "Link training done",
        "state: FAILED",
        "NOT COMPLETED",
    ],
)
def test_what_is_no_success(text: str) -> None:
    assert Outcomes().feed(Line("job.log", 1, text)) is Use.NOT_MINE


def test_the_last_of_its_sort_is_kept() -> None:
    parser = Outcomes()
    for no in (3, 9, 12):
        parser.feed(Line("job.log", no, "grind exited with code 0"))
    assert [(event.ref.line, event.count) for event in parser.finish()] == [(12, 3)]


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    parser = Outcomes()
    parser.feed(Line("job.log", 1, text))
    assert len(list(parser.finish())) <= 1
