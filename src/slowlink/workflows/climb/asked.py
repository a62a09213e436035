"""From a test of the ladder to what ``run`` would be asked for it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from slowlink.ladder import layers as of
from slowlink.ladder.plan import SENDRECV
from slowlink.model.ladder import LadderTest
from slowlink.model.plan import Allocation, Node
from slowlink.workflows.pair import Ends
from slowlink.workflows.plan_run import Asked

_ON_CPU, _ON_CPU_QUICK = 4 << 20, 1 << 20
_ITERATIONS, _ITERATIONS_ON_CPU, _WARMUP_ON_CPU = 20, 10, 2
"""A host with a slow link takes a second for some megabytes."""
_ON_GPU, _ON_GPU_QUICK = 8 << 30, 1 << 30
_LINK_BYTES = 1 << 20
"""One size for perftest: large enough for every link, and its time is known beforehand."""
_LINK_S, _LINK_QUICK_S = 3, 2


class Way(Struct, frozen=True):
    """What holds for all tests of one ladder."""

    asked: Asked
    """Everything that is the same for all: program, launcher, variables."""
    nodes: Mapping[str, Node]
    on_gpu: bool
    is_local: bool
    quick: bool = False
    largest_bytes: int | None = None
    iterations: int | None = None
    gpu_memory: str = ""
    """How perftest calls the memory of these GPUs."""
    perftest: str | None = None
    """Its program, or the directory of its programs."""
    settings: Mapping[str, str] = {}
    """Those of the user: left away where a test is to be without them."""


def asked_for(test: LadderTest, way: Way) -> Asked:
    """The question of one test. Pure."""
    allocation = Allocation(tuple(way.nodes[name] for name in test.nodes), "of this ladder")
    env = {**({} if test.fresh else way.settings), **way.asked.env, **test.env}
    base = replace(
        way.asked,
        allocation=None if way.is_local else allocation,
        env=env,
        nranks=None if test.ranks_per_node is None else test.ranks_per_node * len(test.nodes),
        ranks_per_node=test.ranks_per_node,
        each_node=test.alone,
    )
    return _link(test, way, base) if test.hca else _collective(test, way, base)


def _link(test: LadderTest, way: Way, base: Asked) -> Asked:
    gpus = (test.gpu or 0, test.gpu or 0)
    ends = Ends(((test.hca, test.hca),), way.gpu_memory if test.gpu is not None else None, gpus)
    request = replace(
        base.request,
        collective=test.collective,
        min_bytes=_LINK_BYTES,
        max_bytes=_LINK_BYTES,
        iterations=5000,
        duration_s=_LINK_QUICK_S if way.quick else _LINK_S,
        check=False,
    )
    return replace(base, request=request, benchmark="auto", path=way.perftest, ends=ends)


def _collective(test: LadderTest, way: Way, base: Asked) -> Asked:
    """Point to point is measured from host memory, whatever the collectives use."""
    by_mpi = test.layer == of.PAIRS_HOST and test.collective == SENDRECV
    on_gpu = way.on_gpu and not by_mpi
    usual = (_ON_GPU_QUICK if way.quick else _ON_GPU) if on_gpu else (_ON_CPU_QUICK if way.quick else _ON_CPU)
    largest = way.largest_bytes if way.largest_bytes and (on_gpu or not way.on_gpu) else usual
    iterations = way.iterations or (_ITERATIONS if on_gpu else _ITERATIONS_ON_CPU)
    request = replace(
        base.request,
        collective=test.collective,
        min_bytes=max(largest // 4, 8),
        max_bytes=largest,
        iterations=max(1, iterations // 2) if way.quick else iterations,
        warmup=base.request.warmup if on_gpu else _WARMUP_ON_CPU,
        check=not test.alone and len(test.nodes) != 2,
        backend="mpi" if by_mpi else base.request.backend,
    )
    return replace(
        base, request=request, benchmark="probe" if by_mpi else base.benchmark, path=None if by_mpi else base.path
    )
