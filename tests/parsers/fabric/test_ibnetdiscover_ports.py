"""ibnetdiscover -p: one line a port."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibnetdiscover_ports import IbNetDiscoverPorts


def test_ports_report_of_ibnetdiscover() -> None:
    assert said(IbNetDiscoverPorts, texts.PORTS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-connected", True),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-connected", True),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/5", "link-connected", False),
        ]
    )


def test_a_peer_of_an_unknown_type() -> None:
    text = "SW     7  1 0x0c42a10300aa1000 4x NDR - ??    21  1 0x0c42a10300aa0100 ( 'leafa' - 'gpu01 mlx5_0' )"
    assert said(IbNetDiscoverPorts, text)[-3:] == snapshot(
        [("leafa/1", "link-peer", "gpu01 mlx5_0/1"), ("leafa/1", "link-width", 4), ("leafa/1", "link-speed", 106.25)]
    )


def test_lines_that_are_cut_are_not_read() -> None:
    row = texts.PORTS.splitlines()[0]
    assert [said(IbNetDiscoverPorts, row[:end]) for end in range(len(row))] == [[]] * len(row)
