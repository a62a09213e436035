"""mlxcables and mlxlink: cables, and ports that look for a peer; tables that are only known."""

from __future__ import annotations

from feeding import feed

from slowlink.parsers.fabric.mlxcables import MlxCables
from slowlink.parsers.fabric.mlxlink import MlxLink
from slowlink.parsers.fabric.smp_tables import SmpTables

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
TABLES = (
    "   0: 0xffff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000",
    "128 pkeys capacity for this port",
    "VL    : |0x0 |0x1 |0x2 |0x3 |",
    "Pong from node7.(none) (Lid 9): time 0.031 ms",
)


def test_cables() -> None:
    assert [(r.attribute, r.part.name, r.value) for r in feed(MlxCables, CABLES.splitlines())] == [
        ("link-cable-serial", "mt4129_pciconf0/1", "MT2299XX00001"),
        ("link-cable-part", "mt4129_pciconf0/1", "MCA4J80-N004"),
        ("link-cable-serial", "0000:1b:00.0/1", "MT2299XX00002"),
        ("link-temperature", "0000:1b:00.0/1", 44.0),
    ]


def test_fields_without_a_cable_are_not_read() -> None:
    assert feed(MlxCables, ["Serial number     : MT2299XX00001", "Temperature       : 90 C"]) == []


def test_tables_that_bear_on_no_rule_are_known() -> None:
    assert [SmpTables.wants(text) for text in TABLES] == [True] * len(TABLES)
    assert not SmpTables.wants("Pong from somebody")


def _mlxlink(recommendation: str) -> list[tuple[str, str, object]]:
    rows = ["mlxlink -d mlx5_9", "Operational Info", "State  : Polling", "Troubleshooting Info"]
    return [(r.attribute, r.part.name, r.value) for r in feed(MlxLink, [*rows, f"Recommendation  : {recommendation}"])]


def test_a_port_that_polls_is_down_unless_nothing_is_plugged_in() -> None:
    assert ("port-state", "mlx5_9/1", "Down") in _mlxlink("Negotiation failure")
    assert [entry[0] for entry in _mlxlink("Cable is unplugged")] == ["link-recommendation"]
