"""``slowlink simulate``: a cluster that does not exist, with faults, on disk as its tools would print it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.quantities import FiniteRange, Percent

if TYPE_CHECKING:
    from slowlink.simulate.described import Described


@click.command("simulate")
@click.argument("directory", metavar="DIRECTORY")
@click.option("--file", "file", metavar="FILE", help="The cluster as TOML; options below count more.")
@click.option("--nodes", type=click.IntRange(2), help="How many.  [default: 16]")
@click.option("--gpus", type=click.IntRange(1), help="Of each node, each with an HCA.  [default: 8]")
@click.option("--leaf-size", type=click.IntRange(0), help="Nodes of a leaf switch; 0: nobody knows.  [default: 8]")
@click.option("--usual", "usual_gbs", type=FiniteRange(min=0, min_open=True), metavar="GB/S",
              help="What a sound group gives.  [default: 390]")  # fmt: skip
@click.option("--noise", type=Percent(), help="From test to test.  [default: 1%]")
@click.option("--disturbed", type=Percent(), help="Of the tests: something disturbs them once.  [default: 0%]")
@click.option("--training", type=click.IntRange(0), metavar="STEPS",
              help="Also what a profiler writes of a training on all nodes.  [default: 0]")  # fmt: skip
@click.option("--profiler", type=click.Choice(["inspector", "accl"]),
              help="NCCL's Inspector, or ROCm's accl-profiler.  [default: inspector]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="Another one draws other noise.  [default: 0]")
@click.option("--fault", "faults", multiple=True, metavar="WHERE:KIND[=SHARE]", help="See below. Repeatable.")
def command(directory: str, file: str | None, **given: Any) -> int:
    """Write what the tools of a sick cluster would print, to try slowlink on, or to test with.

    \b
      slowlink simulate sick --fault node07:hca-slow=0.5
      slowlink analyze sick/evidence
      slowlink isolate --from sick/evidence/pairs --leaves sick/leaves.txt
      slowlink isolate --simulate sick/cluster.toml     the live search, round by round
      slowlink simulate well; slowlink compare well/evidence sick/evidence
      slowlink simulate job --training 30 --fault node07:gpu-throttled; slowlink analyze job/evidence/inspector

    DIRECTORY gets evidence/ (a job over all nodes with NCCL's log, tests of pairs, the state of nodes), truth.json
    (what is wrong), cluster.toml and leaves.txt. The same options give the same files.

    \b
    WHERE is node07, node07/hca3, node07/gpu5, node02+node05, leaf2, leaf1+leaf3 or all. KIND, with what is left:
      hca-slow=0.5        hca-dead      gdr-off=0.28    gpu-throttled=0.75   of a node
      interference=0.1@0.3              something else runs there, in 30 % of the iterations
      hangs  slow=0.5                   a node, or the path between two
      bad-cable=0.5                     between two leaves
      oversubscribed=0.5                the uplinks of a leaf
      drift=0.05                        all: from moment to moment
    """
    from slowlink.workflows.isolating.simulated import write_simulated

    faults = write_simulated(_described(file, given), Path(directory))
    click.echo(f"written: {directory}/evidence, truth.json, cluster.toml")
    for fault in faults:
        click.echo(f"  {fault.place}: {fault.kind}, {fault.left:.0%} left")
    click.echo(f"next: slowlink analyze {directory}/evidence")
    return exits.HEALTHY


def _described(file: str | None, given: dict[str, Any]) -> Described:
    from msgspec.structs import replace

    from slowlink.simulate.described import Described
    from slowlink.workflows.isolating.simulated import load_described

    described = load_described(Path(file)) if file is not None else Described()
    faults = (*described.faults, *given.pop("faults"))
    return replace(described, faults=faults, **{name: value for name, value in given.items() if value is not None})
