"""Rows while they come, in whatever pieces."""

from __future__ import annotations

import pytest

from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, render
from slowlink.workflows.live import LiveRow, LiveTable, sizes
from slowlink.workflows.live_view import cells

RUN = Run(
    "all_reduce",
    (Node("gpu01", 4000, 8),),
    tuple(
        Step(1 << power, Measured(50.0 + power), Measured(60.0 + power, wrong=power == 22)) for power in (20, 21, 22)
    ),
)
TEXT = "\n".join(render(RUN, "2.17.9")) + "\n"


@pytest.mark.parametrize("piece", [1, 7, 100, 100_000])
def test_rows_are_given_once_whatever_the_pieces(piece: int) -> None:
    table = LiveTable()
    data = TEXT.encode()
    rows = [row for at in range(0, len(data), piece) for row in table.feed(data[at : at + piece])]
    assert [(row.size_bytes, row.time_us, row.wrong) for row in rows] == [
        (1 << 20, 70.0, 0),
        (1 << 21, 71.0, 0),
        (1 << 22, 72.0, 1),
    ]


def test_a_row_without_its_end_is_not_given_yet() -> None:
    before, row, _ = TEXT.partition("     2097152")
    table = LiveTable()
    assert [each.size_bytes for each in table.feed((before + row).encode())] == [1 << 20]


def test_other_text_gives_nothing() -> None:
    table = LiveTable()
    assert table.feed(b"\x00\xff hello\n" * 1000 + b"node01:1:1 [0] NCCL INFO Bootstrap\n") == []


def test_sizes_of_a_sweep() -> None:
    assert sizes(8, 64, 2) == (8, 16, 32, 64)
    assert sizes(1000, 5000, 4) == (1000, 4000)


@pytest.mark.parametrize(
    ("busbw", "shown"),
    [(0.0, "<0.01"), (0.004, "<0.01"), (0.02, "0.02"), (9.38, "9.38"), (388.4, "388.40"), (None, "")],
)
def test_a_small_bandwidth_is_not_nothing(busbw: float | None, shown: str) -> None:
    assert cells(LiveRow(1024, 14_302.0, busbw, busbw, 0))[2] == shown
