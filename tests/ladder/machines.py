"""Machines and results that are made up for tests of the ladder."""

from __future__ import annotations

from collections.abc import Callable

from slowlink.ladder.plan import Hca, Machine, NodeParts, Wanted, plan_ladder
from slowlink.model.ladder import Ladder, LadderPlan, LadderResult, LadderTest, PortRate
from slowlink.model.source import Ref

TWO = (Hca("mlx5_0", near_gpu=0, far_gpu=7), Hca("mlx5_1", near_gpu=4, far_gpu=0))
Give = Callable[[LadderTest], float | None]


def nodes(count: int, hcas: tuple[Hca, ...] = (), gpus: int = 0) -> tuple[NodeParts, ...]:
    return tuple(NodeParts(f"node{number}", gpus, hcas) for number in range(1, count + 1))


def gpu_machine(count: int = 4) -> Machine:
    """H100 nodes with two HCAs of eight GPUs."""
    return Machine(nodes(count, TWO, 8), on_gpu=True, ranks_per_node=8)


def plan_of(machine: Machine, *, quick: bool = False, layers: frozenset[str] | None = None) -> LadderPlan:
    return plan_ladder(machine, Wanted(layers, quick))


def climbed(plan: LadderPlan, give: Give, *, rate: float | None = 400.0, lost: tuple[str, ...] = ()) -> Ladder:
    """Every test of ``plan`` with what ``give`` says, GB/s; None: it did not finish."""
    results = tuple(result_of(test, give(test)) for test in plan.tests)
    ports = tuple(
        PortRate(node, f"{hca.name}/1", rate, True, Ref("state", 1)) for node in plan.nodes for hca in TWO if rate
    )
    return Ladder(plan, results, ports, lost, len(plan.nodes) - len(lost))


def result_of(test: LadderTest, gbs: float | None) -> LadderResult:
    ref = Ref(f"captures/{test.name}/stdout", 7)
    return LadderResult(test, gbs, "" if gbs is not None else "did not finish after 300 s", ref)


def healthy(test: LadderTest) -> float:
    """What each test of ``gpu_machine`` gives when nothing is wrong."""
    usual = {"pairs-host": 49.0, "pairs-gpu": 48.9, "pairs-gpu-far": 30.0, "node": 480.0, "one-rank": 47.0}
    return usual.get(test.layer, 94.0)
