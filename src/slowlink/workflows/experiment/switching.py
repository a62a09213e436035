"""What a user asks to be switched on and off, as something that is entered around a launch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.launch.fanout.ways import way_of
from slowlink.loads import parse_load
from slowlink.model.experiment import Change
from slowlink.model.plan import Node
from slowlink.nodes import expand, fold
from slowlink.quoting import quote
from slowlink.workflows.experiment.factors import Load, Switch, around_load, around_switch

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.experiment.launching import Around
    from slowlink.workflows.plan_run import Prepared

    Make = Callable[[BundleWriter], Around]

_AFTER_S = 60.0
"""A load that has lost us lives so much longer than the longest launch."""


def load_around(
    text: str, on: str | None, prepared: Prepared, here: Surroundings, timeout_s: float, image: str | None
) -> tuple[Change, Make]:
    """``text``: ``cpu:4``; ``on``: the nodes that get it, None: all. Raises SlowlinkError."""
    name, amount = parse_load(text)
    nodes = tuple(node for node in prepared.allocation.nodes if node.name in set(prepared.plan.nodes))
    if prepared.plan.launcher == "kubernetes" or not nodes:
        raise SlowlinkError(
            "a load needs nodes that are there before the ranks"
            + (f"; in {image} nobody can put one" if image else ""),
            hint="--nodes SET over ssh, or inside an allocation (salloc)",
            slug="cannot-load",
        )
    loaded = nodes if on is None else _chosen(on, nodes)
    others = tuple(node for node in nodes if node not in loaded)
    way = way_of(prepared.plan.launcher, here.programs)
    load = Load(name, amount, loaded, others, way, timeout_s + _AFTER_S, sys.executable)
    where = "all nodes" if not others else fold(node.name for node in loaded)
    change = Change(f"{text} on {where}" if len(nodes) > 1 else text)
    return change, lambda bundle: around_load(load, change.id, bundle)


def _chosen(text: str, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    wanted = set(expand(text))
    if unknown := sorted(wanted - {node.name for node in nodes}):
        raise SlowlinkError(
            f"{fold(unknown)} {'takes' if len(unknown) == 1 else 'take'} no part in the run",
            hint=f"--load-on is a part of {fold(node.name for node in nodes)}",
            slug="no-such-node",
        )
    return tuple(node for node in nodes if node.name in wanted)


def switch_around(on: tuple[str, ...], off: tuple[str, ...], patience_s: float) -> tuple[Change, Make]:
    """Commands of the user."""
    change = Change(quote(on))
    switch = Switch(on, off, patience_s)
    return change, lambda bundle: around_switch(switch, change.id, bundle)


def prepare_around(names: str, prepared: Prepared, patience_s: float, run_id: str) -> tuple[Change, Make]:
    """Settings of nodes, set by ``slowlink prepare`` and rolled back by its record. Raises SlowlinkError."""
    from slowlink.workflows.prepare_nodes.session import default_directory

    launcher = prepared.plan.launcher
    if launcher not in ("local", "ssh", "slurm"):
        raise SlowlinkError(
            "--prepare needs nodes that can be reached", hint="--on ssh or slurm", slug="cannot-prepare"
        )
    reached = () if launcher == "local" else ("--on", launcher, "--nodes", fold(prepared.plan.nodes))
    program = (sys.executable, "-m", "slowlink", "prepare")
    choice = ("--only", names, *reached)
    # A directory of its own: a rollback takes the latest record, which must be ours.
    records = ("-o", str(default_directory(None) / f"interfere-{run_id}"))
    _require_something_to_set((*program, *choice, "--check"), patience_s)
    on, off = (*program, "--apply", *choice, *records), (*program, "--rollback", *records)
    change = Change(f"prepare {names}")
    switch = Switch(on, off, patience_s)
    return change, lambda bundle: around_switch(switch, change.id, bundle)


def _require_something_to_set(argv: tuple[str, ...], patience_s: float) -> None:
    answer = capture(argv, patience_s)
    if answer.status == 1:
        return
    words = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
    if answer.status == 0:
        raise SlowlinkError(
            "all nodes are as slowlink prepare would set them: there is nothing to switch",
            hint="slowlink prepare shows what nodes have",
            slug="nothing-to-set",
        )
    raise SlowlinkError(
        f"slowlink prepare cannot look at these settings: {words[0] if words else 'no word'}",
        hint="try it by itself: slowlink prepare --only ...",
        slug="cannot-prepare",
    )
