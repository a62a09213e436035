"""What a report's facts say of health tests."""

from __future__ import annotations

from slowlink.facts.stretches import Told
from slowlink.facts.summary.state.health import summarise
from slowlink.model.facts import Readings, State
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading


def said(*results: str) -> dict[str, object]:
    part = Part("health-test", "dcgm/PCIe")
    found = [Reading("health-test", part, result, Ref("t", line), f"n{line}") for line, result in enumerate(results, 1)]
    hosts = tuple(f"n{line}" for line, _ in enumerate(results, 1))
    return summarise(State({"health-test": Readings(Told(found))}, hosts, frozenset(), ()))


def test_the_worst_result_of_a_test_is_told() -> None:
    assert said("pass", "fail", "skip")["health_tests"] == {"PCIe": "fail"}


def test_a_result_that_no_test_has_is_none() -> None:
    """A node may send anything."""
    assert said("", "pass", "\x1b")["health_tests"] == {"PCIe": "pass"}
    assert "health_tests" not in said("")
