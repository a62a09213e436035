"""show_counters and cma_roce_tos: counters whose device is in the command above."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_show_counters() -> None:
    assert said(hca_texts.COUNTERS) == snapshot(
        ["rdma-out-of-sequence mlx5_0/1 = 4", "port-xmit-data mlx5_0/1 = 32", "port-roce-tos mlx5_3/1 = 106"]
    )


def test_counters_under_a_command_on_their_files() -> None:
    text = (
        "$ cd /sys/class/infiniband/mlx5_2/ports/1/counters && grep . link_downed port_rcv_data\n"
        "link_downed:7\nport_rcv_data:8\n"
    )
    assert said(text) == snapshot(["port-link-downed mlx5_2/1 = 7", "port-rcv-data mlx5_2/1 = 32"])


def test_counters_of_two_ports_below_one_command() -> None:
    text = (
        "# show_counters mlx5_2\n\tPort 1 data counters:\n\tport_rcv_data: 5\n"
        "\tPort 2 data counters:\n\tport_rcv_data: 6\n"
    )
    assert said(text) == snapshot(["port-rcv-data mlx5_2/1 = 20", "port-rcv-data mlx5_2/2 = 24"])


def test_counters_without_a_command_are_nobodys() -> None:
    assert said("\tPort 1 hw counters:\n\tout_of_sequence: 4\n") == []


def test_a_traffic_class_is_the_very_next_line() -> None:
    assert said("# cma_roce_tos -p 2 -d mlx5_3\nwords\n106\n") == []


def test_counters_that_are_cut_are_not_read() -> None:
    assert said("# show_counters mlx5_0 1\n\tport_rcv_data:\n\tport_rcv_da") == []
