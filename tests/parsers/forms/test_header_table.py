"""Cells find their columns by where they stand, by bars, or one after another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.header_table import Columns, columns_of


def columns(header: str, *needed: str, to_the_right: bool = False) -> Columns:
    found = columns_of(header, needed, ("LAST SEEN",), to_the_right=to_the_right)
    assert found is not None
    return found


def test_cells_that_begin_where_their_names_begin() -> None:
    table = columns("LAST SEEN   TYPE      OBJECT       MESSAGE", "LAST SEEN", "TYPE")
    assert table.cells("2m ago      Warning                a node went away") == {
        "LAST SEEN": "2m ago",
        "TYPE": "Warning",
        "OBJECT": "",
        "MESSAGE": "a node went away",
    }


def test_cells_that_end_where_their_names_end() -> None:
    table = columns("JobID           JobName    Account             State", "JobID", "State", to_the_right=True)
    assert table.cells("4711.batch        batch             CANCELLED by 1000") == {
        "JobID": "4711.batch",
        "JobName": "batch",
        "Account": "",
        "State": "CANCELLED by 1000",
    }


def test_cells_between_bars() -> None:
    assert columns("JobID|Account|State|", "JobID").cells("4711||FAILED|") == {
        "JobID": "4711",
        "Account": "",
        "State": "FAILED",
    }


def test_where_the_places_are_lost_the_last_column_takes_the_rest() -> None:
    table = columns("NAME STATE REASON", "NAME")
    assert table.cells("gpu02 down Not responding") == {"NAME": "gpu02", "STATE": "down", "REASON": "Not responding"}
    assert table.cells("gpu02 down") == {}


def test_what_lacks_a_name_or_has_one_twice_is_no_heading() -> None:
    assert columns_of("NAME STATE", ("NAME", "REASON")) is None
    assert columns_of("NAME STATE NAME", ("NAME", "STATE")) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_row_of_any_heading_has_a_cell_for_each_name_or_none(heading: str, row: str) -> None:
    found = columns_of(heading, ())
    if found is not None:
        assert set(found.cells(row)) in (set(), set(found.names))
