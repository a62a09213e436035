"""LLDP: which switch port an interface is plugged into."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

TEXT = """\
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    ens1f0np0, via: LLDP, RID: 1, Time: 12 days, 03:11:12
  Chassis:
    ChassisID:    mac 02:00:00:11:22:33
    SysName:      leaf-rail0
    SysDescr:     Cumulus Linux version 5.6.0
    MgmtIP:       10.1.0.11
    Capability:   Bridge, on
  Port:
    PortID:       ifname swp7
    PortDescr:    node07 first rail
    TTL:          120
-------------------------------------------------------------------------------
Interface:    ens2f0np0, via: LLDP, RID: 2, Time: 0 day, 00:00:12
  Chassis:
    ChassisID:    mac 02:00:00:11:22:44
  Port:
    PortID:       local Ethernet 1/7
-------------------------------------------------------------------------------
"""
KEYS = "lldp.eth0.via=LLDP\nlldp.eth0.chassis.mac=02:00:00:11:22:33\nlldp.eth0.chassis.name=leaf1\nlldp.eth0.port.ifname=swp9\n"


def test_neighbours_with_and_without_a_name() -> None:
    assert said(TEXT) == snapshot(
        [
            "interface-neighbour ens1f0np0 = leaf-rail0",
            "interface-neighbour-port ens1f0np0 = swp7",
            "interface-neighbour ens2f0np0 = 02:00:00:11:22:44",
            "interface-neighbour-port ens2f0np0 = Ethernet 1/7",
        ]
    )
    assert unread(TEXT) == ["-" * 79]


def test_keys_and_values() -> None:
    assert said(KEYS) == snapshot(["interface-neighbour eth0 = leaf1", "interface-neighbour-port eth0 = swp9"])
    assert unread(KEYS) == []


@given(st.integers(1, len(TEXT.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT, lines, letters) <= {"interface-neighbour"}  # the name of a chassis comes after its id
