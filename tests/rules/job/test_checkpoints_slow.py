from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "checkpoints-slow"


def job(seconds: float, every: int = 10) -> str:
    lines = []
    for step in range(1, 41):
        lines.append(f"step {step} loss 2.1 step_time 1.00s\n")
        if step % every == 0:
            lines.append(f"saved checkpoint in {seconds} s\n")
    return "".join(lines)


def test_checkpoints_that_take_a_fifth_of_the_time_or_more() -> None:
    assert said(RULE, job(12.0)) == snapshot(
        [
            (
                "checkpoints-slow",
                "error",
                "likely",
                "the training writes checkpoints for 55% of its time: 4 of them take 48 s beside 40 s of steps",
            )
        ]
    )


def test_short_ones_and_one_alone_are_silent() -> None:
    assert findings_of(RULE, job(2.0)) == ()
    assert findings_of(RULE, job(30.0, every=40)) == ()


def test_steps_that_are_not_printed_count_by_their_number() -> None:
    sparse = job(12.0).replace("step ", "step 1", 1)  # a counter that falls spans no steps
    assert len(findings_of(RULE, sparse)) == 1
    tenfold = "".join(
        line.replace(f"step {line.split()[1]} ", f"step {line.split()[1]}0 ") if line.startswith("step") else line
        for line in job(12.0).splitlines(keepends=True)
    )
    assert findings_of(RULE, tenfold) == ()


def test_ranks_that_write_side_by_side_are_one_finding() -> None:
    ranks = "".join(f"[rank{rank}]: {line}" for line in job(12.0).splitlines(keepends=True) for rank in range(3))
    assert len(findings_of(RULE, ranks)) == 1
