"""rdma of iproute2, its text form."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_rdma_tool() -> None:
    assert said(hca_texts.RDMA_TOOL) == snapshot(
        [
            "port-link-layer mlx5_0/1 = InfiniBand",
            "port-lid mlx5_0/1 = 17",
            "port-sm-lid mlx5_0/1 = 3",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-link-layer mlx5_3/1 = Ethernet",
            "port-state mlx5_3/1 = Down",
            "port-physical-state mlx5_3/1 = Disabled",
            "port-netdev mlx5_3/1 = ens3np0",
            "port-link-layer mlx4_0/1 = InfiniBand",
            "port-lid mlx4_0/1 = 4",
            "port-sm-lid mlx4_0/1 = 3",
            "port-state mlx4_0/1 = Init",
            "port-physical-state mlx4_0/1 = LinkUp",
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-system-guid mlx5_0 = a088c20300aa0010",
            "rdma-rx-write-requests mlx5_3/1 = 7",
            "rdma-out-of-sequence mlx5_3/1 = 2",
            "rdma-np-cnp-sent mlx5_3/1 = 5",
        ]
    )


def test_columns_of_it() -> None:
    assert said("mlx5_0/1 ACTIVE LINK_UP\nmlx5_3/1 DOWN POLLING\nmlx5_4/1 ACTIVE SINCE\n") == snapshot(
        [
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-state mlx5_3/1 = Down",
            "port-physical-state mlx5_3/1 = Polling",
        ]
    )


def test_one_counter_on_a_line() -> None:
    assert said(hca_texts.RDMA_PRETTY) == snapshot(
        ["rdma-retransmissions rdmap7s0/1 = 22", "rdma-receive-drops rdmap7s0/1 = 23"]
    )


def test_a_counter_without_its_link_is_nobodys() -> None:
    text = "    retrans_pkts 22\nlink rdmap7s0/1\n" + "words\n" * 5 + "    rx_drops 23\n"
    assert said(text) == []


def test_a_line_that_is_cut_and_words_that_say_nothing() -> None:
    text = "link mlx5_0/1 state WHAT physical_state\nlink mlx5_0/1 state\n0: mlx5_0: node_type ca fw N/A node_guid\n"
    assert said(text) == []
