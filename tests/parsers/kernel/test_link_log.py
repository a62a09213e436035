"""Links that go and come, in the words of drivers, the IP stack and daemons."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.link_log import LinkLog

LOG = """\
[   90.000] mlx5_core 0000:12:00.0 ens1np0: Link down
[   91.000] mlx5_core 0000:12:00.0 ens1np0: Link up
[   92.000] audit: type=1130 audit(1700000000.1:91): pid=1 uid=0
[   93.000] bnxt_en 0000:18:00.0 ens3f0: NIC Link is Down
[   94.000] bnxt_en 0000:18:00.0 ens3f0: NIC Link is Up, 200000 Mbps full duplex, Flow control: none
[   95.000] ice 0000:19:00.0 ens4f0: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC
[   99.000] IPv6: ADDRCONF(NETDEV_CHANGE): ib3: link becomes ready
systemd-networkd[98]: ib2: Lost carrier
systemd-networkd[98]: ib2: Gained carrier
systemd-networkd[98]: ib2: Gained IPv6LL
NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link disconnected
NetworkManager[99]: <info>  [1700000001.1] device (ib3): state change: activated -> unavailable
NetworkManager[99]: <info>  [1700000002.1] device (ib3): carrier: link connected
"""


def test_each_change_of_a_link_is_an_event() -> None:
    assert events_of(LinkLog, LOG) == snapshot(
        [
            ("kernel-link-down", None, None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 1),
            ("kernel-link-up", None, None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 1),
            ("kernel-link-down", None, None, {"interface": "ens3f0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens3f0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens4f0"}, 1),
            ("kernel-link-up", None, None, {"interface": "ib3"}, 2),
            ("kernel-link-down", None, None, {"interface": "ib2", "carrier": "Lost carrier"}, 1),
            ("kernel-link-up", None, None, {"interface": "ib2"}, 1),
            ("kernel-link-down", None, None, {"interface": "ib3", "carrier": "carrier: link disconnected"}, 1),
        ]
    )


def test_any_driver_may_say_it_where_the_kernel_is_named() -> None:
    log = (
        "kernel: hns3 0000:7d:00.0 eth2: link down\n"
        "kernel: hns3 0000:7d:00.0 eth2: link up\n"
        "[  411.224311] cxgb4 0000:02:00.4 ens1f4: Link Down\n"
        "kernel: gve 0000:00:05.0 eth1: Device link is up.\n"
    )
    assert [(kind, groups["interface"]) for kind, _, _, groups, _ in events_of(LinkLog, log)] == [
        ("kernel-link-down", "eth2"),
        ("kernel-link-up", "eth2"),
        ("kernel-link-down", "ens1f4"),
        ("kernel-link-up", "eth1"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "bond0: (slave ens1np0): Enslaving as a backup interface with an up link",
        "mlx5_core 0000:12:00.0: Port module event: module 0, Cable plugged",
        "mlx5_core 0000:12:00.0: Port module event: module 0, Cable unplugged",
        "device (ib3): state change: disconnected -> prepare",
        "pcieport 0000:40:01.1: pciehp: Slot(3): Link Down",
        "kernel: ata3: SATA link down (SStatus 0 SControl 300)",
        "kernel: nvidia 0000:3b:00.0: nvlink: Link down",
        "monitor: rack 7: link is down since Monday",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(LinkLog, text) == []
