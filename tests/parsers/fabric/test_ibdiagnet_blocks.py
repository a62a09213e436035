"""ibdiagnet's files of blocks: counters, firmware, modules, subnet managers."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibdiagnet_blocks import IbdiagnetBlocks


def test_counters_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.PM) == snapshot(
        [
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "port-link-downed", 258),
            ("leafa/2", "port-symbol-errors", 65535),
            ("leafa/2", "port-xmit-wait", 4294967295),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 0),
            ("gpu01 mlx5_0/1", "port-xmit-data", 400),
        ]
    )


def test_firmware_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.NODES_INFO) == snapshot(
        [
            ("0x0c42a10300aa2000", "fabric-node-guid", "0x0c42a10300aa2000"),
            ("0x0c42a10300aa2000", "fabric-node-device", "0xd2f2"),
            ("0x0c42a10300aa2000", "fabric-node-psid", "MT_0000000579"),
            ("0x0c42a10300aa2000", "fabric-node-firmware", "31.2014.1204"),
            ("gpu01 mlx5_0", "fabric-node-firmware", "28.43.1014"),
        ]
    )


def test_subnet_managers_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.SM) == snapshot(
        [
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("", "sm-reachable", True),
            ("lid 21", "sm-state", "standby"),
            ("lid 21", "sm-priority", 3),
            ("", "sm-reachable", True),
        ]
    )


def test_modules_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.CABLES) == snapshot(
        [
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "link-cable-part", "MCP4Y10-N001"),
            ("leafa/2", "link-cable-serial", "MT0000VS00001"),
            ("leafa/2", "link-temperature", 45.0),
        ]
    )


def test_fields_without_their_heading_are_nobodys() -> None:
    text = "symbol_error_counter=0x0007\nPN: MCP4Y10-N001\nFWInfo_PSID=MT_0000000579\nPort=0 lid=0x0007 guid=0x1 dev=54002 priority:14\n"
    assert said(IbdiagnetBlocks, text) == []


def test_a_block_of_counters_that_is_cut_keeps_what_is_complete() -> None:
    assert said(IbdiagnetBlocks, texts.PM[: texts.PM.index("symbol_error_counter=") + 10]) == snapshot(
        [("leafa/2", "link-lid", 7), ("leafa/2", "link-guid", "0x0c42a10300aa1000"), ("leafa/2", "port-link-downed", 1)]
    )
