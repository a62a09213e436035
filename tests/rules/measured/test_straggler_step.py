"""The parts of a step on each rank."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import said


def _log(times: dict[int, float], ranks: int = 8, steps: int = 10, form: str = "") -> str:
    form = form or "[rank {rank}] step {step}: compute {own:.3f}s allreduce {wait:.3f}s total 1.700s"
    return "".join(
        form.format(rank=rank, step=step, own=(own := times.get(rank, 1.0) + 0.01 * (step % 3)), wait=1.7 - own) + "\n"
        for step in range(steps)
        for rank in range(ranks)
    )


def test_the_rank_that_takes_longest_for_its_own_part() -> None:
    assert said("straggler-step", _log({5: 1.6})) == snapshot(
        [
            (
                "straggler-gpu",
                "error",
                "possible",
                "rank 5 takes 1.61 s for 'compute' of a step, 1.6 times as long as the middle of 8 ranks (1.01 s), "
                "over 10 steps",
            )
        ]
    )


@pytest.mark.parametrize(
    "form",
    [
        "rank={rank} step={step} fwd_bwd_time={own:.3f}s",
        "{rank}: iter {step} | fwd {own:.3f} s | bwd 0.500 s",
        "[rank{rank}]: step {step} forward: {own:.3f}s",
    ],
)
def test_many_ways_to_print_it(form: str) -> None:
    (found,) = said("straggler-step", _log({2: 1.5}, form=form))
    assert found[3].startswith("rank 2 takes")


@pytest.mark.parametrize(
    "log",
    [
        _log({}),
        _log({5: 1.05}),
        _log({5: 1.6}, ranks=3),
        _log({5: 1.6}, steps=3),
        _log({4: 1.6, 5: 1.6, 6: 1.6, 7: 1.6}),
        _log({5: 0.2}),
    ],
    ids=["alike", "within noise", "few ranks", "few steps", "half of them", "one that waits"],
)
def test_silent_where_nothing_stands_out(log: str) -> None:
    assert said("straggler-step", log) == []
