"""Which jobs write below one directory."""

from __future__ import annotations

from msgspec.structs import replace

from slowlink.model.source import Ref
from slowlink.model.timed_calls import TimedCalls
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.follow.jobs import Jobs


def job(start: str) -> list[TimedCalls]:
    columns = columns_of(Job(Shape(2, 2, 2), Noise(), Sick(), 1), 3)
    return [
        replace(each, host=f"{start}{each.host}", comm=f"{each.comm}{start}", ref=Ref(f"{start}{each.ref.source}", 1))
        for each in columns
    ]


def said(*looks: tuple[float, list[TimedCalls]]) -> list[list[tuple[str, int]]]:
    """Of each look at a time, the label and the number of columns of each job."""
    now = [0.0]
    jobs = Jobs(lambda: now[0])
    found = []
    for now[0], columns in looks:
        found.append([(one.label.partition(",")[0], len(one.columns)) for one in jobs.of(columns)])
    return found


ONE, OTHER = job("a"), job("b")
HALF = len(ONE)


def test_jobs_are_told_apart_when_they_are_so_for_a_minute() -> None:
    both = [*ONE, *OTHER]
    assert said((0, both), (59, both), (60, both)) == [
        [("", 2 * HALF)],
        [("", 2 * HALF)],
        [("job on anode[01-04]", HALF), ("job on bnode[01-04]", HALF)],
    ]


def test_parts_that_get_a_call_in_common_were_one_job() -> None:
    """At first its stages call nobody else."""
    parts = [calls for calls in ONE if calls.comm_name != "PP"]
    assert said((0, parts), (50, parts), (55, ONE), (120, parts)) == [
        [("", len(parts))],
        [("", len(parts))],
        [("", HALF)],
        [("", len(parts))],
    ]


def test_a_job_that_began_lately_disturbs_no_other() -> None:
    both, third = [*ONE, *OTHER], job("c")
    assert said((0, both), (60, [*both, *third]))[1] == [
        ("job on anode[01-04]", HALF),
        ("job on bnode[01-04]", HALF),
        ("what began less than a minute ago", HALF),
    ]


def test_without_calls_there_is_one_without_any() -> None:
    assert said((0, [])) == [[("", 0)]]
