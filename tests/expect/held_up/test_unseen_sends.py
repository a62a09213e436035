"""Jobs whose sends nobody recorded: a stage that waited looks like one that is slow."""

from __future__ import annotations

import pytest

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.accl_output import as_accl
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

PIPELINE, ONE_STAGE = Shape(4, 4, 2), Shape(4, 8, 1)


def judged(shape: Shape, sick: Sick) -> tuple[Timed, HeldUp]:
    known = timed(list(as_accl(columns_of(Job(shape, Noise(), sick, 1), 40))))
    assert known is not None
    assert known.sends_unseen
    return known, held_up(known, Params().tolerances())


def hosts(known: Timed, found: HeldUp) -> set[str | None]:
    return {known.processes[late.process].host for late in found.late}


@pytest.mark.parametrize("rank", [2, 9, 17, 30])
def test_who_is_late_inside_its_node_is_to_blame_for_the_other_stage(rank: int) -> None:
    known, found = judged(PIPELINE, Sick(gpu={rank: 0.7}))
    (late,) = found.late
    process = known.processes[late.process]
    assert (process.host, process.place) == (f"node0{rank // 4 + 1}", rank % 4)
    assert late.lacking.sends


def test_of_two_nodes_of_which_one_may_have_waited_for_the_other_none_is_accused() -> None:
    node = dict.fromkeys(range(4, 8), 0.7)
    known, found = judged(PIPELINE, Sick(gpu=node))
    assert found.late == ()
    assert {known.processes[late.process].host for late in found.undecided} == {"node02", "node06"}


def test_nodes_that_call_one_another_do_not_wait_in_a_pipeline() -> None:
    both = dict.fromkeys([*range(4, 8), *range(20, 24)], 0.7)
    known, found = judged(ONE_STAGE, Sick(gpu=both))
    assert hosts(known, found) == {"node02", "node06"}


def test_a_node_that_is_late_alone_is_named() -> None:
    known, found = judged(ONE_STAGE, Sick(gpu=dict.fromkeys(range(4, 8), 0.7)))
    assert hosts(known, found) == {"node02"}


def test_the_clock_of_one_gpu_tells_how_long_the_job_ran() -> None:
    known, found = judged(PIPELINE, Sick(gpu={9: 0.7}))
    (late,) = found.late
    assert late.share is not None
    assert 0.1 < late.share < 0.6
    assert all(not calls.ended.any() for group in known.groups for calls in group.calls)
