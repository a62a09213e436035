"""Lists of nodes: ibhosts, ibswitches and others."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.node_lists import NodeLists


def test_lists_of_nodes() -> None:
    assert said(NodeLists, texts.LISTS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("gpu02 mlx5_0", "fabric-node-type", "ca"),
            ("gpu02 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0200"),
            ("gpu02 mlx5_0", "fabric-node-ports", 1),
            ("gpu02 mlx5_0", "fabric-node-device", "0x1021"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("0x0c42a10300aa2000", "fabric-node-type", "switch"),
            ("0x0c42a10300aa2000", "fabric-node-guid", "0x0c42a10300aa2000"),
            ("0x0c42a10300aa2000", "fabric-node-ports", 65),
            ("0x0c42a10300aa2000", "fabric-node-lid", 9),
        ]
    )


def test_the_aggregation_node_of_a_switch_is_no_adapter() -> None:
    text = 'Ca\t: 0x0c42a10300aa1008 ports 1 "Mellanox Technologies Aggregation Node"\n'
    assert said(NodeLists, text)[0] == ("0x0c42a10300aa1008", "fabric-node-type", "aggregation")


def test_lines_that_are_cut_are_not_read() -> None:
    row = texts.LISTS.splitlines()[0]
    assert [said(NodeLists, row[:end]) for end in range(len(row))] == [[]] * len(row)
