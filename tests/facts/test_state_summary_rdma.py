"""What a report's facts say of HCAs, ports, GIDs and interfaces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.facts.state import state
from slowlink.facts.stretches import Told
from slowlink.facts.summary.state.rdma import summarise
from slowlink.inputs import Input
from slowlink.model.facts import Readings, State
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.reading.read import read

PORTS = """\
/sys/class/infiniband/mlx5_0/hca_type:MT4129
/sys/class/infiniband/mlx5_0/fw_ver:28.43.2026
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_0/ports/1/phys_state:5: LinkUp
/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
/sys/class/infiniband/mlx5_0/ports/1/link_layer:InfiniBand
/sys/class/infiniband/mlx5_0/ports/1/sm_lid:0x3
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:2
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:5
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/rx_write_requests:70
"""
ROCE = """\
mlx5_1 port 1 ==> ens1np0 (Down)
mlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:0a01:0203\t10.1.2.3  \tv2\tens1np0
n_gids_found=1
"""


def facts(text: str) -> dict[str, object]:
    found = state(read([Input("t", None, [text.encode()])], workers=1))
    assert found is not None
    return summarise(found)


def test_ports() -> None:
    assert facts(PORTS) == snapshot(
        {
            "hcas_present": ["mlx5_0"],
            "hca_count": 1,
            "hca_firmware": ["28.43.2026"],
            "hca_firmware_by_hca": {"mlx5_0": "28.43.2026"},
            "hca_models": ["MT4129"],
            "hca_models_by_hca": {"mlx5_0": "MT4129"},
            "port_count": 1,
            "ports_active": 1,
            "ports_not_active": 0,
            "ports_active_names": ["mlx5_0"],
            "ports_by_state": {"Active": 1},
            "port_states": {"mlx5_0": "Active"},
            "port_numbers": [1],
            "port_physical_states": ["LinkUp"],
            "ports_by_physical_state": {"LinkUp": 1},
            "port_rates_gbit": [400.0],
            "port_widths": {"mlx5_0": 4},
            "port_rate_gbit": {"mlx5_0": 400.0},
            "port_link_layers": ["InfiniBand"],
            "sm_lids": [3],
            "ports_by_kind": {"ib_ports": 1, "ib_400": 1},
            "ib_devices": ["mlx5_0"],
            "ib_rates_gbit": [400.0],
            "port_counters": {"mlx5_0": {"link-downed": 2, "local-ack-timeout-err": 5, "rx-write-requests": 70}},
            "counter_values": {"link-downed": [2], "local-ack-timeout-err": [5], "rx-write-requests": [70]},
            "port_errors_total": 5,
        }
    )


def test_gids_and_interfaces() -> None:
    assert facts(ROCE) == snapshot(
        {
            "hcas_present": ["mlx5_1"],
            "hca_count": 1,
            "port_count": 1,
            "port_numbers": [1],
            "gid_count": 1,
            "gid_total": 1,
            "gids_by_hca": {"mlx5_1": 1},
            "gids_with_ipv4": 1,
            "gid_ipv4": ["10.1.2.3"],
            "gid_ipv4_by_hca": {"mlx5_1": "10.1.2.3"},
            "roce_v2_indexes": [3],
            "roce_v2_ipv4_indexes": [3],
            "gid_hcas_with_netdev": ["mlx5_1"],
            "interface_count": 1,
            "interfaces_up": 0,
            "interfaces_not_up": ["ens1np0"],
            "interfaces_down": 1,
            "interface_states": {"ens1np0": "down"},
            "interfaces_present": ["ens1np0"],
            "netdevs": ["ens1np0"],
            "port_netdevs": {"mlx5_1": "ens1np0 Down"},
            "ports_with_interface_down": ["mlx5_1"],
        }
    )


def test_nothing_of_the_kind() -> None:
    assert facts("/proc/sys/kernel/numa_balancing:1\n") == {}


def test_links_of_interfaces_by_name() -> None:
    text = (
        "[root@gpu07 ~]# cat /proc/net/bonding/bond2\nEthernet Channel Bonding Driver: v6.8.0\n\n"
        "Bonding Mode: fault-tolerance (active-backup)\nSlave Interface: ens7f0np0\nMII Status: up\nSpeed: 25000 Mbps\n"
        "[root@gpu07 ~]# ethtool -i ens7f0np0\ndriver: mlx5_core\nbus-info: 0000:5a:00.0\n"
    )
    names = ("bond_modes", "bond_legs_up", "interface_bonds", "interface_speed_gbit", "interface_drivers")
    found = facts(text)
    assert {name: found[name] for name in names} == snapshot(
        {
            "bond_modes": {"bond2": "fault-tolerance (active-backup)"},
            "bond_legs_up": {"ens7f0np0": True},
            "interface_bonds": {"ens7f0np0": "bond2"},
            "interface_speed_gbit": {"ens7f0np0": 25.0},
            "interface_drivers": {"ens7f0np0": "mlx5_core"},
        }
    )


SOURCES = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.sampled_from(["n1", "n2", "n3"]), st.permutations(["mlx5_0", "mlx5_1", "ib2"])
    ),
    max_size=6,
)
"""Of each listing: its source, its node, and its HCAs in order of lines."""


@given(SOURCES, st.permutations("abc"))
def test_hcas_come_in_the_order_of_their_first_lines(
    listings: list[tuple[str, str, list[str]]], order: list[str]
) -> None:
    listings.sort(key=lambda listing: order.index(listing[0]))  # one source is read after the other
    numbered = [
        (source, node, 10 * at + line, name)
        for at, (source, node, names) in enumerate(listings)
        for line, name in enumerate(names[: at % 3 + 1])
    ]
    readings = [
        Reading("hca-model", Part("hca", name), "", Ref(source, line), node) for source, node, line, name in numbered
    ]
    told = summarise(State({"hca-model": Readings(Told(readings))}, ("n1", "n2", "n3"), frozenset(), ()))
    by_name: dict[str, tuple[str, int]] = {}
    for source, _, line, name in numbered:
        by_name[name] = min((source, line), by_name.get(name, (source, line)))
    assert told.get("hcas_present", []) == sorted(by_name, key=by_name.__getitem__)
    assert told.get("hca_count", 0) == len({(node, name) for _, node, _, name in numbered})
