"""Series as people and tables get them."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from history_records import DAY_S, KEY, START
from slowlink.model.history import Change, SeriesValue, ShownSeries, Step, TiedChange
from slowlink.report.history.plot import plot
from slowlink.report.history.series import series_csv, series_json, series_text

VALUES = [380.0, 382, 379, 381, 380, 360, 361, 359, 362, 360]
CHANGE = Change(5, 380.0, 360.0, 0.947, 0.94, 0.955, 0.0005)
STEP = Step(5, 6, START, ("gpu[01-02]: GPU driver: 570.1 -> 580.9", "\x1b[31mnode"))
SHOWN = ShownSeries(
    KEY,
    "plateau_busbw_gbs",
    "GB/s",
    None,
    tuple(SeriesValue(number + 1, START + number * DAY_S, value, "gpu[01-04]") for number, value in enumerate(VALUES)),
    (TiedChange(CHANGE, 6, START + 5 * DAY_S, "worse", (STEP,)),),
    10,
    enough=True,
)


def test_a_change_in_words() -> None:
    assert series_text([SHOWN], 3, width=60, plain=True) == snapshot("""\
all_reduce on 32 ranks, gpu[01-04], hgx_h100, float sum, up to 8 GiB, nccl-tests
busbw of the largest sizes, GB/s; 10 runs, 2023-11-14 22:13 to 2023-11-23 22:13 UTC

382 ** **
      *




            *
359      *** *
         ^

worse from run 6 on, 2023-11-19 22:13: -5.3% (-6.0% to -4.5%): 380 -> 360 GB/s, chance 0.0005
  between run 5 and run 6:
    gpu[01-02]: GPU driver: 570.1 -> 580.9
    \\x1b[31mnode

2 other series: --collective, --nodes, --system or --ranks choose
""")


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (replace(SHOWN, enough=False, changes=()), "too few runs to tell a change: 8 are needed"),
        (replace(SHOWN, changes=()), "no change of level found; of unchanged series 1% are called changed"),
        (replace(SHOWN, changes=(), searched=8), "no change of level found (of the newest 8); of unchanged"),
        (
            replace(SHOWN, changes=(replace(SHOWN.changes[0], steps=()),)),
            "nothing else that was kept changed beside it",
        ),
    ],
)
def test_what_is_not_known_is_said(shown: ShownSeries, words: str) -> None:
    assert words in series_text([shown], 1, width=60)


def test_a_table_has_a_row_for_each_value_and_its_level() -> None:
    rows = list(csv.DictReader(series_csv([SHOWN]).splitlines()))
    assert [row["level"] for row in rows] == ["1"] * 5 + ["2"] * 5
    assert rows[0]["value"] == "380.0"
    assert "\\u001b" not in series_json([SHOWN], 1)


@given(st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=300), st.integers(20, 120), st.integers(2, 20))
def test_a_plot_keeps_to_its_place(values: list[float], width: int, height: int) -> None:
    lines = plot(values, [len(values) - 1], width=width, height=height)
    assert len(lines) == height + 1
    assert max(map(len, lines)) <= max(width, 24)
    assert lines[-1].endswith("^")
