"""Throughput of MLPerf's own log."""

from __future__ import annotations

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
    assert (found.program, found.unit, found.count, found.spanned) == ("MLPerf", "samples", 2, 100)
    assert [1 / each for each in found.seconds] == [1000.0, 1250.0]


def proofs(lines: list[str]) -> list[str]:
    paces = assemble(read([Input("job.log", None, ["\n".join(lines).encode()])], workers=1)).paces
    assert paces is not None
    return [each.message for each in check(paces, Params()) if isinstance(each, Proof)]


def test_few_means_over_minutes_are_a_pace() -> None:
    assert proofs(SLOW_STEPS) == snapshot(
        [
            "MLPerf: 5 stretches at a steady pace, 100% of them (the first tenth left out) within 10% of 2.035 samples/s (how fast it should be, the log does not say)"
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
