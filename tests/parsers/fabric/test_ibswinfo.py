"""ibswinfo: versions, power supplies, fans and temperatures of unmanaged switches."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibswinfo import IbSwInfo


def test_parts_of_a_switch() -> None:
    assert said(IbSwInfo, texts.SWITCH) == snapshot(
        [
            ("0x0c42a10300aa3000", "fabric-node-part-number", "MQM8790-HS2F"),
            ("0x0c42a10300aa3000", "fabric-node-serial", "MT0000X00001"),
            ("0x0c42a10300aa3000", "fabric-node-model", "Jaguar Unmng IB 200"),
            ("0x0c42a10300aa3000", "fabric-node-ports", 80),
            ("0x0c42a10300aa3000", "fabric-node-psid", "MT_0000000063"),
            ("0x0c42a10300aa3000", "fabric-node-guid", "0x0c42a10300aa3000"),
            ("0x0c42a10300aa3000", "fabric-node-type", "switch"),
            ("0x0c42a10300aa3000", "fabric-node-firmware", "27.2010.3118"),
            ("0x0c42a10300aa3000", "fabric-node-uptime", 176405),
            ("0x0c42a10300aa3000/PSU0", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/PSU0 DC power", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/PSU0 fan", "switch-part-status", "ERROR"),
            ("0x0c42a10300aa3000", "switch-temperature", 41.0),
            ("0x0c42a10300aa3000", "switch-temperature-max", 50.0),
            ("0x0c42a10300aa3000/fan", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/fan#1", "switch-fan-speed", 5600.0),
        ]
    )


def test_two_switches_of_which_one_lacks_a_power_supply() -> None:
    row = "part number        | {}\nGUID               | {}\nPSU0 status        | {}\nPSU1 status        | {}\n"
    first, second = "0x0c42a10300aa3000", "0x0c42a10300aa3001"
    assert said(
        IbSwInfo, row.format("MQM8790-HS2F", first, "OK", "OK") + row.format("X", second, "", "ERROR")
    ) == snapshot(
        [
            ("0x0c42a10300aa3000", "fabric-node-part-number", "MQM8790-HS2F"),
            ("0x0c42a10300aa3000", "fabric-node-guid", "0x0c42a10300aa3000"),
            ("0x0c42a10300aa3000", "fabric-node-type", "switch"),
            ("0x0c42a10300aa3000/PSU0", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/PSU1", "switch-part-status", "OK"),
            ("0x0c42a10300aa3001", "fabric-node-part-number", "X"),
            ("0x0c42a10300aa3001", "fabric-node-guid", "0x0c42a10300aa3001"),
            ("0x0c42a10300aa3001", "fabric-node-type", "switch"),
            ("0x0c42a10300aa3001/PSU1", "switch-part-status", "ERROR"),
        ]
    )


def test_every_row_is_known_of_versions_that_show_thresholds_and_modules() -> None:
    rows = (
        "warn threshold (C) | 105/115 (low/high)",
        "QSFP#01 (C)        | 44",
        "CPLD               | CPLD000123",
        "revision           | A2",
    )
    assert [row for row in rows if not IbSwInfo.wants(row)] == []
    assert said(IbSwInfo, "\n".join(rows)) == []


def test_a_switch_whose_name_is_cut_off() -> None:
    cut = texts.SWITCH[: texts.SWITCH.index("GUID")]
    assert {part for part, _, _ in said(IbSwInfo, cut)} == {"this switch"}


def test_an_uptime_that_is_damaged_is_none() -> None:
    text = texts.SWITCH.replace("2d-01:00:05", "2d-01:00")
    assert [entry for entry in said(IbSwInfo, text) if "uptime" in entry[1]] == []
