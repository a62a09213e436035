"""From what the user says to the plan of a ladder: who takes part, what they have, what can measure it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from slowlink.benchmarks.find import benchmarks, find
from slowlink.benchmarks.interface import Request
from slowlink.collectors.catalogue import chosen
from slowlink.errors import SlowlinkError
from slowlink.ladder.plan import WRITE, Machine, Wanted, plan_ladder
from slowlink.launch.choose import choose
from slowlink.launch.fanout.ways import way_of
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.model.ladder import LadderPlan
from slowlink.model.plan import Allocation, Node
from slowlink.samplers import RUN_VARIABLE
from slowlink.workflows.climb.asked import Way
from slowlink.workflows.climb.climbing import Host
from slowlink.workflows.climb.survey import survey
from slowlink.workflows.plan_run import Asked, gpus_here, plan_run
from slowlink.workflows.snapshot import Question
from slowlink.workflows.state_around import is_asked_again

_CPU_RANKS = 2
_LIMIT_S = 60.0
"""For all questions to one node."""
_REMOVED = "<redacted:"


class Said(Struct, frozen=True):
    """What the user says, as it is kept in the plan: whoever goes on needs it again."""

    launcher: str
    nodes: tuple[Node, ...]
    quick: bool = False
    layers: tuple[str, ...] | None = None
    ranks_per_node: int | None = None
    maxbytes: int | None = None
    iters: int | None = None
    benchmark: str = "auto"
    path: str | None = None
    perftest: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    """Of ``--env`` and of the shell."""
    launcher_args: tuple[str, ...] = ()
    mpirun: str | None = None
    at_once: int | None = None
    timeout_s: float = 300.0
    snapshot: bool = True
    command: tuple[str, ...] = ()
    on_gpu: bool = False
    gpu_memory: str = ""


def who(here: Surroundings, on: str | None, allocation: Allocation | None) -> tuple[str, tuple[Node, ...], str]:
    """The launcher, the nodes, and why these. Raises SlowlinkError where there is none, or where it cannot reach
    nodes one by one."""
    choice = choose(here, asked=on, nodes_given=allocation is not None)
    name = choice.launcher.name
    if name == "local":
        if allocation is not None:
            raise SlowlinkError(f"--on local is this machine, not {allocation.basis}", hint="--on ssh", slug="usage")
        return name, (Node(platform.node() or "localhost"),), choice.reason
    found = allocation or choice.launcher.allocation(here)
    waits = name == "slurm" and "SLURM_JOB_ID" not in here.environment
    if name == "kubernetes" or found is None or not found.nodes or waits:
        raise SlowlinkError(
            "which nodes? They are asked and measured one by one",
            hint="--nodes gpu[01-04], or inside a Slurm allocation (salloc)",
            slug="no-nodes",
        )
    return name, found.nodes, choice.reason


def set_out(said: Said, here: Surroundings) -> tuple[LadderPlan, Said]:
    """Ask the nodes what they have, and plan; ``said`` with what was found. Raises SlowlinkError."""
    parts, memory = survey(said.nodes, way_of(said.launcher, here.programs))
    on_gpu = said.benchmark != "probe" and gpus_here() > 0 and _has_collectives(said, here)
    gpus = min((node.gpus for node in parts), default=0)
    cpu_ranks = max(2, min(here.cpus, _CPU_RANKS))
    ranks = said.ranks_per_node or (max(gpus, gpus_here()) if on_gpu else cpu_ranks)
    no_perftest, no_memory = _perftest(said, memory)
    machine = Machine(parts, on_gpu, ranks, no_perftest, no_memory, frozenset(said.env))
    wanted = Wanted(frozenset(said.layers) if said.layers else None, said.quick, said.snapshot, bool(said.command))
    known = replace(said, on_gpu=on_gpu, gpu_memory=memory)
    return replace(plan_ladder(machine, wanted), given=to_builtins(known)), known


def _has_collectives(said: Said, here: Surroundings) -> bool:
    """Is a benchmark of GPU collectives there? Asked as ``run`` would ask."""
    allocation = None if said.launcher == "local" else Allocation(said.nodes, "of this ladder")
    asked = Asked(_request(said), said.benchmark, said.path, said.launcher, allocation, ranks_per_node=1)
    try:
        prepared = plan_run(asked, here, Path("nowhere"), on_nodes=False)
    except SlowlinkError:
        if said.benchmark != "auto":
            raise
        return False
    return prepared.job.gpus_per_node is not None


def _request(said: Said) -> Request:
    return Request("all_reduce", 8, said.maxbytes or 8, iterations=said.iters or 20)


def _perftest(said: Said, memory: str) -> tuple[str, str]:
    """Why perftest cannot be run, and why not on GPU memory; "" where it can. Raises SlowlinkError for a program that
    was named and is not there."""
    if said.launcher != "ssh":
        return f"{said.launcher} starts no pairs of perftest", ""
    try:
        program = find(benchmarks()["perftest"], WRITE, path=said.perftest)
    except SlowlinkError:
        if said.perftest is not None:
            raise
        return f"no {WRITE} here", ""
    was_read = program.features or program.with_mpi is not None
    if was_read and memory and memory not in program.features:
        return "", f"{WRITE} was built without --use_{memory}"
    return "", ""


def the_way(said: Said, here: Surroundings) -> Way:
    """What holds for all tests."""
    asked = Asked(
        _request(said),
        benchmark=said.benchmark if said.on_gpu or said.benchmark != "auto" else "probe",
        path=said.path,
        on=said.launcher,
        env={RUN_VARIABLE: here.run_id},
        options=LaunchOptions(timeout_s=said.timeout_s, extra=said.launcher_args),
    )
    return Way(
        asked,
        {node.name: node for node in said.nodes},
        said.on_gpu,
        said.launcher == "local",
        said.quick,
        said.maxbytes,
        said.iters,
        said.gpu_memory,
        said.perftest,
        said.env,
    )


def said_before(plan: LadderPlan) -> Said:
    """What was said when the ladder was begun. Raises SlowlinkError: ``no-ladder``, ``ladder-redacted`` (a secret among
    its variables is not in the bundle)."""
    try:
        said = convert(dict(plan.given), Said)
    except ValueError as error:
        raise SlowlinkError(
            f"the plan in the bundle does not say how it was begun: {error}",
            hint="another version of slowlink made it; begin anew",
            slug="no-ladder",
        ) from error
    hidden = [name for name, value in said.env.items() if _REMOVED in value]
    if hidden or any(_REMOVED in word for word in said.command):
        raise SlowlinkError(
            f"{', '.join(hidden) or 'the command'} held a secret, which is not in the bundle",
            hint="begin anew",
            slug="ladder-redacted",
        )
    return said


def host_of(said: Said, here: Surroundings) -> Host | None:
    """What the nodes are asked; None where they are not to be."""
    if not said.snapshot:
        return None
    every = chosen()
    way = way_of(said.launcher, here.programs)
    before = Question(Allocation(said.nodes, "of this ladder"), way, every, _LIMIT_S, twice=False)
    return Host(before, replace(before, collectors=tuple(each for each in every if is_asked_again(each))))
