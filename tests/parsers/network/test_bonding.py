"""Files of the kernel's bonding driver: which interfaces are the legs of a bond, and how each of them is."""

from __future__ import annotations

from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

from slowlink.parsers.network.bonding import Bonding

BOND = """\
[root@gpu07 ~]# cat /proc/net/bonding/bond2
Ethernet Channel Bonding Driver: v6.8.0-7-generic

Bonding Mode: fault-tolerance (active-backup)
Primary Slave: None
Currently Active Slave: ens7f0np0
MII Status: up
MII Polling Interval (ms): 100
Up Delay (ms): 0
Down Delay (ms): 0

Slave Interface: ens7f0np0
MII Status: up
Speed: 25000 Mbps
Duplex: full
Link Failure Count: 1
Permanent HW addr: a0:88:c2:00:00:07
Slave queue ID: 0

Slave Interface: ens7f1np1
MII Status: down
Speed: Unknown
Duplex: Unknown
Link Failure Count: 9
Permanent HW addr: a0:88:c2:00:00:08
Slave queue ID: 0
"""
LACP = """\
==> /proc/net/bonding/bond0 <==
Ethernet Channel Bonding Driver: v5.15.0-91-generic

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
Transmit Hash Policy: layer3+4 (1)
MII Status: up
MII Polling Interval (ms): 100
Peer Notification Delay (ms): 0

802.3ad info
LACP active: on
LACP rate: fast
Min links: 0
Aggregator selection policy (ad_select): stable
System priority: 65535
System MAC address: a0:88:c2:00:00:09
Active Aggregator Info:
\tAggregator ID: 1
\tNumber of ports: 1
\tActor Key: 29
\tPartner Key: 33001
\tPartner Mac Address: 44:38:39:00:00:01

Slave Interface: ens9f0np0
MII Status: going back
Speed: 100000 Mbps
Duplex: full
Link Failure Count: 4
Permanent HW addr: a0:88:c2:00:00:09
Slave queue ID: 0
Aggregator ID: 1
Actor Churn State: none
Partner Churned Count: 0
details actor lacp pdu:
    system priority: 65535
    port state: 63
"""
LINES = [*BOND.splitlines(), *LACP.splitlines()]


def test_the_legs_of_a_bond() -> None:
    assert said(BOND) == snapshot(
        [
            "interface-bond-mode bond2 = fault-tolerance (active-backup)",
            "interface-bond ens7f0np0 = bond2",
            "interface-bond-leg-up ens7f0np0 = True",
            "interface-speed ens7f0np0 = 25.0",
            "interface-bond-leg-failures ens7f0np0 = 1",
            "interface-bond ens7f1np1 = bond2",
            "interface-bond-leg-up ens7f1np1 = False",
            "interface-bond-leg-failures ens7f1np1 = 9",
        ]
    )
    assert unread(BOND) == []


def test_a_bond_of_lacp_whose_leg_comes_back() -> None:
    assert said(LACP) == snapshot(
        [
            "interface-bond-mode bond0 = IEEE 802.3ad Dynamic link aggregation",
            "interface-bond ens9f0np0 = bond0",
            "interface-bond-leg-up ens9f0np0 = False",
            "interface-speed ens9f0np0 = 100.0",
            "interface-bond-leg-failures ens9f0np0 = 4",
            "interface-bond-aggregate ens9f0np0 = 1",
        ]
    )
    assert unread(LACP) == []


def test_without_a_path_the_legs_are_known_and_their_bond_is_not() -> None:
    assert said("\n".join(BOND.splitlines()[1:])) == snapshot(
        [
            "interface-bond-leg-up ens7f0np0 = True",
            "interface-speed ens7f0np0 = 25.0",
            "interface-bond-leg-failures ens7f0np0 = 1",
            "interface-bond-leg-up ens7f1np1 = False",
            "interface-bond-leg-failures ens7f1np1 = 9",
        ]
    )


def test_a_status_far_below_the_file_is_somebody_elses() -> None:
    lines = [*BOND.splitlines(), *["something else"] * 50, "MII Status: down"]
    assert [r.ref.line for r in feed(Bonding, lines) if r.attribute == "interface-bond-leg-up"] == [13, 21]


def test_a_status_without_the_file_is_nobodys() -> None:
    assert feed(Bonding, ["Slave Interface: ens7f0np0", "MII Status: down", "Speed: 25000 Mbps"]) == []


@given(st.integers(0, len(LINES)), st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_cut_anywhere_it_invents_nothing(lines: int, letters: int) -> None:
    assert invented(BOND, lines, letters) == set()


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=40), max_size=30), st.integers(0, 60))
def test_any_lines_give_a_result(lines: list[str], cut: int) -> None:
    for found in feed(Bonding, [line[:cut] for line in lines]):
        assert found.part.kind == "interface"
        assert 1 <= found.ref.line <= len(lines)


def test_a_speed_that_no_driver_told_is_none() -> None:
    assert said(BOND.replace("Speed: 25000 Mbps", "Speed: 65535 Mbps")) == [
        found for found in said(BOND) if "interface-speed" not in str(found)
    ]


def test_what_arp_and_a_missing_aggregator_add_is_not_left_unread() -> None:
    more = "ARP Polling Interval (ms): 100\nARP Missed Max: 2\nARP IP target/s (n.n.n.n form): 10.0.0.1\nbond bond2 has no active aggregator\n"
    assert unread(BOND.replace("Up Delay (ms): 0\n", more)) == unread(BOND)
