"""Launches that share lines or nodes are one, found without holding each against all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.jobs.launches import Launch, Launches

Plain = tuple[int, int, frozenset[str]]
PLAIN = st.tuples(st.integers(0, 60), st.integers(0, 6), st.frozensets(st.sampled_from("abcdefgh"), max_size=2)).map(
    lambda each: (each[0], each[0] + each[1], each[2])
)


def held_against_all(found: list[Plain]) -> list[Plain]:
    launches: list[Plain] = []
    for new in found:
        merged = new
        while other := next(
            (x for x in launches if (x[0] <= merged[1] and merged[0] <= x[1]) or x[2] & merged[2]), None
        ):
            launches.remove(other)
            merged = min(other[0], merged[0]), max(other[1], merged[1]), other[2] | merged[2]
        launches.append(merged)
    return sorted(launches, key=lambda each: each[:2])


@given(st.lists(PLAIN, max_size=30), PLAIN)
def test_they_are_those_that_comparing_each_with_all_gives(found: list[Plain], other: Plain) -> None:
    launches = Launches()
    for first, last, hosts in found:
        launches.add(Launch(first, last, set(hosts)))
    expected = held_against_all(found)
    assert [(one.first, one.last, frozenset(one.hosts)) for one in launches.in_order] == expected
    first, last, hosts = other
    assert launches.touches(Launch(first, last, set(hosts))) == any(
        (each[0] <= last and first <= each[1]) or bool(each[2] & hosts) for each in expected
    )
    assert launches.before(first) == sum(each[1] < first for each in expected)
