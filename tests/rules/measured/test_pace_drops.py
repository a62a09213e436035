from __future__ import annotations

import random

from inline_snapshot import snapshot
from job_findings import check, findings, skipped


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
                "Megatron-LM: 100 steps at a steady pace, 99% of them within 10% of 3.21 s (how fast it should be, the log does not say)",
                1,
            )
        ]
    )


def test_a_job_that_slows_down() -> None:
    assert findings("pace-drops", job(noisy(3200, 40) + noisy(4800, 40))) == snapshot(
        [
            {
                "cause": "pace-drops",
                "message": "Megatron-LM: steps take 1.5 times as long at the end as at the beginning, 4.79 s after 3.21 s",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(1, "3.21 s in the first third"), (80, "4.79 s in the last third")],
                "explains": [],
            }
        ]
    )


def test_a_few_steps_and_a_wild_job_prove_nothing() -> None:
    for steps in (noisy(3200, 12), [3200.0, 4500.0] * 40):
        said = check("pace-drops", job(steps))
        assert (said.findings, said.proofs) == ((), ())


def test_without_steps() -> None:
    assert skipped("pace-drops", "nothing here\n") == snapshot("no steps of a training job with their times")
