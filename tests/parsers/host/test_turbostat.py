"""turbostat: clocks of busy processors, and what holds them down."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

TEXT = """\
Package\tCore\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\tCoreTmp\tCoreThr\tPkgTmp\tPkgWatt\tPKG_%
-\t-\t-\t796\t99.52\t800\t2100\t12331\t88\t412\t96\t350.12\t55.12
0\t0\t0\t798\t99.81\t801\t2100\t333\t88\t412\t96\t175.02\t55.10
0\t0\t56\t12\t1.50\t800\t2100\t333
"""
SUMMARY = "Avg_MHz Busy%   Bzy_MHz TSC_MHz PkgWatt\n1796    51.52   3486    2100    250.12\n"
"""What ``--Summary`` prints."""


def test_sums_and_busy_processors() -> None:
    assert said(TEXT) == snapshot(
        [
            "cpu-busy-share all = 99.52",
            "cpu-busy-frequency all = 800.0",
            "cpu-base-frequency all = 2100.0",
            "cpu-heat-events all = 412.0",
            "cpu-power-limited all = 55.12",
            "cpu-package-power all = 350.12",
            "cpu-busy-share 0 = 99.81",
            "cpu-busy-frequency 0 = 801.0",
        ]
    )
    assert unread(TEXT) == []


def test_a_summary_without_places() -> None:
    assert said(SUMMARY) == snapshot(
        [
            "cpu-busy-share all = 51.52",
            "cpu-busy-frequency all = 3486.0",
            "cpu-base-frequency all = 2100.0",
            "cpu-package-power all = 250.12",
        ]
    )
    assert unread(SUMMARY) == []


def test_rows_without_a_heading_are_nobodys() -> None:
    assert said(TEXT.partition("\n")[2]) == []


@given(st.integers(1, len(TEXT.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT, lines, letters) == set()
