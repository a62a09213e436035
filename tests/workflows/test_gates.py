"""Gates: what was not measured never passes, and no lucky row does."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace
from run_samples import MIB, launch, point, report, sweep

from slowlink import exits
from slowlink.catalog.given import given_hardware
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.expect.plateau import plateau_busbw
from slowlink.model.report import Expectation, Report
from slowlink.workflows.gates import Judged, Wanted, joined, judge
from slowlink.workflows.log_gates import judge_log


def status_of(judged: Judged) -> int:
    """The exit code that the gates alone give."""
    return exits.decide("healthy", gates=judged.statuses)


WANTED = Wanted("all_reduce", 8, 8 * MIB, min_busbw_gbs=95)


def test_plateau_is_the_median_of_the_largest_sizes_not_the_average_or_the_best_row() -> None:
    assert plateau_busbw(sweep("run-1", 10, 90, 100, 102)) == 100
    assert plateau_busbw(sweep("run-1", 500, 90, 100, 102)) == 100
    assert plateau_busbw(replace(sweep(), points=())) is None
    doubtful = point(8 * MIB, 999, doubt="torn")
    assert plateau_busbw(replace(sweep(), points=(point(4 * MIB, 50), doubtful))) == 50


def test_all_well_passes() -> None:
    judged = judge(report(sweep()), [launch()], 1, WANTED)
    assert status_of(judged) == exits.HEALTHY
    assert exits.decide("inconclusive", gates=judged.statuses, thresholds=judged.has_thresholds) == exits.HEALTHY
    assert judged.lines() == [
        "passed: measurement: 1 launch complete, all ranks took part, nothing wrong in the results",
        "passed: busbw >= 95 GB/s: plateau 100 GB/s",
    ]


def test_below_the_threshold_is_a_finding() -> None:
    judged = judge(report(sweep()), [launch()], 1, replace(WANTED, min_busbw_gbs=101))
    assert status_of(judged) == exits.FINDINGS
    assert judged.lines()[1] == "FAILED: busbw >= 101 GB/s: plateau 100 GB/s"


@pytest.mark.parametrize(
    ("changed", "ended", "status", "words"),
    [
        ({"points": ()}, {}, exits.INCONCLUSIVE, "run-1: no row was printed"),
        ({"nranks": 1}, {}, exits.INCONCLUSIVE, "run-1: 1 ranks took part, not 8"),
        ({"nranks": None}, {}, exits.INCONCLUSIVE, "run-1: an unknown number of ranks took part, not 8"),
        ({"complete": False}, {}, exits.INCONCLUSIVE, "run-1: the table is not complete"),
        ({"collective": "broadcast"}, {}, exits.INCONCLUSIVE, "run-1: it measured broadcast, not all_reduce"),
        ({}, {"status": 1}, exits.INCONCLUSIVE, "run-1: exit status 1"),
        ({}, {"status": None, "signal": 9}, exits.INCONCLUSIVE, "run-1: it was ended by signal 9"),
        (
            {},
            {"status": None, "reason": "silent", "detail": "no answer from n2"},
            exits.INCONCLUSIVE,
            "run-1: ended by the watchdog: no answer from n2",
        ),
        ({"points": (point(8 * MIB, 100, wrong=3),)}, {}, exits.FINDINGS, "run-1: results are wrong"),
        ({"points": (point(4 * MIB, 100),)}, {}, exits.INCONCLUSIVE, "run-1: the table is not complete"),
    ],
)
def test_what_was_not_measured_never_passes(
    changed: dict[str, object], ended: dict[str, object], status: int, words: str
) -> None:
    shown = report(replace(sweep(), **changed))
    for wanted in (WANTED, replace(WANTED, min_busbw_gbs=None), replace(WANTED, baseline=report(sweep()))):
        judged = judge(shown, [launch("run-1", ended)], 1, wanted)
        assert status_of(judged) == status
        assert exits.decide("inconclusive", gates=judged.statuses, thresholds=judged.has_thresholds) != exits.HEALTHY
        assert judged.gates[0].message == words


def test_a_sweep_of_another_launch_does_not_count() -> None:
    judged = judge(report(sweep("run-10")), [launch("run-1")], 1, WANTED)
    assert judged.gates[0].message == "run-1: no row was printed"


def test_launches_that_did_not_take_place() -> None:
    judged = judge(report(sweep()), [launch()], 3, WANTED)
    assert status_of(judged) == exits.INCONCLUSIVE
    assert judged.gates[0].message == "1 of 3 launches took place"


def test_repeated_launches_are_judged_by_their_median_and_show_their_spread() -> None:
    names = ("run-1", "run-2", "run-3")
    shown = report(*(sweep(name, value) for name, value in zip(names, (90.0, 120.0, 92.0), strict=True)))
    judged = judge(shown, [launch(name) for name in names], 3, replace(WANTED, max_bytes=MIB))
    assert status_of(judged) == exits.FINDINGS
    assert judged.lines()[0] == "3 launches: plateau 92 GB/s (median), 90 to 120, CV 16.7%"
    assert judged.lines()[-1] == "FAILED: busbw >= 95 GB/s: plateau 92 (median of 3) GB/s"


@pytest.mark.parametrize(
    ("old", "status"),
    [((10, 90, 100, 102), exits.HEALTHY), ((10, 90, 104, 105), exits.HEALTHY), ((10, 90, 110, 112), exits.FINDINGS)],
)
def test_baseline_with_tolerance(old: tuple[float, ...], status: int) -> None:
    wanted = Wanted("all_reduce", 8, 8 * MIB, baseline=report(sweep("old", *old)), tolerance=0.05)
    assert status_of(judge(report(sweep()), [launch()], 1, wanted)) == status


@pytest.mark.parametrize("other", [{"nranks": 16}, {"datatype": "half"}, {"nnodes": 2}, {"complete": False}])
def test_baseline_of_another_question_is_no_baseline(other: dict[str, object]) -> None:
    old = replace(sweep(), **other)
    judged = judge(report(sweep()), [launch()], 1, Wanted("all_reduce", 8, 8 * MIB, baseline=report(old)))
    assert status_of(judged) == exits.INCONCLUSIVE
    assert "the baseline has no all_reduce with 8 ranks" in judged.lines()[-1]


def test_threshold_that_no_healthy_system_reaches_is_said() -> None:
    hardware = given_hardware(system="hgx_h100")
    assert hardware is not None
    prediction = predict(Case("all_reduce", 16, 2, hardware))
    assert isinstance(prediction, Prediction)
    wanted = replace(WANTED, min_busbw_gbs=9000, prediction=prediction)
    judged = judge(report(sweep()), [launch()], 1, wanted)
    assert status_of(judged) == exits.FINDINGS
    assert "9000 GB/s cannot be reached" in judged.lines()[-1]


def test_gates_stand_in_the_report_and_an_interrupt_comes_first() -> None:
    judged = judge(report(sweep()), [launch("run-1", {"status": None, "reason": "interrupted"})], 1, WANTED)
    assert judged.interrupted
    assert judged.told(report(sweep())).facts["gates"] == [
        {"name": "measurement", "status": 3, "message": "run-1: interrupted", "threshold": False},
        {
            "name": "busbw >= 95 GB/s",
            "status": 3,
            "message": "plateau 100 GB/s, but the measurement does not count",
            "threshold": True,
        },
    ]


def test_what_could_not_be_kept_passes_no_gate() -> None:
    judged = judge(report(sweep()), [launch()], 1, WANTED).without_evidence("no space left for b/stdout")
    assert status_of(judged) == exits.INCONCLUSIVE
    assert judged.lines()[0] == (
        "NOT MEASURED: measurement: not all that was measured could be kept: no space left for b/stdout"
    )


def known(*bounds: float, **more: object) -> Report:
    """A sweep of each bound, with the plateau 100, in a log that tells the hardware."""
    sweeps = [replace(sweep("run-1"), line=index, **more) for index, _ in enumerate(bounds, 1)]
    expected = [
        Expectation("busbw", f"all_reduce {each.source}:{each.line}", bound * 0.9, bound * 0.8, bound, "GB/s", "")
        for each, bound in zip(sweeps, bounds, strict=True)
    ]
    return replace(report(*sweeps), expectations=tuple(expected))


def test_a_share_of_what_the_hardware_can_give() -> None:
    wanted = Wanted("all_reduce", 8, 8 * MIB, min_share=0.9)
    assert judge(known(105), [launch()], 1, wanted).lines()[1] == (
        "passed: busbw >= 90 % of the bound: plateau 100 GB/s is 95.2% of 105 GB/s"
    )
    assert status_of(judge(known(120), [launch()], 1, wanted)) == exits.FINDINGS
    unknown = judge(report(sweep()), [launch()], 1, wanted)
    assert status_of(unknown) == exits.INCONCLUSIVE
    assert "--system or --nics" in unknown.lines()[1]


def test_of_a_finished_log_every_table_must_hold() -> None:
    assert judge_log(known(105, 130), 90, 0.9).lines() == snapshot(
        [
            "passed: measurement: 2 tables complete, nothing wrong in the results",
            "passed: busbw >= 90 GB/s: plateau 100 GB/s of all_reduce bundle!captures/run-1/stdout:1 is the lowest of 2",
            "FAILED: busbw >= 90 % of the bound: all_reduce bundle!captures/run-1/stdout:2: plateau 100 GB/s is 76.9% of 130 GB/s",
            "passed: everything was read: 0 inputs to the end",
            "passed: nothing is broken: what was read failed nowhere",
        ]
    )
    assert status_of(judge_log(known(105, 130), 90, 0.9)) == exits.FINDINGS


@pytest.mark.parametrize(
    ("log", "status", "words"),
    [
        (report(), exits.INCONCLUSIVE, "no collective was measured in what was read"),
        (known(105, complete=False), exits.INCONCLUSIVE, "the table is not complete"),
        (known(105, points=(point(MIB, 100, wrong=3),)), exits.FINDINGS, "results are wrong"),
        (known(105, points=()), exits.INCONCLUSIVE, "no row has a usable bandwidth"),
    ],
)
def test_a_gate_on_a_log_cannot_pass_on_nothing(log: Report, status: int, words: str) -> None:
    judged = judge_log(log, 90, None)
    assert status_of(judged) == status
    assert words in judged.lines()[0]


def test_of_nodes_by_themselves_each_must_hold() -> None:
    wanted = replace(WANTED, each_node=True)
    launches = [launch(f"run-1/n{number}") for number in range(1, 4)]
    sweeps = [replace(sweep(f"run-1/n{number}"), line=number) for number in range(1, 3)]
    slow = replace(sweep("run-1/n3"), points=tuple(replace(p, busbw_gbs=80.0) for p in sweep().points))
    assert judge(report(*sweeps, slow), launches, 3, wanted).lines() == snapshot(
        [
            "3 nodes: plateau 100 GB/s (median), 80 to 100, CV 12.4%",
            "passed: measurement: 3 launches complete, all ranks took part, nothing wrong in the results",
            "FAILED: busbw >= 95 GB/s: 1 of 3 below: n3 80 GB/s",
        ]
    )


def test_problems_of_many_nodes_are_told_together() -> None:
    launches = [launch(f"run-1/n{number}", {"status": 1}) for number in range(1, 301)]
    judged = judge(report(), launches, 300, replace(WANTED, each_node=True, min_busbw_gbs=None))
    assert judged.lines() == snapshot(["NOT MEASURED: measurement: n[1-300]: exit status 1, no row was printed"])


def test_several_collectives_are_judged_by_themselves() -> None:
    first = judge(report(sweep("all_gather-1")), [launch("all_gather-1")], 1, replace(WANTED, label="all_gather"))
    second = judge(report(), [launch("alltoall-1")], 1, replace(WANTED, label="alltoall"))
    judged = joined([first, second])
    assert judged.lines() == snapshot(
        [
            "passed: all_gather: measurement: 1 launch complete, all ranks took part, nothing wrong in the results",
            "passed: all_gather: busbw >= 95 GB/s: plateau 100 GB/s",
            "NOT MEASURED: alltoall: measurement: alltoall-1: no row was printed",
            "NOT MEASURED: alltoall: busbw >= 95 GB/s: nothing was measured",
        ]
    )
    assert status_of(judged) == exits.INCONCLUSIVE
