"""ibv_devinfo, plain and with -v."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_ibv_devinfo() -> None:
    assert said(hca_texts.IBV_DEVINFO) == snapshot(
        [
            "hca-firmware mlx5_3 = 28.43.2026",
            "hca-node-guid mlx5_3 = a088c20300aa0013",
            "hca-system-guid mlx5_3 = a088c20300aa0013",
            "hca-hardware-version mlx5_3 = 0",
            "hca-board-id mlx5_3 = MT_0000000838",
            "hca-port-count mlx5_3 = 1",
            "port-state mlx5_3/1 = Active",
            "port-mtu-max mlx5_3/1 = 4096",
            "port-mtu mlx5_3/1 = 1024",
            "port-sm-lid mlx5_3/1 = 0",
            "port-lid mlx5_3/1 = 0",
            "port-link-layer mlx5_3/1 = Ethernet",
            "port-width mlx5_3/1 = 4",
            "port-physical-state mlx5_3/1 = LinkUp",
            "gid-value mlx5_3/1/0 = fe80:0000:0000:0000:a288:c2ff:feaa:0013",
            "gid-type mlx5_3/1/0 = IB/RoCE v1",
            "gid-value mlx5_3/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0203",
            "gid-ipv4 mlx5_3/1/3 = 10.1.2.3",
            "gid-type mlx5_3/1/3 = RoCE v2",
        ]
    )


def test_rate_of_ibv_devinfo_is_lanes_by_speed() -> None:
    text = "hca_id:\tmlx5_3\n\t\tport:\t2\n\t\t\tactive_width:\t\t2X (16)\n\t\t\tactive_speed:\t\t53.125 Gbps (64)\n"
    assert said(text) == snapshot(["port-width mlx5_3/2 = 2", "port-rate mlx5_3/2 = 106.25"])


def test_a_speed_without_the_lanes_above_gives_no_rate() -> None:
    text = "hca_id:\tmlx5_3\n\t\tport:\t2\n\t\t\tstate:\t\tPORT_DOWN (1)\n\t\t\tactive_speed:\t\t2.5 Gbps (1)\n"
    assert said(text) == ["port-state mlx5_3/2 = Down"]


def test_gids_that_are_empty_or_cut_are_none() -> None:
    text = "hca_id:\tmlx5_3\n\t\tport:\t1\n\t\t\tGID[  0]:\t\t::\n\t\t\tGID[  1]:\t\tfe80:0000:00\n\t\t\tGID[  2]:\t\tfe80::1\n"
    assert said(text) == snapshot(["gid-value mlx5_3/1/2 = fe80:0000:0000:0000:0000:0000:0000:0001"])


def test_two_ports_of_one_device() -> None:
    text = "hca_id: mlx4_0\n port: 1\n  state: PORT_ACTIVE (4)\n port: 2\n  state: PORT_INIT (2)\n"
    assert said(text) == snapshot(["port-state mlx4_0/1 = Active", "port-state mlx4_0/2 = Init"])


def test_a_port_without_its_device_is_nobodys() -> None:
    assert said("\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tGID[  0]:\t\tfe80::1, RoCE v1\n") == []
