"""Nobody is accused without the evidence that excludes others, and nothing unknown is called sound."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.facts.timed import timed
from slowlink.model.report import Finding
from slowlink.model.timed_calls import KINETO, TimedCalls
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.running.collectives_held_up import Params, check
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

TWO_STAGES, THREE_STAGES = Shape(4, 4, 2), Shape(4, 4, 3)
ONE_RANK = Sick(gpu={9: 0.8})
"""Process 4101 on node03, whose stage sends to node07."""


def training(sick: Sick, shape: Shape = TWO_STAGES) -> list[TimedCalls]:
    return list(columns_of(Job(shape, Noise(), sick, 1), 40))


def said(columns: list[TimedCalls]) -> list[Finding | Proof]:
    known = timed(columns)
    assert known is not None
    return list(check(known, Params()))


def finding_of(columns: list[TimedCalls]) -> Finding:
    (found,) = said(columns)
    assert isinstance(found, Finding)
    return found


def findings_of(columns: list[TimedCalls]) -> list[Finding]:
    return [found for found in said(columns) if isinstance(found, Finding)]


def without_names(columns: list[TimedCalls], tensor: int = 4) -> list[TimedCalls]:
    """As traces tell them that hold no hosts."""
    return [
        replace(
            each,
            host=None,
            pid=None,
            nnodes=None,
            world_rank=(int((each.host or "")[4:]) - 1) * tensor + (each.pid or 0) - 4100,
            tool=KINETO,
        )
        for each in columns
    ]


def miscounted(columns: list[TimedCalls], name: str) -> list[TimedCalls]:
    """The ranks of all communicators of a name do not agree on its size."""
    return [replace(each, nranks=5) if each.comm_name == name and each.rank == 0 else each for each in columns]


def test_with_all_records_a_late_rank_is_likely() -> None:
    found = finding_of(training(ONE_RANK))
    assert found.confidence == "likely"
    assert "it waited for nobody itself" in found.message


def test_a_victim_of_a_node_without_records_is_a_suspicion() -> None:
    found = finding_of([each for each in training(ONE_RANK) if each.host != "node03"])
    assert found.confidence == "possible"
    assert "waited for nobody" not in found.message
    assert "only 1 of 2 ranks of communicator PP" in found.message
    assert "and not all of 3 others" in found.message


def test_without_records_of_sends_a_late_rank_is_a_suspicion() -> None:
    each = findings_of([each for each in training(ONE_RANK) if each.comm_name != "PP"])
    assert [found.confidence for found in each] == ["possible"] * 2
    for found in each:
        assert "waited for nobody" not in found.message
        assert "of its sends and receives nothing is told" in found.message


def test_sends_that_have_no_like_tell_nothing() -> None:
    """Two pipelines: which of them waits longer than usual?"""
    of_two = [each for each in training(Sick(gpu={1: 0.8}), Shape(4, 4, 2)) if each.comm_name != "PP"]
    of_two += [each for each in training(Sick(gpu={1: 0.8})) if each.comm in ("0xc000000", "0xc000001")]
    found = next(found for found in findings_of(of_two) if "node01" in found.message)
    assert found.confidence == "possible"
    assert "of its sends and receives nothing is told" in found.message


def test_of_few_ranks_all_verdicts_are_suspicions() -> None:
    """The whole communicators of the late rank are here, all pipelines, and little else."""
    whole = training(ONE_RANK)
    mine = {each.comm for each in whole if (each.host, each.pid) == ("node03", 4101) or each.comm_name == "PP"}
    some = [each for each in whole if each.comm in mine or each.rank == 0]
    (found,) = findings_of(some)
    assert found.confidence == "likely"
    few = [replace(each, nranks=400) if each.comm not in mine else each for each in some]
    (found,) = findings_of(few)
    assert found.confidence == "possible"


def test_few_ranks_are_no_proof() -> None:
    whole = training(Sick())
    (proof,) = said([each for each in whole if each.host != "node04"])
    assert isinstance(proof, Proof)
    assert "not told of all: only 3 of 4 ranks of communicator DP" in proof.message
    assert said([replace(each, nranks=100) if each.comm_name == "DP" else each for each in whole]) == []


def test_a_slow_transfer_of_which_ranks_are_missing_is_a_suspicion() -> None:
    """The one that is missing may be the one that is waited for."""
    whole = training(Sick(hca={17: 0.5}), THREE_STAGES)
    assert [found.confidence for found in findings_of(whole)] == ["likely"]
    found = findings_of([each for each in whole if each.host != "node06"])
    assert [(each.cause, each.confidence) for each in found] == [("straggler-nic", "possible")]
    assert "not told of all: only 3 of 4 ranks of communicator DP" in found[0].message


def test_communicators_that_are_left_out_are_told() -> None:
    found = finding_of(miscounted(training(ONE_RANK), "TP"))
    assert found.confidence == "possible"
    assert "8 communicators left out (0xa000000: its ranks do not agree on its size)" in found.message
    each = findings_of(miscounted(training(Sick(hca={17: 0.5}), THREE_STAGES), "TP"))
    assert [slow.confidence for slow in each if slow.cause == "straggler-nic"] == ["possible"]
    assert all("12 communicators left out" in found.message for found in each)


def test_communicators_that_are_left_out_are_told_in_a_proof_of_the_others() -> None:
    (proof,) = said(miscounted(training(Sick()), "DP"))
    assert isinstance(proof, Proof)
    assert "8 communicators left out (0xb000000: its ranks do not agree on its size)" in proof.message


def test_where_most_is_left_out_nothing_is_proven() -> None:
    (proof,) = said(miscounted(miscounted(training(Sick()), "TP"), "PP"))
    assert isinstance(proof, Proof)
    assert proof.undecided
    assert proof.message.startswith("who holds the collectives up is not told: 24 communicators left out (0xa000000: ")


def test_of_two_nodes_the_later_one_is_not_accused() -> None:
    """In each pair one is the last."""
    found = finding_of(training(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)), Shape(8, 2, 1)))
    assert (found.severity, found.confidence, found.suspects) == ("warning", "possible", ())
    assert "by whom cannot be told apart: all 8 processes on node02" in found.message


def test_two_sound_nodes_hold_nobody_up() -> None:
    (proof,) = said(training(Sick(), Shape(8, 2, 1)))
    assert isinstance(proof, Proof)


def test_where_the_nodes_are_not_told_a_slow_transfer_may_leave_them() -> None:
    """One rank is in all slow transfers; whether these are inside a node is open."""
    found = finding_of(without_names(training(Sick(hca={17: 0.5}), THREE_STAGES)))
    assert (found.cause, found.confidence) == ("straggler-nic", "possible")
    assert found.message.startswith("rank 17: its HCA, or its links, is slow")


def test_where_the_nodes_are_not_told_the_ranks_are_said() -> None:
    found = finding_of(without_names(training(Sick(hca={1: 0.5}), Shape(4, 8, 1))))
    assert (found.cause, found.confidence) == ("straggler-nic", "possible")
    assert found.message.startswith("an HCA of one of 8 processes (rank 1, rank 5, rank 9 and 5 more), or a path")


@pytest.mark.parametrize("clock", ["", "collective_cpu"])
def test_a_clock_that_is_not_told_is_not_that_of_the_gpu(clock: str) -> None:
    found = finding_of([replace(each, timed_by={clock: len(each)}) for each in training(ONE_RANK)])
    assert found.confidence == "possible"
