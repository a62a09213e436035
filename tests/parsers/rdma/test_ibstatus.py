"""ibstatus."""

from __future__ import annotations

import hca_texts
from hca_reading import said, unread
from inline_snapshot import snapshot


def test_ibstatus() -> None:
    assert said(hca_texts.IBSTATUS) == snapshot(
        [
            "port-lid mlx5_2/1 = 31",
            "port-sm-lid mlx5_2/1 = 3",
            "port-state mlx5_2/1 = Active",
            "port-physical-state mlx5_2/1 = LinkUp",
            "port-rate mlx5_2/1 = 200.0",
            "port-width mlx5_2/1 = 2",
            "port-link-layer mlx5_2/1 = InfiniBand",
        ]
    )


def test_a_port_that_is_down_on_ethernet() -> None:
    text = (
        "Infiniband device 'mlx5_4' port 2 status:\n\tdefault gid:\t fe80:0000:0000:0000:a288:c2ff:feaa:0014\n"
        "\tbase lid:\t 0x0\n\tsm lid:\t\t 0x0\n\tstate:\t\t 1: DOWN\n\tphys state:\t 3: Disabled\n"
        "\trate:\t\t 40 Gb/sec (4X QDR)\n\tlink_layer:\t Ethernet\n"
    )
    assert said(text) == snapshot(
        [
            "port-lid mlx5_4/2 = 0",
            "port-sm-lid mlx5_4/2 = 0",
            "port-state mlx5_4/2 = Down",
            "port-physical-state mlx5_4/2 = Disabled",
            "port-rate mlx5_4/2 = 40.0",
            "port-width mlx5_4/2 = 4",
            "port-link-layer mlx5_4/2 = Ethernet",
        ]
    )
    assert unread(text) == []


def test_values_that_are_damaged_say_nothing() -> None:
    text = "Infiniband device 'mlx5_4' port 1 status:\n\tstate:\t\t 9: WHAT\n\trate:\t\t Gb/sec\n\tbase lid:\t 0xzz\n"
    assert said(text) == []


def test_a_block_without_its_heading_is_nobodys() -> None:
    assert said("\n".join(hca_texts.IBSTATUS.splitlines()[1:])) == []
