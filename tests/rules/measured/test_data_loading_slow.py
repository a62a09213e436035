"""Steps that wait for their data."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, said


def _steps(data: float, count: int = 12) -> str:
    return "".join(f"step {n} | loss 2.1 | step_time 4.0s | data {data:.2f}s\n" for n in range(1, count + 1))


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
