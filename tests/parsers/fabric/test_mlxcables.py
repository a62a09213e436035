"""mlxcables: modules and cables, one block a cable."""

from __future__ import annotations

from fabric_reading import said
from feeding import feed
from inline_snapshot import snapshot

from slowlink.parsers.fabric.mlxcables import MlxCables

CABLES = """\
Querying Cables ....

Cable #1:
---------
Cable name    : mt4129_pciconf0_cable_0
>> No FW data to show
-------- Cable EEPROM --------
Identifier        : OSFP (19h)
Serial number     : MT2299XX00001
Part number       : MCA4J80-N004
Temperature       : N/A

Cable #2:
---------
Cable name    : 0000:1b:00.0_cable_0
-------- Cable EEPROM --------
Serial number     : MT2299XX00002
Temperature       : 44 C
"""


def test_cables() -> None:
    assert [(r.attribute, r.part.name, r.value) for r in feed(MlxCables, CABLES.splitlines())] == [
        ("link-cable-serial", "mt4129_pciconf0/1", "MT2299XX00001"),
        ("link-cable-part", "mt4129_pciconf0/1", "MCA4J80-N004"),
        ("link-cable-serial", "0000:1b:00.0/1", "MT2299XX00002"),
        ("link-temperature", "0000:1b:00.0/1", 44.0),
    ]


def test_fields_without_a_cable_are_not_read() -> None:
    assert feed(MlxCables, ["Serial number     : MT2299XX00001", "Temperature       : 90 C"]) == []


def test_output_that_is_cut_within_a_field() -> None:
    assert said(MlxCables, CABLES[: CABLES.index("MCA4J80") - 4]) == snapshot(
        [("mt4129_pciconf0/1", "link-cable-serial", "MT2299XX00001")]
    )
