from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check, findings, skipped

from slowlink.rules.evidence.slow_stretch import slow_stretch

REPORT = (
    ':::MLLOG {{"namespace": "", "key": "tracked_stats", "value": {{"throughput": 1084.2}}, '
    '"metadata": {{"file": "a.py", "step": [1, {n}]}}}}\n'
)


def test_reports_and_lines_that_nobody_counts_are_no_steps() -> None:
    (proof,) = check("pace-drops", "".join(REPORT.format(n=n) for n in range(60))).proofs
    assert proof.message.startswith("MLPerf: 60 reports at a steady pace")
    (proof,) = check("pace-drops", " | elapsed time per iteration (ms): 2500.0 |\n" * 40).proofs
    assert proof.message.startswith("Megatron-LM: 40 lines at a steady pace")


def job(times_ms: list[float]) -> str:
    lines = (
        f" iteration {n:8d}/     900 | elapsed time per iteration (ms): {ms:.1f} |" for n, ms in enumerate(times_ms)
    )
    return "\n".join(lines) + "\n"


def noisy(middle_ms: float, count: int) -> list[float]:
    draw = random.Random(7)
    return [draw.gauss(middle_ms, 0.01 * middle_ms) for _ in range(count)]


def test_a_steady_job() -> None:
    steps = [9000.0, 6000.0, *noisy(3200, 98)]
    steps[50] = 20_000.0  # a check-point
    said = check("pace-drops", job(steps))
    assert said.findings == ()
    assert [(proof.message, proof.weight) for proof in said.proofs] == snapshot(
        [
            (
                "Megatron-LM: 100 steps at a steady pace, 99% of them (the first tenth left out) within 10% of 3.21 s (how fast it should be, the log does not say)",
                1,
            )
        ]
    )


def test_a_job_that_slows_down() -> None:
    assert findings("pace-drops", job(noisy(3200, 40) + noisy(4800, 40))) == snapshot(
        [
            {
                "cause": "pace-drops",
                "message": "Megatron-LM: steps take 1.5 times as long from step 41 of the 80 that are printed, 4.79 s after 3.21 s",
                "how": "error, possible",
                "suspects": [],
                "evidence": [(10, "3.21 s"), (41, "4.79 s"), (73, "4.78 s")],
                "explains": [],
            }
        ]
    )


def test_a_stretch_that_ends_again() -> None:
    assert findings("pace-drops", job(noisy(3200, 100) + noisy(9600, 15) + noisy(3200, 85))) == snapshot(
        [
            {
                "cause": "pace-drops",
                "message": "Megatron-LM: steps 101 to 115 of the 200 that are printed take 3.0 times as long as those around them, by their medians: 9.62 s beside 3.21 s; they take 20% of the whole time and cost 13% of it",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(101, "9.58 s"), (107, "9.71 s")],
                "explains": [],
            }
        ]
    )


def test_the_share_of_a_stretch_is_of_the_whole_time_and_its_cost_what_is_beyond_the_usual() -> None:
    (found,) = check("pace-drops", job([1000.0] * 60 + [4000.0] * 20 + [1000.0] * 20)).findings
    assert "4.0 times" in found.message
    assert "they take 50% of the whole time and cost 38% of it" in found.message


def test_evidence_of_a_long_log_are_lines_of_the_stretch_itself() -> None:
    steps = [*noisy(1000, 3000), *noisy(3000, 400), *noisy(1000, 2600)]
    (found,) = check("pace-drops", job(steps)).findings
    assert len(found.evidence) == 2
    assert all(3001 <= line.line <= 3400 and line.text for line in found.evidence)


@pytest.mark.parametrize(("slow", "times"), [(12, 1.5), (20, 3), (66, 3), (90, 12)])
def test_wherever_it_is_it_is_no_steady_pace(slow: int, times: float) -> None:
    said = check("pace-drops", job(noisy(3200, 80) + noisy(3200 * times, slow) + noisy(3200, 110)))
    assert (len(said.findings), said.proofs) == (1, ())


def test_long_steps_here_and_there_are_none() -> None:
    steps = noisy(3200, 200)
    for at in range(5, 200, 10):
        steps[at] = 9000.0
    said = check("pace-drops", job(steps))
    assert (said.findings, len(said.proofs)) == ((), 1)


@given(st.lists(st.floats(0.1, 100), max_size=60), st.integers(1, 10))
def test_a_stretch_is_mostly_slow(steps: list[float], fewest: int) -> None:
    found = slow_stretch(steps, 1.0, 1.25, fewest)
    if found is not None:
        part = steps[found.start : found.stop]
        assert len(part) >= fewest
        assert sum(step > 1.25 for step in part) >= 0.8 * len(part)
        assert part[0] > 1.25 < part[-1]


def test_a_few_steps_and_a_wild_job_prove_nothing() -> None:
    for steps in (noisy(3200, 12), [3200.0, 4500.0] * 40):
        said = check("pace-drops", job(steps))
        assert (said.findings, said.proofs) == ((), ())


def test_without_steps() -> None:
    assert skipped("pace-drops", "nothing here\n") == snapshot("no steps of a training job with their times")


def printed(form: str, count: int) -> str:
    return "".join(form.format(n=n, m=10 * n) + "\n" for n in range(count))


def proofs(text: str) -> list[tuple[str, int]]:
    return [(proof.message, proof.weight) for proof in check("pace-drops", text).proofs]


