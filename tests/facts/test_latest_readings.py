"""The latest reading of each part is the last of its series, however the readings of parts are mixed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.readings import by_part, latest
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading

READINGS = st.builds(
    Reading,
    attribute=st.just("gpu-temperature"),
    part=st.sampled_from([Part("gpu", "0"), Part("gpu", "1")]),
    value=st.integers(0, 9),
    ref=st.builds(Ref, source=st.sampled_from("ab"), line=st.integers(1, 9)),
    host=st.sampled_from([None, "n1", "n2"]),
    at=st.one_of(st.none(), st.integers(0, 3).map(float)),
)


@given(st.lists(READINGS, max_size=12))
def test_the_latest_ends_the_series_of_its_part(readings: list[Reading]) -> None:
    series = by_part(readings)
    found = latest(readings)
    assert list(found) == list(series)
    assert all(found[where] is each[-1] for where, each in series.items())
