from __future__ import annotations

import pytest
from fabric_pictures import iblinkinfo
from inline_snapshot import snapshot
from text_findings import findings_of, said

EDR = "4X      25.78125 Gbps"
ONE = "1X        106.25 Gbps"
TWO = "2X        106.25 Gbps"


def test_what_both_ends_support_is_what_a_link_should_have() -> None:
    text = iblinkinfo(rates={("leaf2", 2): (EDR, "Could be 106.25 Gbps"), ("leaf1", 5): (ONE, "Could be 4X")})
    assert said("fabric-link-slow", text) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "2 links of the fabric below what they can do: spine0/2 - leaf1/5 runs at 1x NDR, both ends support 4 lanes; leaf2/2 - gpu09 mlx5_0/1 runs at 4x EDR, both ends support NDR",
            )
        ]
    )
    (found,) = findings_of("fabric-link-slow", text)
    assert {s.name for s in found.suspects} == {"leaf2/2", "gpu09 mlx5_0/1", "gpu09", "leaf1/5", "spine0/2"}


def test_lanes_that_no_cable_has_are_no_goal() -> None:
    rates = {(f"leaf{n}", port): ("4X        106.25 Gbps", "Could be 12X") for n in range(4) for port in range(1, 7)}
    assert findings_of("fabric-link-slow", iblinkinfo(rates=rates)) == ()


def test_a_single_lane_among_four_is_a_fault_without_a_note() -> None:
    (found,) = findings_of("fabric-link-slow", iblinkinfo(hosts=8, rates={("leaf0", 3): (ONE, "")}))
    assert (found.severity, found.confidence) == ("error", "likely")
    assert "leaf0/3" in found.message or "leaf0/3" in [s.name for s in found.suspects]


def test_a_slower_adapter_among_others_may_belong_there() -> None:
    assert said("fabric-link-slow", iblinkinfo(hosts=8, rates={("leaf0", 3): (EDR, "")})) == snapshot(
        [
            (
                "port-rate-low",
                "warning",
                "possible",
                "1 link of the fabric below what it can do: leaf0/3 - gpu02 mlx5_0/1 runs at 4x EDR, other links have NDR",
            )
        ]
    )


@pytest.mark.parametrize("rate", [TWO, EDR])
def test_halves_of_a_split_port_among_whole_ones_are_no_fault(rate: str) -> None:
    """Half of the switch's ports are split: none is usual."""
    rates = {("leaf0", port): (rate, "") for port in range(1, 5)}
    assert findings_of("fabric-link-slow", iblinkinfo(hosts=8, rates=rates)) == ()


def test_silent_on_a_healthy_fabric() -> None:
    assert findings_of("fabric-link-slow", iblinkinfo()) == ()
