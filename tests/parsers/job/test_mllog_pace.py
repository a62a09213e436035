"""Throughput of MLPerf's own log."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.job import TrainingPace
from slowlink.parsers.job.mllog_pace import MllogPace
from slowlink.parsers.reading.read import read
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.measured.pace_drops import Params, check

ROW = (
    '{lead}:::MLLOG {{"namespace": "", "time_ms": 1700000000000, "event_type": "POINT_IN_TIME", "key": "tracked_stats", '
    '"value": {{"throughput": {rate}, "loss": 0.1}}, "metadata": {{"file": "a.py", "lineno": 471, "step": {step}}}}}'
)
SLOW_STEPS = [ROW.format(lead="0: ", rate=2.0 + n / 100, step=384 * n) for n in range(1, 6)]


def pace(lines: list[str]) -> TrainingPace:
    (found,) = feed(MllogPace, lines)
    assert isinstance(found, TrainingPace)
    return found


def test_rates_and_what_they_span() -> None:
    found = pace([ROW.format(lead="", rate=rate, step=step) for rate, step in ((1000.0, 100), (1250.0, 200))])
    assert (found.program, found.unit, found.count, found.spanned) == ("MLPerf", "units", 2, 100)
    assert [1 / each for each in found.seconds] == [1000.0, 1250.0]


def proofs(lines: list[str]) -> list[str]:
    paces = assemble(read([Input("job.log", None, ["\n".join(lines).encode()])], workers=1)).paces
    assert paces is not None
    return [each.message for each in check(paces, Params()) if isinstance(each, Proof)]


def test_few_means_over_minutes_are_a_pace() -> None:
    assert proofs(SLOW_STEPS) == snapshot(
        [
            "MLPerf: 5 stretches at a steady pace, 100% of them (the first tenth left out) within 10% of 2.035 units/s (how fast it should be, the log does not say)"
        ]
    )
    assert proofs([line.replace('"step": ', '"step": 0.') for line in SLOW_STEPS]) == []


def test_what_is_no_rate_is_nobodys() -> None:
    for rate in ("0", "-1", '"fast"', "true", "null", "1e300", "NaN"):
        assert feed(MllogPace, [ROW.format(lead="", rate=rate, step=1)]) == []


@given(st.text(max_size=30), st.integers(0, len(SLOW_STEPS[0])))
def test_any_damage_is_read_or_left(words: str, at: int) -> None:
    line = (SLOW_STEPS[0][:at] + words + SLOW_STEPS[0][at:]).replace("\n", " ")
    for found in feed(MllogPace, [line]):
        assert isinstance(found, TrainingPace)
        assert all(each > 0 for each in found.seconds)


def timed(paces: list[float], *, running: bool, each: int = 10, earlier: int = 0) -> list[str]:
    """Lines of a job that took so many seconds a step, 64 samples each, after so many ``earlier`` steps of another."""
    lines, at_s, before_s = [], 0.0, 0.0
    for number, pace_s in enumerate(paces, 1):
        at_s += pace_s * each
        rate = 64 * (number * each / at_s if running else each / (at_s - before_s))
        row = ROW.format(lead="", rate=rate, step=earlier + number * each).replace('"step":', '"step_num":')
        lines.append(row.replace("1700000000000", str(1700000000000 + round(at_s * 1000))))
        before_s = at_s
    return lines


@pytest.mark.parametrize("earlier", [0, 170, 90_000])
@pytest.mark.parametrize("running", [False, True])
def test_a_mean_since_the_beginning_hides_no_drop(running: bool, earlier: int) -> None:
    lines = timed([1.0] * 40 + [1.33] * 60, running=running, earlier=earlier)
    assert proofs(lines) == []
    (found,) = feed(MllogPace, lines)
    assert isinstance(found, TrainingPace)
    assert found.unit == ("steps" if running else "samples")
    assert found.seconds[-1] / found.seconds[1] == pytest.approx(1.33, rel=0.01)


@pytest.mark.parametrize("running", [False, True])
def test_an_even_pace_is_one_whatever_is_printed(running: bool) -> None:
    assert len(proofs(timed([1.0, 1.01] * 30, running=running))) == 1


def counting(rate: float, each: int, counter: str = "step_num", spent_s: float = 20.0) -> list[str]:
    """Lines of a rate that is always the same, whose counter grows by ``each`` in ``spent_s``."""
    rows = (ROW.format(lead="", rate=rate, step=n * each).replace('"step":', f'"{counter}":') for n in range(1, 9))
    starts = (f'"time_ms": {1700000000000 + round(n * spent_s * 1000)}' for n in range(1, 9))
    return [row.replace('"time_ms": 1700000000000', start) for row, start in zip(rows, starts, strict=True)]


@pytest.mark.parametrize(
    ("lines", "unit"),
    [
        (counting(5.0, 100), "steps"),
        (counting(1280.0, 100), "samples"),
        (counting(1280.0, 25600, "samples_count"), "samples"),
        (counting(0.05, 1, "epoch_num"), "epochs"),
        (counting(1280.0, 1, "epoch_num"), "samples"),
        (counting(1280.0, 25600, "epoch_num"), "samples"),  # no epoch takes a millisecond
        (counting(10.0, 100), "units"),
        (counting(1.0, 100), "units"),
        (counting(1280.0, 100, spent_s=0.0), "units"),
    ],
)
def test_what_is_counted_follows_from_rates_times_and_counters(lines: list[str], unit: str) -> None:
    assert pace(lines).unit == unit


def test_an_evaluation_between_some_lines_changes_no_unit() -> None:
    lines = counting(5.0, 100)
    late = [line.replace('"time_ms": 1700000', '"time_ms": 1700001') for line in lines[4:]]
    assert pace([*lines[:4], *late]).unit == "steps"


def test_a_line_without_the_counter_of_the_others_is_no_stretch() -> None:
    lines = counting(5.0, 100)
    total = ROW.format(lead="", rate=4.0, step="[2, 3125]")
    of_epoch = ROW.format(lead="", rate=4.0, step=1).replace('"step":', '"epoch_num":')
    for more in ([*lines, total], [*lines[:4], of_epoch, *lines[4:], of_epoch]):
        assert (pace(more).count, pace(more).unit) == (8, "steps")
    assert pace([lines[0], *[total] * 5]).count == 6, "lines without one are usual here"


def test_running_means_have_the_lines_of_their_slow_steps() -> None:
    found = pace(timed([1.0] * 20 + [4.0] + [1.0] * 20, running=True))
    slowest = max(found.landmarks, key=lambda each: found.seconds[each.step])
    assert slowest.ref.line == 21
    assert found.seconds[slowest.step] == pytest.approx(4.0)


def test_a_line_that_counts_no_further_is_the_summary() -> None:
    lines = timed([1.0] * 30, running=False)
    assert pace([*lines, lines[-1].replace("0}}", "0}}")]).count == 30


@given(st.lists(st.floats(0.01, 100), min_size=5, max_size=40), st.booleans())
def test_paces_are_those_between_lines_or_as_printed(paces: list[float], running: bool) -> None:
    (found,) = feed(MllogPace, timed(paces, running=running))
    assert isinstance(found, TrainingPace)
    assert all(each > 0 for each in found.seconds)


def test_several_lines_of_one_epoch_are_no_summaries() -> None:
    lines = timed([1.0] * 30, running=False)
    assert pace([line.replace('"step_num": ', '"epoch_num": 1, "file_line": ') for line in lines]).count == 30
    twice = [line.replace('"step_num": ', f'"epoch_num": {number // 2}, "n": ') for number, line in enumerate(lines)]
    assert pace(twice).count == 30
