"""Links below a bond that go and come."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.bonding_log import BondingLog

LOG = """\
[   91.400] bond0: (slave ens1np0): link status definitely down, disabling slave
[   91.410] bond0: active interface up!
[   95.000] bond0: (slave ens1np0): link status definitely up, 400000 Mbps full duplex
[   97.000] bonding: bond1: link status definitely down for interface ens2np0, disabling it
[   99.000] bonding: bond1: link status definitely up for interface ens2np0, 100000 Mbps full duplex
"""
LOST_ONCE = """\
[   93.000] bnxt_en 0000:18:00.0 ens3f0: NIC Link is Down
[   93.100] bond0: (slave ens3f0): link status definitely down, disabling slave
"""


def test_each_change_of_a_link_is_an_event() -> None:
    assert events_of(BondingLog, LOG) == snapshot(
        [
            ("kernel-link-down", None, None, {"interface": "ens1np0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens1np0"}, 1),
            ("kernel-link-down", None, None, {"interface": "ens2np0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens2np0"}, 1),
        ]
    )


def test_a_link_that_the_driver_and_the_bond_lost_is_not_lost_twice() -> None:
    assert events_of(BondingLog, LOST_ONCE) == snapshot(
        [
            ("kernel-link-down", None, None, {"interface": "ens3f0"}, 1),
            ("kernel-link-down", None, None, {"interface": "ens3f0"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "bond0: (slave ens1np0): Enslaving as a backup interface with an up link",
        "bond0: link status is up again after 200 ms",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(BondingLog, text) == []
