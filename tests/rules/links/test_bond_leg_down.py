from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "bond-leg-down"


def bond(*legs: tuple[str, str]) -> str:
    """What ``cat`` shows of a bond."""
    heading = (
        "[root@gpu07 ~]# cat /proc/net/bonding/bond2\nEthernet Channel Bonding Driver: v6.8.0\n\nMII Status: up\n\n"
    )
    return heading + "".join(f"Slave Interface: {name}\nMII Status: {status}\n" for name, status in legs)


def test_one_of_two() -> None:
    assert said(RULE, bond(("ens7f0np0", "up"), ("ens7f1np1", "down"))) == snapshot(
        [("port-down", "warning", "likely", "gpu07: ens7f1np1 is down in a bond that runs on its other links")]
    )


def test_silent_when_all_are_alike() -> None:
    assert findings_of(RULE, bond(("ens7f0np0", "up"), ("ens7f1np1", "up"))) == ()
    assert findings_of(RULE, bond(("ens7f0np0", "down"), ("ens7f1np1", "down"))) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, bond(("ens7f0np0", "up"), ("ens7f1np1", "down"))) == snapshot(
        [[("See why the link is down.", "ethtool ens7f1np1; ethtool -m ens7f1np1")]]
    )


def lacp(*aggregates: int) -> str:
    legs = "".join(
        f"Slave Interface: ens1f{n}np{n}\nMII Status: up\nSpeed: 100000 Mbps\nAggregator ID: {aggregate}\n"
        for n, aggregate in enumerate(aggregates)
    )
    return (
        "[root@gpu07 ~]# cat /proc/net/bonding/bond0\nEthernet Channel Bonding Driver: v5.15.0-105-generic\n"
        f"Bonding Mode: IEEE 802.3ad Dynamic link aggregation\nMII Status: up\n{legs}"
    )


def test_links_of_one_bond_in_two_aggregates() -> None:
    assert said("bond-leg-down", lacp(1, 2)) == snapshot(
        [
            (
                "port-down",
                "warning",
                "likely",
                "gpu07: ens1f0np0 and ens1f1np1 are one bond and no aggregate: LACP uses only some of them",
            )
        ]
    )
    assert said("bond-leg-down", lacp(1, 1)) == []


def test_a_link_that_is_down_leaves_the_aggregate_for_that() -> None:
    text = lacp(1, 2).replace("ens1f1np1\nMII Status: up", "ens1f1np1\nMII Status: down")
    assert [message for _, _, _, message in said("bond-leg-down", text)] == snapshot(
        ["gpu07: ens1f1np1 is down in a bond that runs on its other links"]
    )
