"""cxi_stat of Slingshot."""

from __future__ import annotations

import hca_texts
from hca_reading import said, unread
from inline_snapshot import snapshot


def test_slingshot() -> None:
    assert said(hca_texts.CXI_STAT) == snapshot(
        [
            "hca-name cxi1 = SS11 200Gb 2P NIC Mezz",
            "hca-board cxi1 = P00000-007",
            "hca-firmware cxi1 = 1.5.7",
            "port-netdev cxi1/1 = hsn1",
            "hca-bus-id cxi1 = 0000:a1:00.0",
            "port-rate cxi1/1 = 200.0",
            "port-state cxi1/1 = Down",
        ]
    )


def test_a_link_that_is_up_and_values_that_say_nothing() -> None:
    text = (
        "Device: cxi0\n    Description: N/A\n    FW Version: unknown\n    PCIE slot: none\n"
        "        Link speed: unknown\n        Link state: up\n"
    )
    assert said(text) == snapshot(["port-state cxi0/1 = Active", "port-physical-state cxi0/1 = LinkUp"])
    assert unread(text) == []


def test_a_link_that_starts_is_not_down() -> None:
    assert said("Device: cxi0\n        Link speed: BJ_100G\n        Link state: starting\n") == snapshot(
        ["port-rate cxi0/1 = 100.0", "port-state cxi0/1 = Init"]
    )


def test_a_link_without_its_device_is_nobodys() -> None:
    text = hca_texts.CXI_STAT.replace("Device: cxi1\n", "")
    assert said(text) == []


def test_output_of_two_devices_that_is_cut_within_the_second() -> None:
    text = "Device: cxi0\n        Link state: up\nDevice: cxi1\n    FW Version: 1.5.7\n        Link st"
    assert said(text) == snapshot(
        ["port-state cxi0/1 = Active", "port-physical-state cxi0/1 = LinkUp", "hca-firmware cxi1 = 1.5.7"]
    )


def test_the_newer_spelling_of_a_speed() -> None:
    assert said("Device: cxi0\n        Link speed: bs200G\n        Link state: up\n") == snapshot(
        ["port-rate cxi0/1 = 200.0", "port-state cxi0/1 = Active", "port-physical-state cxi0/1 = LinkUp"]
    )
