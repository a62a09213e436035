"""The latest reading of each part is the last of its series, however the readings of parts are mixed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.readings import by_attribute, by_part, latest
from slowlink.facts.stretches import Told
from slowlink.model.facts import Readings
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
    assert list(found.items()) == [(where, each[-1]) for where, each in series.items()]
    assert list(found.values()) == [each[-1] for each in series.values()]
    assert ("nowhere", Part("gpu", "x")) not in found
    assert len(found) == len(series)


def test_readings_of_several_attributes_know_those_of_each() -> None:
    """Of the very tuple that the state has, so that nothing is found out of it twice."""
    temperature = Told([Reading("gpu-temperature", Part("gpu", "0"), 30, Ref("s", 1), "a")])
    power = Told([Reading("gpu-power", Part("gpu", "0"), 70.0, Ref("s", 2), "a")])
    joined = Readings((*temperature, *power), {"gpu-temperature": temperature, "gpu-power": power})
    assert by_attribute(joined, "gpu-power") is power
    assert by_attribute(joined, "gpu-name") == ()
    assert by_attribute(Readings(joined.all), "gpu-power") == power
