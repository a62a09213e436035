"""The parts of a step on each rank; what follows from them is tested with the rule (straggler_step)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.job.steps.ranks import RankSteps, rank_of


def test_the_rank_is_the_prefixs_or_the_lines_own() -> None:
    assert rank_of(Line("job.log", 1, "[Rank 5] step 3: compute 1.2s", rank=7)) == 7
    assert rank_of(Line("job.log", 1, "[Rank 5] step 3: compute 1.2s")) == 5
    assert rank_of(Line("job.log", 1, "LoRA rank: r=16 alpha=32 step 3")) is None


def test_a_part_that_others_are_awaited_in_is_none() -> None:
    steps = RankSteps()
    for number in range(8):
        assert steps.note(Line("job.log", number + 1, f"[rank 5] step {number}: compute 1.5s allreduce 0.1s"))
    assert [(e.rank, e.groups) for e in steps.events()] == [
        (5, {"part": "compute", "steps": "8", "low": "1.5", "middle": "1.5"})
    ]


def test_a_rate_is_no_time() -> None:
    for text in ('{"step": 3, "tokens_per_second": 907579.5, "rank": 0}', "[rank 5] step 3: samples_per_sec 81.4"):
        assert not RankSteps().note(Line("job.log", 1, text)), text


@given(st.lists(st.text(max_size=60), max_size=20))
def test_any_text_gives_a_result(texts: list[str]) -> None:
    steps = RankSteps()
    for number, text in enumerate(texts, 1):
        assert steps.note(Line("job.log", number, f"[rank 3] step {text}")) in (True, False)
    assert all(int(event.groups["steps"]) >= 6 for event in steps.events())
