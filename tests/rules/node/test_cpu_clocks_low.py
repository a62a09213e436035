"""Processors that run below their base clock."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "cpu-clocks-low"
HEADING = "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tCoreThr\tPkgWatt\tPKG_%\n"
SUMS = "-\t-\t800\t{}\t{}\t2100\t{}\t350.12\t{}\n"
ONE = "4\t{}\t790\t99.10\t800\t2100\n"


def test_busy_processors_far_below_their_clock() -> None:
    assert said(RULE, HEADING + SUMS.format(99.5, 800, 0, "55.12") + ONE.format(4)) == snapshot(
        [("cpu-clocks-low", "error", "likely", "the busy CPUs run at 0.80 GHz, and are made for 2.10 GHz")]
    )


def test_two_busy_cores_of_an_idle_node() -> None:
    text = HEADING + SUMS.format(2.5, 900, 0, "0.00") + ONE.format(4) + ONE.format(5)
    assert said(RULE, text) == snapshot(
        [("cpu-clocks-low", "error", "likely", "2 busy CPUs run at 0.80 GHz, and are made for 2.10 GHz")]
    )


def test_heat_and_power_at_full_clock_are_only_possible() -> None:
    assert said(RULE, HEADING + SUMS.format(99.5, 2100, 3, "55.12")) == snapshot(
        [
            ("cpu-clocks-low", "warning", "possible", "the power limit holds the processors down for 55 % of the time"),
            (
                "node-too-hot",
                "warning",
                "possible",
                "heat slowed cores down 3 times in the interval, or since the node started",
            ),
        ]
    )


def test_a_processor_at_its_clock_and_an_idle_one_raise_nothing() -> None:
    assert findings_of(RULE, HEADING + SUMS.format(99.5, 2900, 0, "0.00")) == ()
    assert findings_of(RULE, HEADING + SUMS.format(3.5, 800, 0, "0.00")) == ()
