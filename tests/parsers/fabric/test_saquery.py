"""saquery: records of nodes, ports and subnet managers."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.saquery import SaQuery


def test_records_of_saquery() -> None:
    assert said(SaQuery, texts.SA_RECORDS) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("", "sm-reachable", True),
            ("lid 1", "sm-state", "standby"),
            ("lid 1", "sm-priority", 3),
        ]
    )


def test_a_port_and_an_adapter() -> None:
    text = (
        "PortInfoRecord dump:\n\t\tLid.....................0x15\n\t\tPortNum.................1\n"
        "\t\tstate...................Active\n\t\tlink_width_active.......4X\n"
        "NodeRecord dump:\n\t\tlid.....................0x15\n\t\tnode_type...............Channel Adapter\n"
        "\t\tport_num................1\n\t\tNodeDescription.........gpu01 mlx5_0\n"
    )
    assert said(SaQuery, text) == snapshot(
        [
            ("lid 21/1", "link-state", "Active"),
            ("lid 21/1", "link-width", 4),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
        ]
    )


def test_a_record_that_is_cut_before_its_name_says_nothing() -> None:
    assert said(SaQuery, texts.SA_RECORDS[: texts.SA_RECORDS.index("NodeDescription")]) == []


def test_fields_without_a_record_and_other_records_say_nothing() -> None:
    assert said(SaQuery, "\t\tlid.....................0x7\nPathRecord dump:\n\t\tdlid....................0x7\n") == []
