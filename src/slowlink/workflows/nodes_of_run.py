"""The nodes of a run that can be asked something while it is under way, and how they are reached."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from slowlink.launch.fanout.ways import Way, way_of
from slowlink.model.plan import Node

if TYPE_CHECKING:
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.plan_run import Prepared


def nodes_of_run(prepared: Prepared, here: Surroundings) -> tuple[tuple[Node, ...], Way] | None:
    """None where the nodes are not known, or not there before the ranks are: pods, jobs that wait for their nodes."""
    launcher, nodes = prepared.plan.launcher, prepared.allocation.nodes
    if launcher == "kubernetes" or not nodes or (launcher == "slurm" and "SLURM_JOB_ID" not in here.environment):
        return None
    taking_part = tuple(node for node in nodes if node.name in prepared.plan.nodes) or nodes
    if launcher == "local":
        taking_part = (Node(platform.node() or "localhost"),)
    return taking_part, way_of(launcher, here.programs)
