"""ibdiagnet's files with one line a link."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibdiagnet_links import IbdiagnetLinks


def test_links_of_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.NET_DUMP) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-mtu", 4096),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-fec", "RS_FEC_544_514"),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-mtu", 2048),
            ("leafa/2", "link-width", 2),
            ("leafa/2", "link-speed", 53.125),
            ("leafa/3", "link-state", "Down"),
            ("leafa/3", "link-physical-state", "Polling"),
            ("leafb", "fabric-node-type", "switch"),
            ("leafb", "fabric-node-guid", "0x0c42a10300aa4000"),
            ("leafb", "fabric-node-lid", 9),
            ("leafb/3", "link-state", "Active"),
            ("leafb/3", "link-physical-state", "LinkUp"),
            ("leafb/3", "link-mtu", 2048),
            ("leafb/3", "link-width", 2),
            ("leafb/3", "link-speed", 53.125),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-peer", "leafb/3"),
            ("leafb/3", "link-peer", "leafa/2"),
        ]
    )


def test_links_of_an_older_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.OLD_NET_DUMP) == snapshot(
        [
            ("leafc", "fabric-node-type", "switch"),
            ("leafc", "fabric-node-guid", "0x0c42a10300aa5000"),
            ("leafc", "fabric-node-lid", 4),
            ("leafc/1", "link-state", "Active"),
            ("leafc/1", "link-physical-state", "LinkUp"),
            ("leafc/1", "link-mtu", 4096),
            ("leafc/1", "link-width", 4),
            ("leafc/1", "link-speed", 14.0625),
            ("leafc/2", "link-state", "Down"),
            ("leafc/2", "link-physical-state", "Polling"),
            ("leafc/1", "link-peer", "gpu01 HCA-1/1"),
        ]
    )


def test_list_of_links_of_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.LST) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/11", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/11", "link-width", 4),
            ("leafa/11", "link-state", "Active"),
            ("leafa/11", "link-speed", 106.25),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/11"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
        ]
    )


def test_rows_without_their_switch_are_nobodys() -> None:
    assert said(IbdiagnetLinks, "\n".join(texts.NET_DUMP.splitlines()[5:8])) == []


def test_a_far_port_whose_switch_is_cut_off_is_not_known() -> None:
    cut = texts.NET_DUMP[: texts.NET_DUMP.index('"MF0;leafb:MQM9700/U1", Mellanox')]
    assert [entry for entry in said(IbdiagnetLinks, cut) if entry[1] == "link-peer"] == snapshot(
        [("leafa/1", "link-peer", "gpu01 mlx5_0/1"), ("leafa/2", "link-peer", "leafb/?")]
    )


def test_a_line_of_the_list_that_is_cut_is_not_read() -> None:
    assert said(IbdiagnetLinks, texts.LST[: texts.LST.index("LID:0015")]) == []
