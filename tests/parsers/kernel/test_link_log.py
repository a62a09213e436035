"""Links that go and come, in the words of bonding, the IP stack, drivers and NetworkManager."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.link_log import LinkLog

LOG = """\
[   91.400] bond0: (slave ens1np0): link status definitely down, disabling slave
[   91.410] bond0: active interface up!
[   92.000] audit: type=1130 audit(1700000000.1:91): pid=1 uid=0
[   95.000] bond0: (slave ens1np0): link status definitely up, 400000 Mbps full duplex
[   96.000] mlx5_core 0000:12:00.0: Port module event: module 0, Cable unplugged
[   97.000] bonding: bond1: link status definitely down for interface ens2np0, disabling it
[   98.000] bnxt_en 0000:18:00.0 ens3f0: NIC Link is Up, 200000 Mbps full duplex, Flow control: none
[   99.000] IPv6: ADDRCONF(NETDEV_CHANGE): ib3: link becomes ready
NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link disconnected
NetworkManager[99]: <info>  [1700000001.1] device (ib3): state change: activated -> unavailable
NetworkManager[99]: <info>  [1700000002.1] device (ib3): carrier: link connected
"""


def test_each_change_of_a_link_is_an_event() -> None:
    assert events_of(LinkLog, LOG) == snapshot(
        [
            ("kernel-link-down", None, None, {"interface": "ens1np0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens1np0"}, 1),
            ("kernel-link-down", None, None, {"interface": "ens2np0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens3f0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ib3"}, 2),
            ("kernel-link-down", None, None, {"interface": "ib3", "carrier": "carrier: link disconnected"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "bond0: (slave ens1np0): Enslaving as a backup interface with an up link",
        "bond0: link status is up again after 200 ms",
        "mlx5_core 0000:12:00.0: Port module event: module 0, Cable plugged",
        "device (ib3): state change: disconnected -> prepare",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(LinkLog, text) == []
