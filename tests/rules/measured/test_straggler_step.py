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


def _rows(late: dict[int, float], ranks: int = 16, steps: int = 8) -> str:
    """Four ranks a node; the time that a rank needs more."""
    head = "# parts of a step on each rank (ms)\n"
    row = "rank {rank} host gpu{node:02} data 1.5 fwd {own:.1f} bwd 297.3 allreduce {wait:.1f}\n"
    return head + "".join(
        row.format(rank=r, node=r // 4, own=150 + late.get(r, 0.0) + step % 3, wait=170 - late.get(r, 0.0))
        for step in range(steps)
        for r in range(ranks)
    )


def test_all_ranks_of_one_node() -> None:
    (found,) = said("straggler-step", _rows(dict.fromkeys(range(8, 12), 60.0)))
    assert found == (
        "straggler-node",
        "error",
        "possible",
        "all 4 ranks on gpu02 are late: rank 8 takes 0.211 s for 'fwd' of a step, 1.4 times as long as the middle of 16 "
        "ranks (0.151 s), over 8 steps",
    )


def test_one_rank_of_a_node_is_not_the_node() -> None:
    (found,) = said("straggler-step", _rows({9: 60.0}))
    assert found[0] == "straggler-gpu"
    assert found[3].startswith("rank 9 on gpu02 takes 0.211 s for 'fwd'")


def test_two_nodes_of_four_are_stages_of_a_pipeline() -> None:
    assert said("straggler-step", _rows(dict.fromkeys(range(8, 16), 60.0))) == []


def test_two_nodes_do_not_show_which_one_differs() -> None:
    assert said("straggler-step", _rows(dict.fromkeys(range(4, 8), 60.0), ranks=8)) == []


def _of_nodes(times: dict[int, float], nodes: int = 8, steps: int = 3, form: str = "") -> str:
    form = form or "step {step} node gpu{node:02} fwd+bwd {own:.1f} ms allreduce wait {wait:.1f} ms total 600.0 ms"
    return "".join(
        form.format(node=node, step=step, own=(own := times.get(node, 410.0) + step % 3), wait=600 - own) + "\n"
        for step in range(steps)
        for node in range(nodes)
    )


def test_the_parts_of_whole_nodes() -> None:
    assert said("straggler-step", _of_nodes({5: 560.0})) == snapshot(
        [
            (
                "straggler-node",
                "error",
                "possible",
                "gpu05 takes 0.561 s for 'fwd+bwd' of a step, 1.4 times as long as the middle of 8 nodes (0.411 s), over 3 steps",
            )
        ]
    )
    other = "gpu{node:02}: step {step} compute {own:.1f} ms sync {wait:.1f} ms"
    ((cause, *_, words),) = said("straggler-step", _of_nodes({5: 560.0}, form=other))
    assert (cause, words.split()[0]) == ("straggler-node", "gpu05")


@pytest.mark.parametrize(
    "text",
    [
        _of_nodes({}),
        _of_nodes({5: 450.0}),
        _of_nodes({5: 560.0, 6: 560.0}),
        _of_nodes({1: 560.0}, nodes=2),
        _of_nodes({5: 560.0}, steps=2),
    ],
)
def test_nodes_that_are_alike_or_too_few(text: str) -> None:
    assert said("straggler-step", text) == []
