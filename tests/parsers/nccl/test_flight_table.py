"""Tables of calls never break the reader."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.nccl.flight_analysis import FlightAnalysis
from slowlink.parsers.nccl.flight_table import FlightTable

LINES = st.sampled_from(
    [
        "Rank 0    Rank 1",
        "--------  --------",
        "all_reduce(input_sizes=[[1]], state=started)",
        "  all_reduce(input_sizes=[[1]], completed)",
        "Collective sequence number: 4 has errors",
        "error msg: Culprit rank 1; Error type: SIZE_OR_SYNTAX_MISMATCH",
        "",
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=30))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    headings = sum(line.count("Rank") for line in lines)
    assert len(feed(FlightTable, lines)) <= headings
    assert all(
        event.kind == "flight-calls-differ" for event in feed(FlightAnalysis, lines) if "culprits" in event.groups
    )


def test_a_row_without_a_table_is_nobodys() -> None:
    assert feed(FlightTable, ["all_reduce(input_sizes=[[1]], state=started)"]) == []
