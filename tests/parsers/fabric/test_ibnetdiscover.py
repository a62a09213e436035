"""ibnetdiscover's topology."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibnetdiscover import IbNetDiscover


def test_topology_of_ibnetdiscover() -> None:
    assert said(IbNetDiscover, texts.TOPOLOGY) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("leafa", "fabric-node-device", "0xd2f2"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("leafa/2", "link-width", 2),
            ("leafa/2", "link-speed", 106.25),
            ("leafa/33", "link-peer", "0x0c42a10300aa2000/3"),
            ("leafa/33", "link-width", 4),
            ("leafa/33", "link-speed", 106.25),
            ("leafa/65", "link-peer", "0x0c42a10300aa1008/1"),
            ("leafa/65", "link-width", 4),
            ("leafa/65", "link-speed", 106.25),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("gpu01 mlx5_0", "fabric-node-device", "0x1021"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
        ]
    )


def test_links_whose_node_is_cut_off_are_nobodys() -> None:
    rows = texts.TOPOLOGY.splitlines()
    assert said(IbNetDiscover, "\n".join(rows[10:14])) == []


def test_a_link_that_is_cut_is_not_read() -> None:
    cut = texts.TOPOLOGY[: texts.TOPOLOGY.index('"gpu01 mlx5_0" lid') + 6]
    assert [entry for entry in said(IbNetDiscover, cut) if entry[1].startswith("link")] == []


def test_links_of_a_node_whose_own_line_is_lost_are_not_of_the_node_before() -> None:
    rows = texts.TOPOLOGY.splitlines()
    link = rows[-1]
    assert said(IbNetDiscover, "\n".join([*rows[:11], "vendid=0x2c9", "devid=0x1021", link])) == said(
        IbNetDiscover, "\n".join(rows[:11])
    )
