"""sminfo, and subnet managers in opensm.log."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.opensm import OpenSm


def test_subnet_managers() -> None:
    assert said(OpenSm, texts.MANAGER) == snapshot(
        [
            ("", "sm-reachable", True),
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("", "sm-reachable", False),
            ("", "sm-version", "5.17.2"),
            ("this subnet manager", "sm-state", "standby"),
            ("", "fabric-cas", 3),
            ("", "fabric-switches", 2),
            ("", "sm-routing", "updn"),
            ("", "sm-subnet-up", True),
        ]
    )


def test_a_manager_that_ends() -> None:
    text = "[1A2B3C40] 0x80 -> Entering MASTER state\n[1A2B3C40] 0x01 -> SM port is down\n"
    assert said(OpenSm, text) == snapshot(
        [
            ("this subnet manager", "sm-state", "master"),
            ("", "sm-subnet-up", False),
            ("this subnet manager", "sm-state", "not active"),
        ]
    )


def test_a_line_that_is_cut_before_its_state_is_not_read() -> None:
    row = texts.MANAGER.splitlines()[0]
    ends = range(row.index("SMINFO_") + len("SMINFO_"))
    assert [said(OpenSm, row[:end]) for end in ends] == [[]] * len(ends)


def test_a_state_that_is_cut_is_no_state() -> None:
    assert said(OpenSm, texts.MANAGER.splitlines()[0][:-2]) == snapshot(
        [("", "sm-reachable", True), ("lid 7", "sm-priority", 14), ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000")]
    )
