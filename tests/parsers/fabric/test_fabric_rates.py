"""Widths, speeds and states of links: the words of every tool in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.fabric import rates


@pytest.mark.parametrize(
    ("text", "gbps"),
    [
        ("NDR", 106.25),
        ("ndr", 106.25),
        ("106.25 Gbps", 106.25),
        ("100", 106.25),
        ("10.0 Gbps (FDR10)", 10.3125),
        ("10.0 Gbps", 10.0),
        ("14", 14.0625),
        ("???", None),
        ("13.0 Gbps", None),
        ("", None),
    ],
)
def test_the_speed_of_a_lane_as_signalled(text: str, gbps: float | None) -> None:
    assert rates.lane_speed(text) == gbps


@pytest.mark.parametrize(
    ("text", "lanes"), [("4x", 4), ("12X", 12), ("2x", 2), ("??x", None), ("3x", None), ("", None)]
)
def test_widths_that_infiniband_has(text: str, lanes: int | None) -> None:
    assert rates.lanes(text) == lanes


def test_the_most_that_a_port_supports() -> None:
    assert rates.most_lanes("1X or 4X or ??") == 4
    assert rates.most_speed("25.78125 Gbps or 53.125 Gbps or 106.25 Gbps") == 106.25
    assert (rates.most_lanes("none"), rates.most_speed("")) == (None, None)


@pytest.mark.parametrize(
    ("text", "state", "physical"),
    [
        ("ACT", "Active", None),
        ("Initialize", "Init", None),
        ("LINK UP", None, "LinkUp"),
        ("PortConfigurationTraining", None, "Training"),
        ("Poll", None, "Polling"),
        ("what", None, None),
    ],
)
def test_states(text: str, state: str | None, physical: str | None) -> None:
    assert (rates.state(text), rates.physical_state(text)) == (state, physical)


def test_names_of_speeds() -> None:
    assert [rates.speed_name(gbps) for gbps in (2.5, 53.125, 13.0)] == ["SDR", "HDR", "13 Gb/s a lane"]


@given(st.text(max_size=40))
def test_any_text_gives_a_result(text: str) -> None:
    speed, width = rates.lane_speed(text), rates.lanes(text)
    assert speed is None or speed in rates.DATA_RATES
    assert width is None or width in (1, 2, 4, 8, 12)
