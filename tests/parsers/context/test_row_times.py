"""When rows came: what is noted is what is read."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.watched import windows_of_rows
from slowlink.model.facts import Observations
from slowlink.model.job import Observation
from slowlink.parsers.context.row_times import RowTimes
from slowlink.workflows.live import LiveRow, noted


def row(line: int) -> LiveRow:
    return LiveRow(1024, 12.5, 1.0, 1.0, 0.0, line)


def seen(text: str) -> tuple[Observation, ...]:
    return tuple(each for each in feed(RowTimes, text.splitlines()) if isinstance(each, Observation))


def test_what_is_noted_is_read() -> None:
    found = seen(noted([row(37), row(38)], 1795000012.25) + noted([row(39)], 1795000013.5))
    assert [(each.kind, each.subject, each.value) for each in found] == [
        ("row-ended", "37", "1795000012.250"),
        ("row-ended", "38", "1795000012.250"),
        ("row-ended", "39", "1795000013.500"),
    ]


def test_a_line_of_the_file_is_read() -> None:
    (found,) = seen("slowlink-row 37 1795000012.250")
    assert (found.subject, found.value) == ("37", "1795000012.250")


def test_a_row_took_the_time_since_the_one_before_it() -> None:
    found = Observations(seen(noted([row(37)], 100.0) + noted([row(38)], 103.5)))
    (((source, line), window),) = windows_of_rows(found).items()
    assert (source.endswith("stdout"), line, window) == (True, 38, (100.0, 103.5))
    assert windows_of_rows(None) == {}


@given(st.text(max_size=60))
def test_any_other_line_is_left_alone(text: str) -> None:
    assert feed(RowTimes, [text]) == [] or text.startswith("slowlink-row ")
