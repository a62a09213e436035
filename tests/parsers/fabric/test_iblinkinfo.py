"""iblinkinfo: every port and its link, by node or one line a link."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.fabric.iblinkinfo import IbLinkInfo
from slowlink.parsers.reading.read import read


def test_links_of_iblinkinfo() -> None:
    assert said(IbLinkInfo, texts.LINKS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-physical-state", "LinkUp"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-state", "Init"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 1),
            ("leafa/2", "link-speed", 25.78125),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("leafa/2", "link-width-max", 4),
            ("leafa/2", "link-speed-max", 106.25),
            ("leafa/3", "link-state", "Active"),
            ("leafa/3", "link-physical-state", "LinkUp"),
            ("leafa/3", "link-width", 4),
            ("leafa/3", "link-speed", 10.3125),
            ("leafa/3", "link-peer", "gpu03 mlx5_0/1"),
            ("leafa/4", "link-state", "Down"),
            ("leafa/4", "link-physical-state", "Polling"),
            ("leafa/5", "link-state", "Down"),
            ("leafa/5", "link-physical-state", "Disabled"),
        ]
    )


def test_line_mode_tells_switches_by_their_ports() -> None:
    found = said(IbLinkInfo, texts.LINE_MODE)
    assert [entry for entry in found if "node-type" in entry[1] or entry[1] in ("link-peer", "link-state")] == snapshot(
        [
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-state", "Down"),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("leafa", "fabric-node-type", "switch"),
        ]
    )


def test_links_of_an_older_iblinkinfo() -> None:
    assert said(IbLinkInfo, texts.OLD_LINKS) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 10.0),
            ("leafa/1", "link-peer", "gpu01 HCA-1/1"),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 4),
            ("leafa/2", "link-speed", 10.0),
            ("leafa/2", "link-peer", "gpu02 HCA-1/1"),
            ("leafa/2", "link-speed-max", 10.3125),
        ]
    )


def test_links_after_a_prefix_of_pdsh() -> None:
    row = '           4   18[  ] ==( 4X       53.125 Gbps Active/  LinkUp)==>      52    1[  ] "gpu18 HCA-1" ( )'
    text = "".join(f"head01: {one}\n" for one in ("Switch: 0x00000000000000a1 leafq:", row, row))
    readings = read([Input("a.txt", None, [text.encode()])], workers=1).readings
    assert {(r.host, r.value) for r in readings if r.attribute == "link-speed"} == {("head01", 53.125)}


def test_links_whose_heading_is_cut_off_are_nobodys() -> None:
    assert said(IbLinkInfo, "\n".join(texts.LINKS.splitlines()[3:])) == []


def test_a_line_that_is_cut_within_the_far_end_has_none() -> None:
    heading, row = texts.LINKS.splitlines()[2:4]
    assert said(IbLinkInfo, f"{heading}\n{row[: row.index('gpu01')]}") == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
        ]
    )
