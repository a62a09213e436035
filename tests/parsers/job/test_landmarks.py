"""Which lines of a loop are kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.job.steps.landmarks import MOST, Landmarks


def kept(seconds: list[float], *, batch: int) -> list[tuple[int, int]]:
    """(step, line) of what is kept of steps that come in batches; step 0 stands in line 1."""
    found = Landmarks()
    for first in range(0, len(seconds), batch):
        found.take(first, seconds[first : first + batch], lambda at, first=first: Line("a.log", first + at + 1, "step"))  # type: ignore[misc]
    return [(landmark.step, landmark.ref.line) for _, landmark in found.slowest]


def test_every_step_of_a_short_log() -> None:
    assert kept([2.0, 1.0, 3.0], batch=1) == [(0, 1), (1, 2), (2, 3)]


def test_the_slowest_of_each_part_of_a_long_one() -> None:
    seconds = [1.0] * 50_000
    seconds[31_415] = 2.0
    found = kept(seconds, batch=7_000)
    assert MOST / 2 <= len(found) <= MOST
    assert (31_415, 31_416) in found
    assert (0, 1) in found, "of equal ones the first"


@given(st.lists(st.sampled_from([1.0, 1.5, 2.0]), max_size=3 * MOST), st.integers(1, 3 * MOST))
def test_how_they_come_in_changes_nothing(seconds: list[float], batch: int) -> None:
    assert kept(seconds, batch=batch) == kept(seconds, batch=1)
