"""How ``slowlink isolate`` comes to its answer: on real nodes, on simulated ones, or from what others measured."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink.cli.options import node_choice
from slowlink.cli.pipes import note
from slowlink.errors import SlowlinkError
from slowlink.report.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slowlink.isolate.search import Search
    from slowlink.launch.interface import Surroundings
    from slowlink.model.isolation import Fabric
    from slowlink.model.plan import Allocation
    from slowlink.workflows.isolating.rounds import Rounds
    from slowlink.workflows.isolating.searching import Answer
    from slowlink.workflows.plan_run import Asked

_FEWEST_NODES = 3
_SHOWN = 8


def from_others(given: dict[str, Any], leaf_of: dict[str, str]) -> Answer:
    """Nothing is run. Raises SlowlinkError where no pair was measured."""
    from msgspec.structs import replace

    from slowlink.workflows.isolating.measured_pairs import measured_pairs, search_of, with_the_rest
    from slowlink.workflows.isolating.searching import Answer
    from slowlink.workflows.nodes_given import chosen_nodes

    measured = measured_pairs(given["sources"])
    if not measured.outcomes:
        unread = f" ({measured.unread[0].path}: {measured.unread[0].problem})" if measured.unread else ""
        raise SlowlinkError(
            f"{', '.join(given['sources'])}: no test of two or three nodes{unread}",
            hint="logs of nccl-tests that show their hosts, or a sheet or matrix of pairs that says bandwidth",
            slug="no-pairs",
        )
    search = search_of(measured.outcomes, leaf_of, given["confidence"], given["usual"])
    known = search.fabric.nodes
    absent = _absent(known, chosen_nodes(node_choice(given)))
    return Answer(replace(with_the_rest(search.verdict(), measured), absent=absent), len(known) + len(absent))


def _absent(known: Sequence[str], asked: Allocation | None) -> tuple[str, ...]:
    """Of the nodes asked for, those without a test, by their names up to the first dot: a node that died early leaves
    nothing behind."""
    present = {name.partition(".")[0].lower() for name in known}
    asked_names = [node.name for node in asked.nodes] if asked is not None else []
    return tuple(name for name in asked_names if name.partition(".")[0].lower() not in present)


def simulated(given: dict[str, Any], leaf_of: dict[str, str]) -> Answer:
    """The whole search, on a cluster that does not exist."""
    from msgspec.structs import replace

    from slowlink.bundle import BundleWriter
    from slowlink.simulate.described import build
    from slowlink.workflows.isolating.rounds import SimulatedRounds
    from slowlink.workflows.isolating.searching import searched
    from slowlink.workflows.isolating.simulated import load_described

    cluster, _ = build(load_described(Path(given["simulate"])))
    search = _search(replace(cluster.fabric, leaf_of=leaf_of) if leaf_of else cluster.fabric, given)
    path = given["bundle_path"]
    hcas = tuple(f"mlx5_{number}" for number in range(cluster.gpus))
    rails = cluster.gpus if given["parts"] else 0
    with BundleWriter(Path(path)) if path else nullcontext() as bundle:
        return searched(search, SimulatedRounds(cluster, bundle), rails=rails, hcas=hcas, say=note)


def live(given: dict[str, Any], leaf_of: dict[str, str]) -> Answer | None:
    """Real nodes; None after ``--dry-run``. Raises SlowlinkError before anything is made."""
    from msgspec.structs import replace

    from slowlink.bundle import BundleWriter
    from slowlink.launch.surroundings import collect
    from slowlink.launch.temporary.places import temporary
    from slowlink.model.isolation import Fabric
    from slowlink.workflows.isolating.rails import hcas_of, rails_of
    from slowlink.workflows.isolating.rounds import Rounds
    from slowlink.workflows.isolating.searching import searched

    here = collect()
    asked = _asked(given, here)
    assert asked.allocation is not None
    names = tuple(node.name for node in asked.allocation.nodes)
    if len(names) < _FEWEST_NODES:
        raise SlowlinkError(
            f"{count(len(names), 'node')}: at least three tell which one is slow",
            hint="slowlink run measures two; slowlink check looks for what is wrong with few",
            slug="too-few-nodes",
        )
    rails = rails_of(asked) if given["parts"] else 0
    hcas = hcas_of(given["hcas"], asked, rails) if rails else ()
    rounds = Rounds(asked, here, at_once=given["at_once"], rails=rails, hcas=hcas)
    rounds.prepared(names[:2])
    search = _search(Fabric(names, {name: leaf_of[name] for name in names if name in leaf_of}), given)
    if given["dry_run"]:
        _describe(search, rounds, rails, hcas)
        return None
    path = given["bundle_path"]
    bundle = BundleWriter(Path(path)) if path else BundleWriter.create(topic="isolate")
    bundle.set_nodes(names)
    with temporary() as place, bundle:
        rounds.keep_in(bundle, Path(place))
        answer = searched(search, rounds, rails=rails, hcas=hcas, say=note)
    note(f"bundle: {bundle.directory}")
    return replace(answer, bundle=bundle.directory)


def _search(fabric: Fabric, given: dict[str, Any]) -> Search:
    from slowlink.isolate.search import Search

    return Search(
        fabric,
        confidence=given["confidence"],
        most_rounds=given["most_rounds"],
        usual_gbs=given["usual"],
        seed=given["seed"],
        every_pair=True if given["every_pair"] else None,
    )


def _describe(search: Search, rounds: Rounds, rails: int, hcas: tuple[str, ...]) -> None:
    """What would run: the first round, and the tests of rails."""
    from slowlink.launch.describe import describe
    from slowlink.model.isolation import Rail
    from slowlink.workflows.isolating.rails import rail_name

    groups = search.plan().groups
    shown = "; ".join(" + ".join(group) for group in groups[:_SHOWN]) + ("; ..." if len(groups) > _SHOWN else "")
    click.echo(f"# round 1, side by side, {len(groups)} in all: {shown}")
    click.echo("# what follows depends on what these give; each is run like the first:\n")
    click.echo(describe(rounds.prepared(groups[0]).plan))
    if not rails:
        return
    crossed = [Rail(0, 1)] if hcas else []
    click.echo(f"# then, for each slow node with a sound one, GPU 0 to {rails - 1} by turns:\n")
    click.echo(describe(rounds.prepared(groups[0], Rail(0)).plan))
    for rail in crossed:
        click.echo(f"# and a slow GPU over another's HCA, like {rail_name(rail)}:\n")
        click.echo(describe(rounds.prepared(groups[0], rail).plan))


def _asked(given: dict[str, Any], here: Surroundings) -> Asked:
    """On a machine without GPUs the benchmark that is found tells whether nodes have some."""
    from slowlink.workflows.plan_run import gpus_here, plan_run

    on_cpu = given["benchmark"] == "probe" or (given["benchmark"] == "auto" and not gpus_here())
    asked = _asked_of(given, here, on_cpu=on_cpu)
    if on_cpu and plan_run(asked, here, Path("nowhere"), on_nodes=False).benchmark != "probe":
        return _asked_of(given, here, on_cpu=False)
    return asked


def _asked_of(given: dict[str, Any], here: Surroundings, *, on_cpu: bool) -> Asked:
    from slowlink.benchmarks.interface import Request
    from slowlink.launch.choose import choose
    from slowlink.launch.interface import LaunchOptions
    from slowlink.workflows.job_environment import of_this_shell, parse_assignments
    from slowlink.workflows.nodes_given import chosen_nodes
    from slowlink.workflows.plan_run import Asked

    allocation = chosen_nodes(node_choice(given))
    launcher = choose(here, asked=given["on"], nodes_given=allocation is not None).launcher
    allocation = allocation or launcher.allocation(here)
    if allocation is None or launcher.name not in ("ssh", "slurm"):
        raise SlowlinkError(
            "which nodes?",
            hint="--nodes gpu[01-64], or inside a Slurm allocation; --from PATH runs none",
            slug="no-nodes",
        )
    largest = given["maxbytes"] or (16 << 20 if on_cpu else 2 << 30)
    # A dead HCA of eight shows in a ring; the trees over NVLink Switch of two nodes hide it.
    ring = {} if on_cpu else {"NCCL_ALGO": "Ring"}
    return Asked(
        request=Request(
            collective=given["collective"],
            min_bytes=given["minbytes"] or max(largest // 4, 8),
            max_bytes=largest,
            iterations=given["iters"],
            check=False,
        ),
        benchmark=given["benchmark"],
        path=given["path"],
        on=launcher.name,
        allocation=allocation,
        ranks_per_node=given["ranks_per_node"] or (1 if on_cpu else None),
        env={**ring, **of_this_shell(), **parse_assignments(given["env"])},
        options=LaunchOptions(timeout_s=given["timeout"]),
    )
