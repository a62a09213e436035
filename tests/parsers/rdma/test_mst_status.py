"""mst status -v."""

from __future__ import annotations

import hca_texts
from hca_reading import said, unread
from inline_snapshot import snapshot


def test_mst_status() -> None:
    assert said(hca_texts.MST) == snapshot(
        [
            "hca-card mlx5_0 = ConnectX-7",
            "hca-bus-id mlx5_0 = 0000:17:00.0",
            "hca-numa-node mlx5_0 = 1",
            "port-netdev mlx5_0/1 = ib0",
        ]
    )


def test_devices_with_two_interfaces_with_none_and_without_an_mst_device() -> None:
    text = (
        "PCI devices:\n"
        "BlueField3(rev:1)       /dev/mst/mt41692_pciconf0     0000:a1:00.0   mlx5_4   net-ens3f0np0,net-ens3f1np1   0\n"
        "ConnectX6DX(rev:0)      /dev/mst/mt4125_pciconf0      b1:00.1   mlx5_5\n"
        "ConnectX7(rev:0)        NA                            c1:00.0   mlx5_6          net-ib6                   -1\n"
    )
    assert said(text) == snapshot(
        [
            "hca-card mlx5_4 = BlueField-3",
            "hca-bus-id mlx5_4 = 0000:a1:00.0",
            "hca-numa-node mlx5_4 = 0",
            "port-netdev mlx5_4/1 = ens3f0np0",
            "hca-card mlx5_5 = ConnectX-6DX",
            "hca-bus-id mlx5_5 = 0000:b1:00.1",
            "hca-card mlx5_6 = ConnectX-7",
            "hca-bus-id mlx5_6 = 0000:c1:00.0",
            "port-netdev mlx5_6/1 = ib6",
        ]
    )
    assert unread(text) == []


def test_a_row_without_an_rdma_device_is_only_known() -> None:
    text = "ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      17:00.0\n"
    assert (said(text), unread(text)) == ([], [])


def test_a_row_that_is_cut_within_the_address_is_not_read() -> None:
    row = hca_texts.MST.splitlines()[-1]
    assert said(row[: row.index("17:00.0") + 3]) == []
