"""Tables of infiniband-diags that are only known."""

from __future__ import annotations

from feeding import feed

from slowlink.model.source import Line
from slowlink.parsers.fabric.smp_tables import SmpTables
from slowlink.parsers.forms.interface import Use

TABLES = (
    "   0: 0xffff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000",
    "128 pkeys capacity for this port",
    "VL    : |0x0 |0x1 |0x2 |0x3 |",
    "Pong from node7.(none) (Lid 9): time 0.031 ms",
)


def test_tables_that_bear_on_no_rule_are_known() -> None:
    assert [SmpTables.wants(text) for text in TABLES] == [True] * len(TABLES)
    assert not SmpTables.wants("Pong from somebody")


def test_nothing_is_read_from_them_and_other_lines_are_left_alone() -> None:
    assert feed(SmpTables, TABLES) == []
    assert SmpTables().feed(Line("t", 1, "  7: 0xffff words")) is Use.NOT_MINE


def test_a_row_that_is_cut_within_a_number_is_nobodys() -> None:
    assert not SmpTables.wants("VL    : |0x0 |0x1 |0x")
    assert not SmpTables.wants("rtt min/avg/max = 0.025/0.0")
