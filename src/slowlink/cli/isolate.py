"""``slowlink isolate``: which nodes and which paths among many are slow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.options import node_choice, node_options
from slowlink.cli.pipes import note
from slowlink.cli.quantities import Percent, Size
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.isolate.search import Search
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.plan_run import Asked

_LEAST_CONFIDENCE = 0.5
_BENCHMARKS = ["auto", "nccl-tests", "rccl-tests", "mccl", "probe"]


@click.command("isolate")
@node_options
@click.option("--on", type=click.Choice(["ssh", "slurm"]), help="Default: what is here, with the reason.")
@click.option("--from", "sources", metavar="PATH", multiple=True, help="Nothing is run: decide from what "
              "others measured: logs of pairs, sheets and matrices of results (text, CSV, Markdown, JSON), bundles. "
              "Repeatable.")  # fmt: skip
@click.option("--leaves", metavar="FILE", help="Which nodes hang on which leaf: 'leaf1: gpu[01-32]' a line, Slurm's "
              "topology.conf, or ibnetdiscover's output; default: what Slurm says.")  # fmt: skip
@click.option("--collective", type=click.Choice(COLLECTIVES), default="all_reduce", show_default=True)
@click.option("--ranks-per-node", type=click.IntRange(1, 4096), help="Default: the GPUs of a node; without GPU one.")
@click.option("-b", "--minbytes", type=Size(), help="Smallest size.  [default: a quarter of the largest]")
@click.option("-e", "--maxbytes", type=Size(), help="Largest size.  [default: 2G with GPUs, else 16M]")
@click.option("--iters", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="Timed iterations.")
@click.option("--benchmark", type=click.Choice(_BENCHMARKS), default="auto", show_default=True, help="What measures.")
@click.option("--path", metavar="PROGRAM", help="The benchmark's program, or the directory of its programs.")
@click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="Variable for every rank. Repeatable.")
@click.option("--confidence", type=Percent(), default="99%", show_default=True,
              help="That nobody is blamed who is sound, over all nodes.")  # fmt: skip
@click.option("--usual", type=click.FloatRange(min=0, min_open=True), metavar="GB/S",
              help="What a sound group gives; default: half of the groups are taken for sound.")  # fmt: skip
@click.option("--every-pair", is_flag=True, help="Try the path between any two nodes, in as many rounds as nodes; "
              "default: where leaves are not known and nodes are 16 or fewer.")  # fmt: skip
@click.option("--most-rounds", type=click.IntRange(1, 50), default=6, show_default=True)
@click.option("--at-once", type=click.IntRange(1), metavar="N", help="Groups at the same time; default: a round's.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=300, show_default=True,
              metavar="SECONDS", help="Each test is ended after this long: that is evidence, too.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Another one pairs other nodes first.")
@click.option("--good", "good_path", metavar="FILE", help="Write the sound nodes, one a line: a hostfile.")
@click.option("--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory here.")
@click.option("--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
def command(**given: Any) -> int:
    """Find the slow nodes, and the slow paths between nodes, among many.

    \b
      slowlink isolate --nodes gpu[001-128] --leaves topology.conf
      salloc -N 64 slowlink isolate
      slowlink isolate --from results/                  decide from pairs that others measured

    Groups of two nodes run side by side, round after round: first inside leaves, then suspects with sound partners
    while others try the paths between leaves. It ends when nothing is open. Exit status: 0 nothing slow, 1 a slow
    node or path, 2 usage, 3 nothing can be said, or not of all, 130 interrupted.
    """
    if not _LEAST_CONFIDENCE <= given["confidence"] < 1:
        raise click.BadParameter("from 50% to below 100%: certainty has no last test", param_hint="--confidence")
    leaf_of = _leaves(given["leaves"])
    search, interrupted = _from(given, leaf_of) if given["sources"] else _live(given, leaf_of)
    verdict = search.verdict()
    _show(search, given["format_"])
    if given["good_path"] is not None:
        _write_good(Path(given["good_path"]), verdict.good)
    if interrupted:
        return exits.INTERRUPTED
    if verdict.bad or verdict.paths:
        return exits.FINDINGS
    return exits.HEALTHY if verdict.is_healthy and verdict.tests and not verdict.untried else exits.INCONCLUSIVE


def _leaves(path: str | None) -> dict[str, str]:
    from slowlink.inputs.small_text import small_text
    from slowlink.launch.execute import capture
    from slowlink.launch.leaves import parse_leaves
    from slowlink.launch.surroundings import find_programs

    if path is not None:
        try:
            return parse_leaves(small_text(Path(path), _MOST_BYTES), path)
        except OSError as error:
            raise SlowlinkError(
                f"cannot read {path}: {error.strerror}", hint="check the path", slug="input-not-found"
            ) from error
    if "squeue" not in find_programs():
        return {}
    answer = capture(("scontrol", "show", "topology"), 10)
    try:
        return parse_leaves(answer.stdout, "scontrol show topology") if answer.status == 0 else {}
    except SlowlinkError:
        return {}


_MOST_BYTES = 64 << 20


def _from(given: dict[str, Any], leaf_of: dict[str, str]) -> tuple[Search, bool]:
    from slowlink.workflows.measured_pairs import measured_pairs, search_of

    outcomes = measured_pairs(given["sources"])
    if not outcomes:
        raise SlowlinkError(
            f"{', '.join(given['sources'])}: no test of two or three nodes",
            hint="logs of nccl-tests that show their hosts, or a sheet or matrix of pairs that says bandwidth",
            slug="no-pairs",
        )
    return search_of(outcomes, leaf_of, given["confidence"], given["usual"]), False


def _live(given: dict[str, Any], leaf_of: dict[str, str]) -> tuple[Search, bool]:
    from msgspec.structs import replace

    from slowlink.bundle import BundleWriter
    from slowlink.isolate.search import Search
    from slowlink.launch.surroundings import collect
    from slowlink.model.isolation import Fabric
    from slowlink.workflows.isolation import Rounds
    from slowlink.workflows.plan_run import plan_run
    from slowlink.workflows.run import workplace

    here = collect()
    asked = _asked(given, here)
    assert asked.allocation is not None
    names = tuple(node.name for node in asked.allocation.nodes)
    if len(names) < 3:
        raise SlowlinkError(
            f"{len(names)} nodes: at least three tell which one is slow", hint="slowlink run", slug="too-few-nodes"
        )
    # What cannot be planned is said before anything is made.
    two = replace(asked.allocation, nodes=asked.allocation.nodes[:2])
    plan_run(replace(asked, allocation=two), here, Path("nowhere"), on_nodes=False)
    fabric = Fabric(names, {name: leaf_of[name] for name in names if name in leaf_of})
    search = Search(
        fabric,
        confidence=given["confidence"],
        most_rounds=given["most_rounds"],
        usual_gbs=given["usual"],
        seed=given["seed"],
        every_pair=True if given["every_pair"] else None,
    )
    path = given["bundle_path"]
    bundle = BundleWriter(Path(path)) if path else BundleWriter.create(topic="isolate")
    bundle.set_nodes(names)
    with workplace() as place, bundle:
        rounds = Rounds(asked, here, bundle, Path(place), given["at_once"])
        while groups := search.plan().groups:
            note(f"round {search.rounds + 1}: {len(groups)} groups side by side")
            values = rounds.measure(groups, _tell)
            if rounds.interrupted:
                break
            search.add(list(zip(groups, values, strict=True)))
    note(f"bundle: {bundle.directory}")
    return search, rounds.interrupted


def _tell(group: tuple[str, ...], gbs: float | None) -> None:
    note(f"  {' + '.join(group)}: {'did not finish' if gbs is None else f'{gbs:.4g} GB/s'}")


def _asked(given: dict[str, Any], here: Surroundings) -> Asked:
    from slowlink.benchmarks.interface import Request
    from slowlink.launch.choose import choose
    from slowlink.launch.interface import LaunchOptions
    from slowlink.workflows.job_environment import of_this_shell, parse_assignments
    from slowlink.workflows.nodes_given import chosen_nodes
    from slowlink.workflows.plan_run import Asked, gpus_here

    allocation = chosen_nodes(node_choice(given))
    launcher = choose(here, asked=given["on"], nodes_given=allocation is not None).launcher
    allocation = allocation or launcher.allocation(here)
    if allocation is None or launcher.name not in ("ssh", "slurm"):
        raise SlowlinkError(
            "which nodes?",
            hint="--nodes gpu[01-64], or inside a Slurm allocation; --from PATH runs none",
            slug="no-nodes",
        )
    on_cpu = given["benchmark"] == "probe" or (given["benchmark"] == "auto" and not gpus_here())
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


def _show(search: Search, format_: str) -> None:
    from slowlink.report.isolation import isolation_headline, isolation_text

    verdict, nodes = search.verdict(), len(search.fabric.nodes)
    if format_ == "terminal":
        click.echo(isolation_text(verdict, nodes))
        return
    import json

    from msgspec import to_builtins

    document = {"schema": "slowlink-isolation/1", "headline": isolation_headline(verdict, nodes), "nodes": nodes}
    click.echo(json.dumps({**document, **to_builtins(verdict)}, indent=2, ensure_ascii=False))


def _write_good(path: Path, nodes: tuple[str, ...]) -> None:
    from slowlink.cli.written_files import write_report

    write_report(path, "".join(f"{node}\n" for node in nodes))