def test_few_lines_are_enough_where_they_stand_for_many_steps_or_long_ones() -> None:
    nemo = "Training epoch 0, iteration {n}/9 | global_step: {n} | train_step_timing in s: 11.9"
    assert proofs(printed(nemo, 8)) == snapshot(
        [
            (
                "NeMo: 8 steps at a steady pace, 100% of them (the first tenth left out) within 10% of 11.9 s (how fast it should be, the log does not say)",
                1,
            )
        ]
    )
    assert proofs(printed("step {m} | 0.5 s/step", 7)) == snapshot(
        [
            (
                "training loop: 7 reports over 60 steps at a steady pace, 100% of them (the first tenth left out) within 10% of 500 ms (how fast it should be, the log does not say)",
                1,
            )
        ]
    )
    assert proofs(printed(nemo, 6)) == []
    assert proofs(printed("step {n} | 0.5 s/step", 8)) == []


def test_a_bar_that_does_not_say_what_it_counts_proves_nothing() -> None:
    bar = "  1%|          | {n}/500 [01:02<40:00,  4.93s/it]"
    assert proofs(printed(bar, 40)) == snapshot(
        [
            (
                "progress bar: 40 steps at a steady pace, 100% of them (the first tenth left out) within 10% of 4.93 s (what it counts, the log does not say)",
                0,
            )
        ]
    )
    slower = printed(bar, 40) + printed(bar.replace("{n}", "1{n}").replace("4.93", "9.93"), 40)
    assert check("pace-drops", slower).findings == ()


SERVER = "Avg prompt throughput: 9.0 tokens/s, Avg generation throughput: {rate} tokens/s, Running: 8 reqs, Waiting: 0 reqs\n"


def test_a_server_at_a_steady_throughput_and_one_that_slows_down() -> None:
    fast, slow = SERVER.format(rate=1900.5), SERVER.format(rate=950.25)
    assert proofs(fast * 40) == snapshot(
        [
            (
                "vLLM: 40 reports of a server at a steady pace, 100% of them (the first tenth left out) within 10% of 1900 tokens/s (how fast it should be, the log does not say)",
                1,
            )
        ]
    )
    assert findings("pace-drops", fast * 40 + slow * 40) == snapshot(
        [
            {
                "cause": "pace-drops",
                "message": "vLLM: the same work takes 2.0 times as long from report 41 of the 80 that are printed, 950.2 tokens/s after 1900 tokens/s",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [
                    (9, "1900 tokens/s"),
                    (41, "950.2 tokens/s"),
                    (57, "950.2 tokens/s"),
                ],
                "explains": [],
            }
        ]
    )


def test_single_steps_that_stand_still_are_no_steady_pace() -> None:
    steps = noisy(2000, 60)
    steps[30] = 366_000.0
    said = check("pace-drops", job(steps))
    assert said.proofs == ()
    assert [line.line for found in said.findings for line in found.evidence] == [31]
    assert [(found.message, found.severity) for found in said.findings] == snapshot(
        [
            (
                "Megatron-LM: 1 step of 54 stood still, up to 366 s where the others take 2 s: 76% of the whole time",
                "warning",
            )
        ]
    )


def test_many_steps_that_take_a_few_times_as_long_are_no_steady_pace() -> None:
    steps = noisy(2000, 120)
    steps[7::12] = [9_000.0 + n for n in range(len(steps[7::12]))]
    said = check("pace-drops", job(steps))
    assert said.proofs == ()
    assert [(found.message, found.severity) for found in said.findings] == snapshot(
        [
            (
                "Megatron-LM: 9 steps of 108 stood still, up to 9.01 s where the others take 2.01 s: 26% of the whole time",
                "warning",
            )
        ]
    )


def test_a_few_evaluations_between_many_steps_are_usual() -> None:
    steps = noisy(2000, 120)
    steps[30::40] = [9_000.0 for _ in steps[30::40]]
    said = check("pace-drops", job(steps))
    assert (len(said.proofs), said.findings) == (1, ())


def test_a_pace_that_falls_slowly_has_no_step_at_which_it_fell() -> None:
    (found,) = check("pace-drops", job([2000.0 + 40 * n for n in range(80)])).findings
    assert "at the end as at the beginning" in found.message
    assert (found.severity, found.confidence) == ("warning", "possible")


def test_sequences_that_grow_have_no_such_step_either() -> None:
    (found,) = check("pace-drops", job([500.0 + 5 * n for n in range(100)])).findings
    assert "at the end as at the beginning" in found.message
    assert (found.severity, found.confidence) == ("warning", "possible")


def test_a_line_that_stands_for_many_steps_is_a_report() -> None:
    lines = (f" iteration {n:8d}/    9000 | elapsed time per iteration (ms): 3200.0 |" for n in range(20, 1820, 20))
    (proof,) = check("pace-drops", "\n".join(lines) + "\n").proofs
    assert proof.message.startswith("Megatron-LM: 90 reports over 1,780 steps at a steady pace")


def test_a_dozen_reports_of_a_server_are_enough_where_all_are_alike() -> None:
    fast = SERVER.format(rate=1900.5)
    assert [weight for _, weight in proofs(fast * 14)] == [1]
    assert proofs(fast * 12) == []
    assert proofs(fast * 13 + SERVER.format(rate=1500.0)) == []
