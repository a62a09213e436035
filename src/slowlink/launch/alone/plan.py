"""Each node runs the benchmark by itself: the plan of one node, for all of them."""

from __future__ import annotations

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.launch.local import LAUNCHER
from slowlink.model.plan import Allocation, Node, Plan, RankJob

_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""On a node where we are root, and are not here."""


def each_node_plan(
    job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions, reached_by: str
) -> Plan:
    """``job`` is that of one node. ``reached_by``: the launcher that would start ranks on these nodes.

    Raises SlowlinkError where nodes cannot be asked one by one: ``each-node-not-here``, ``no-nodes``.
    """
    waits = reached_by == "slurm" and ("SLURM_JOB_ID" not in here.environment or options.batch)
    if reached_by == "kubernetes" or waits:
        raise SlowlinkError(
            "--each-node needs nodes that are there and can be reached one by one",
            hint="--on ssh --nodes node[01-04], or inside a Slurm allocation (salloc)",
            slug="each-node-not-here",
        )
    if not allocation.nodes:
        raise SlowlinkError(
            f"no nodes: {allocation.basis} names none", hint="give --nodes node[01-04]", slug="no-nodes"
        )
    # How many processors the nodes have is not known here; nobody has a GPU without one.
    there = here if reached_by == "local" else replace(here, cpus=max(here.cpus, job.nranks))
    plan = LAUNCHER.plan(job, Allocation((Node("localhost"),), allocation.basis), there, options)
    as_root = _AS_ROOT if any(node.user == "root" for node in allocation.nodes) else {}
    count = len(allocation.nodes)
    return replace(
        plan,
        launcher=reached_by,
        env={**as_root, **plan.env},
        nodes=tuple(node.name for node in allocation.nodes),
        note=f"{plan.note}\non each of {count} node{'s' if count > 1 else ''} by itself, all of them side by side",
    )
