"""Where ranks run, by an allocation or their own answers."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.job import JobEvent
from slowlink.parsers.context.rank_places import RankPlaces


def places(*lines: str) -> list[tuple[str, str, str]]:
    """(by, nodes, ranks) of each placement."""
    found = [event for event in feed(RankPlaces, list(lines)) if isinstance(event, JobEvent)]
    return [(event.groups["by"], event.groups["nodes"], event.groups["ranks"]) for event in found]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("$ salloc -N2 -n2", [("salloc", "2", "2")]),
        ("[a@head ~]$ salloc --nodes=4 --ntasks-per-node 8 -p gpu", [("salloc", "4", "32")]),
        ("$ salloc -N2", [("salloc", "2", "")]),
        ("$ salloc -n 16", []),
        ("$ salloc -N2-4", []),
        ("salloc: Granted job allocation 6", []),
    ],
)
def test_an_allocation(command: str, expected: list[tuple[str, str, str]]) -> None:
    assert places(command) == expected


def test_the_answers_of_ranks() -> None:
    assert places("$ srun hostname", "gpu02", "gpu01", "gpu02", "$ date") == [("srun", "2", "3")]
    assert places("$ mpirun -np 2 hostname", "gpu01", "gpu02") == [("mpirun", "2", "2")]


def test_what_is_no_whole_answer() -> None:
    assert places("$ mpirun -np 4 hostname", "gpu01", "gpu02") == [], "two did not answer"
    assert places("$ srun -w gpu03 hostname", "gpu03") == [], "one node was asked for"
    assert places("$ hostname", "gpu01") == [], "no rank"
    assert places("$ srun hostname", "srun: error: Unable to create step", "gpu01") == []


@given(st.text(max_size=40))
def test_anything_may_follow(words: str) -> None:
    assert len(places("$ srun hostname", *words.splitlines() or [""])) <= 1
