"""Plain values of the fabric in a report's facts."""

from __future__ import annotations

from inline_snapshot import snapshot
from test_fabric import COUNTERS, LINKS, state_of

from slowlink.facts.summary.state import summarise_state


def values(text: str) -> dict[str, object]:
    found = summarise_state(state_of(text))
    return {name: value for name, value in found.items() if name.startswith(("fabric", "sm_", "switch", "ibdiagnet"))}


def test_links() -> None:
    assert values(LINKS) == snapshot(
        {
            "fabric_switches_seen": 1,
            "fabric_cas_seen": 1,
            "fabric_hosts_seen": 1,
            "fabric_node_names": ["gpu01 mlx5_0", "leafa"],
            "fabric_ports_seen": 3,
            "fabric_links_seen": 1,
            "fabric_link_ends": 2,
            "fabric_link_rates": {"4xNDR": 1},
            "fabric_link_rate_names": ["4x NDR"],
            "fabric_port_states": {"Active": 2, "Down": 1},
            "fabric_ports_down": 1,
            "fabric_ports_down_names": ["leafa/2"],
            "fabric_widths": [4],
            "fabric_lane_rates": [100.0],
            "fabric_lids": [21],
        }
    )


def test_counters() -> None:
    assert values(COUNTERS.format(lid=7, port=2)) == snapshot(
        {
            "fabric_ports_seen": 1,
            "fabric_lids": [7],
            "fabric_ports_counted": 1,
            "fabric_ports_with": {"port-symbol-errors": 1},
            "fabric_counters_max": {"port-symbol-errors": 3},
            "fabric_counters_max_hex": {"port-symbol-errors": "0x3"},
            "fabric_counted_ports": ["lid 7/2"],
            "fabric_counted_lids": ["7"],
            "fabric_counted_numbers": ["2"],
            "fabric_counters": {"port-symbol-errors": 3},
        }
    )


def test_switches() -> None:
    text = "part number        | MQM8790\nGUID               | 0x0c42a10300aa3000\nfan status         | OK\nfan#1 (rpm)        | 90\n"
    assert values(text) == snapshot(
        {
            "fabric_switches_seen": 1,
            "fabric_node_names": ["0x0c42a10300aa3000"],
            "switch_parts": {"fan": "OK"},
            "switch_fans": 1,
            "switch_fan_speeds": [90.0],
            "switch_part_number": "MQM8790",
        }
    )


def test_stages_and_managers() -> None:
    text = (
        "-I- Port Counters                       1          2         \n"
        "Master SM: Port=0 LID=7 GUID=0x0c42a10300aa1000 devid=54002 Priority:14 Node_Type=SW\n"
        "Standby SM : No Standby SM\n"
    )
    assert values(text) == snapshot(
        {
            "fabric_standby_sms": 0,
            "sm_reachable": True,
            "sm_masters": 1,
            "sm_standbys": 0,
            "sm_names": ["lid 7"],
            "sm_lids": ["7"],
            "sm_states": ["master"],
            "sm_priorities": [14],
            "ibdiagnet_errors": {"Port Counters": 2},
            "ibdiagnet_errors_total": 2,
            "ibdiagnet_warnings": {"Port Counters": 1},
            "ibdiagnet_warnings_total": 1,
        }
    )
