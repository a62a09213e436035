"""What is said of the last calls."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.model.timed_calls import TimedCalls
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.follow.answer import Answer, answers_of
from slowlink.workflows.follow.jobs import OfJob


def columns(steps: int = 40, sick: Sick | None = None) -> list[TimedCalls]:
    return list(columns_of(Job(Shape(4, 4, 2), Noise(), sick or Sick(), 1), steps))


def answer(every: list[TimedCalls]) -> Answer:
    (found,) = answers_of([OfJob("", every)], {})
    return found


def words(every: list[TimedCalls]) -> str:
    (line,) = answer(every).words()
    return line


def test_without_calls_there_is_no_answer() -> None:
    assert answers_of([OfJob("", [])], {}) == []


def test_nobody_is_said_where_the_rule_proved_it() -> None:
    assert words(columns()).startswith("nobody holds the collectives up: of 32 ranks")


@pytest.mark.parametrize(
    ("every", "why"),
    [
        (columns(1), "too few calls, "),
        ([calls for calls in columns() if calls.host == "node03" and calls.pid == 4101], "only 30% write here"),
        (
            [replace(calls, nranks=5 + (calls.rank == 0)) for calls in columns()],
            "do not agree on its size (and 31 more)",
        ),
    ],
)
def test_unknown_is_not_nobody(every: list[TimedCalls], why: str) -> None:
    assert words(every).startswith("cannot be judged yet: ")
    assert why in words(every)


def test_tolerances_of_the_site_count() -> None:
    (found,) = answers_of([OfJob("", columns(sick=Sick(gpu={9: 0.7})))], {"collectives-held-up": {"least_share": 0.99}})
    assert not found.accuses
    assert answer(columns(sick=Sick(gpu={9: 0.7}))).accuses


def test_how_much_makes_no_other_answer() -> None:
    one, other = (answer(columns(sick=Sick(gpu={9: left}))) for left in (0.7, 0.6))
    assert list(one.words()) != list(other.words())
    assert one.identity == other.identity
    assert one.identity != answer(columns(sick=Sick(gpu={10: 0.7}))).identity
