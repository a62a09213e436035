"""opainfo of Omni-Path."""

from __future__ import annotations

import hca_texts
from hca_reading import said, unread
from inline_snapshot import snapshot


def test_omni_path() -> None:
    assert said(hca_texts.OPAINFO) == snapshot(
        [
            "port-state hfi1_1/1 = Active",
            "port-width hfi1_1/1 = 4",
            "port-rate hfi1_1/1 = 100.0",
            "port-width hfi1_1/1 = 2",
            "port-rate hfi1_1/1 = 50.0",
            "port-lid hfi1_1/1 = 11",
            "port-sm-lid hfi1_1/1 = 2",
            "port-xmit-packets hfi1_1/1 = 18",
            "port-rcv-packets hfi1_1/1 = 20",
        ]
    )


def test_a_port_that_is_offline_has_no_rate() -> None:
    text = (
        "hfi1_0:2                           PortGUID:00117501010a0b0d\n   PortState:     Down (LinkDownReason: None)\n"
        "   LinkSpeed      Act: 25Gb         En: 25Gb\n   LinkWidth      Act: 0            En: 4\n"
    )
    assert said(text) == snapshot(["port-state hfi1_0/2 = Down"])
    assert unread(text) == []


def test_lanes_without_a_speed_give_no_rate() -> None:
    text = "hfi1_0:1     PortGID:0xfe80000000000000:00117501010a0b0c\n   LinkWidth      Act: 4            En: 4\n"
    assert said(text) == ["port-width hfi1_0/1 = 4"]


def test_a_port_without_its_first_line_is_nobodys() -> None:
    assert said("\n".join(hca_texts.OPAINFO.splitlines()[2:])) == []
