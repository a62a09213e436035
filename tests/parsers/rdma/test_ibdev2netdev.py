"""ibdev2netdev, plain and with -v."""

from __future__ import annotations

import hca_texts
from hca_reading import said, unread
from inline_snapshot import snapshot


def test_ibdev2netdev() -> None:
    assert said(hca_texts.IBDEV2NETDEV) == snapshot(
        [
            "port-netdev mlx5_bond_0/1 = bond0",
            "interface-state bond0 = up",
            "port-netdev rocep1s0f1/1 = ens1f1np1",
            "interface-state ens1f1np1 = down",
            "port-netdev mlx5_0/1 = ib0",
            "port-state mlx5_0/1 = Active",
            "interface-state ib0 = up",
            "hca-bus-id mlx5_0 = 0000:17:00.0",
            "hca-model mlx5_0 = MT4129",
            "hca-board mlx5_0 = MCX750500B-0D00",
            "hca-name mlx5_0 = ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16",
            "hca-card mlx5_0 = ConnectX-7",
            "hca-firmware mlx5_0 = 28.43.2026",
            "port-netdev mlx5_1/1 = ib1",
            "port-state mlx5_1/1 = Down",
            "interface-state ib1 = down",
            "hca-bus-id mlx5_1 = 0000:18:00.0",
            "hca-model mlx5_1 = MT4129",
            "hca-board mlx5_1 = MCX750500B-0D00",
            "hca-name mlx5_1 = ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16",
            "hca-card mlx5_1 = ConnectX-7",
            "hca-firmware mlx5_1 = 28.43.2026",
        ]
    )


def test_a_port_without_an_interface() -> None:
    assert said("mlx5_7 port 2 ==>  ()\nmlx5_8 port 1 ==>\n") == []
    assert unread("mlx5_7 port 2 ==>  ()\nmlx5_8 port 1 ==>\n") == []


def test_a_port_after_the_name_of_its_node() -> None:
    assert said("node07: mlx5_0 port 1 ==> ib0 (Down)\n") == snapshot(
        ["port-netdev mlx5_0/1 = ib0 @node07", "interface-state ib0 = down @node07"]
    )


def test_lines_that_are_cut_or_lack_the_device() -> None:
    whole = hca_texts.IBDEV2NETDEV.splitlines()[2]
    assert said(f"{whole[:90]}\nport 1 ==> ib0 (Up)\nmlx5_0 ==> ib0 (Up)\n") == []
    assert said(whole.replace("(MT4129 - MCX750500B-0D00)", "MT4129")) == []
