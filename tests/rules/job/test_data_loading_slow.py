"""Steps that wait for their data."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, said


def _steps(data: float, count: int = 12, *, even: bool = False) -> str:
    swing = (0.0,) if even else (-0.4, 0.0, 0.4)
    waits = [data * (1 + swing[n % len(swing)] / 2) for n in range(count)]
    return "".join(f"step {n} | loss 2.1 | step_time 4.0s | data {wait:.2f}s\n" for n, wait in enumerate(waits, 1))


def test_half_of_a_step_is_slow() -> None:
    assert said("data-loading-slow", _steps(3.0)) == snapshot(
        [
            (
                "data-loading-slow",
                "error",
                "likely",
                "the steps of the training wait 75% of their time for data: 3 of 4 s on average over 12 steps",
            )
        ]
    )


def test_a_loop_that_prints_each_twentieth_step_reports_and_one_without_a_counter_too() -> None:
    twentieth = "".join(line.replace("step ", "step 2", 1) for line in _steps(3.0).splitlines(keepends=True))
    twentieth = "".join(
        f"step {20 * n} {line.partition(' | ')[2]}" for n, line in enumerate(twentieth.splitlines(keepends=True))
    )
    assert said("data-loading-slow", twentieth)[0][3].endswith("on average over 12 reports from 220 steps")


def test_a_third_is_a_warning_and_a_tenth_is_nothing() -> None:
    assert [severity for _, severity, _, _ in said("data-loading-slow", _steps(1.3))] == ["warning"]
    assert said("data-loading-slow", _steps(0.4)) == []


def test_queues_that_fill_are_no_finding() -> None:
    assert said("data-loading-slow", _steps(3.0, 4)) == []


def test_loaders_on_one_core_are_why_data_comes_late() -> None:
    bound = "cpu-bind=MASK - gpu01, task  0  0 [4711]: mask 0x1 set\n"
    assert [(d.cause, d.explains) for d in diagnoses_of(bound + _steps(3.0))] == snapshot(
        [("proxy-affinity", ("data-loading-slow",))]
    )


def test_a_wait_as_even_as_the_work_of_a_gpu_may_be_one_for_the_gpu() -> None:
    assert said("data-loading-slow", _steps(3.0, even=True)) == snapshot(
        [
            (
                "data-loading-slow",
                "info",
                "possible",
                "the steps of the training wait 75% of their time for data: 3 of 4 s on average over 12 steps; so "
                "evenly that the host may wait for its GPU there",
            )
        ]
    )


def test_timers_that_wait_for_the_gpu_first_show_an_even_wait_as_it_is() -> None:
    timers = (
        "    forward-backward ...............................: (1200.00, 1500.00)\n"
        "    batch-generator ................................: (900.00, 1200.00)\n"
    )
    assert [severity for _, severity, _, _ in said("data-loading-slow", timers * 8)] == ["error"]
