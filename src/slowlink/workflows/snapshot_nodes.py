"""Whom a snapshot asks, and by which way: what options name, else the Slurm allocation around us, else this machine."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.pods import pods_with
from slowlink.launch.fanout.ways import OverKubernetes, Way, way_of
from slowlink.launch.slurm_allocation import allocation_of
from slowlink.model.plan import Allocation, Node


class Given(Struct, frozen=True):
    """What options say."""

    on: str | None = None
    allocation: Allocation | None = None
    """From ``--nodes`` or ``--hostfile``."""
    pods: str | None = None
    """Labels of pods."""
    context: str | None = None
    namespace: str | None = None
    container: str | None = None
    """Of each pod; else the one that kubectl takes."""
    every_pod: bool = False
    """Not only one of each node."""


def destination(
    given: Given, environment: Mapping[str, str], programs: Mapping[str, str]
) -> tuple[Allocation, Way, str]:
    """Nodes, the way to them, and why these. Raises SlowlinkError when there is no such way or no node."""
    name, reason = _name_of(given, environment, programs)
    way = way_of(name, programs, context=given.context, namespace=given.namespace, container=given.container)
    if isinstance(way, OverKubernetes):
        if given.pods is not None:
            return pods_with(given.pods, way, every=given.every_pod), way, reason
        if given.allocation is None:
            raise SlowlinkError(
                "which pods? One of them is asked on each node",
                hint="--pods app=gpu-agent, or --nodes with the names of pods",
                slug="no-nodes",
            )
    if given.allocation is not None:
        if name == "local":
            raise SlowlinkError(
                f"--on local asks this machine, not {given.allocation.basis}", hint="--on ssh", slug="usage"
            )
        return given.allocation, way, reason
    if name == "local":
        return Allocation((Node(platform.node() or "localhost"),), "this machine"), way, reason
    around = allocation_of(environment)
    if around is None:
        raise SlowlinkError(
            "which nodes? None were given, and there is no Slurm allocation here",
            hint="--nodes node[01-16] or --hostfile FILE; slowlink nodes reads other sources",
            slug="no-nodes",
        )
    return around, way, reason


def _name_of(given: Given, environment: Mapping[str, str], programs: Mapping[str, str]) -> tuple[str, str]:
    if given.on is not None:
        return given.on, "asked for"
    if given.pods is not None:
        return "kubernetes", "pods were named"
    if given.allocation is not None:
        return "ssh", "nodes were named"
    if "SLURM_JOB_ID" in environment and "srun" in programs:
        return "slurm", f"inside the allocation of Slurm job {environment['SLURM_JOB_ID']}"
    return "local", "no nodes were named"
