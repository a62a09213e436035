"""``slowlink isolate``: which nodes and which paths among many are slow."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.measuring.keeping import history_option, history_place, keep_report
from slowlink.cli.options import CollectiveChoice, node_options
from slowlink.cli.quantities import FiniteRange, Percent, Size
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError
from slowlink.store.place import OFF

if TYPE_CHECKING:
    from slowlink.config import Config
    from slowlink.workflows.isolating.searching import Answer

_LEAST_CONFIDENCE = 0.5
_WIDEST = 100
_BENCHMARKS = ["auto", "nccl-tests", "rccl-tests", "mccl", "probe"]


@click.command("isolate", cls=ReportCommand)
@node_options
@click.option("--on", type=click.Choice(["ssh", "slurm"]), help="Default: what is here, with the reason.")
@click.option("--from", "sources", metavar="PATH", multiple=True, help="Nothing is run: decide from what "
              "others measured: logs of pairs, sheets and matrices of results (text, CSV, Markdown, JSON), bundles. "
              "Repeatable.")  # fmt: skip
@click.option("--leaves", metavar="FILE", help="Which nodes hang on which leaf: 'leaf1: gpu[01-32]' a line, Slurm's "
              "topology.conf, or ibnetdiscover's output; default: what Slurm says.")  # fmt: skip
@click.option("--simulate", metavar="FILE", help="Run the search on a simulated cluster (cluster.toml of slowlink "
              "simulate).")  # fmt: skip
@click.option("--parts", is_flag=True, help="Then test the GPUs and HCAs of each slow node one by one.")
@click.option("--hcas", metavar="NAMES", help="With --parts, to tell HCAs from GPUs: mlx5_0,mlx5_1,... in the order of "
              "their GPUs.")  # fmt: skip
@click.option("--collective", type=CollectiveChoice(COLLECTIVES), default="all_reduce", show_default=True)
@click.option("--ranks-per-node", type=click.IntRange(1, 4096), help="Default: the GPUs of a node; without GPU one.")
@click.option("-b", "--minbytes", type=Size(), help="Smallest size.  [default: a quarter of the largest]")
@click.option("-e", "--maxbytes", type=Size(), help="Largest size.  [default: 2G with GPUs, else 16M]")
@click.option("--iters", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="Timed iterations.")
@click.option("--benchmark", type=click.Choice(_BENCHMARKS), default="auto", show_default=True, help="What measures.")
@click.option("--path", metavar="PROGRAM", help="The benchmark's program, or the directory of its programs.")
@click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="Variable for every rank. Repeatable.")
@click.option("--confidence", type=Percent(), default="99%", show_default=True,
              help="That nobody is blamed who is sound, over all nodes.")  # fmt: skip
@click.option("--usual", type=FiniteRange(min=0, min_open=True), metavar="GB/S",
              help="What a sound group gives; default: half of the groups are taken for sound.")  # fmt: skip
@click.option("--every-pair", is_flag=True, help="Try the path between any two nodes, in as many rounds as nodes; "
              "default: where leaves are not known and nodes are 16 or fewer.")  # fmt: skip
@click.option("--most-rounds", type=click.IntRange(1, 50), default=6, show_default=True)
@click.option("--at-once", type=click.IntRange(1), metavar="N", help="Groups at the same time; default: a round's.")
@click.option("--timeout", type=FiniteRange(min=0, min_open=True), default=300, show_default=True,
              metavar="SECONDS", help="Each test is ended after this long: that is evidence, too.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Another one pairs other nodes first.")
@click.option("--good", "good_path", metavar="FILE", help="Write the sound nodes, one a line: a hostfile.")
@click.option("--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory here.")
@click.option("--dry-run", is_flag=True, help="Print what would run first, and stop.")
@click.option("--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@history_option(default=True)
def command(**given: Any) -> int:
    """Find the slow nodes, and the slow paths between nodes, among many.

    \b
      slowlink isolate --nodes gpu[001-128] --leaves topology.conf
      salloc -N 64 slowlink isolate
      slowlink isolate --from results/                  decide from pairs that others measured
      slowlink isolate --from results/ --nodes @new     the same, and who is missing there
      slowlink isolate --nodes @new --parts             also which GPU or HCA of a slow node

    Groups of two nodes run side by side, round after round: first inside leaves, then suspects with sound partners
    while others try the paths between leaves. It ends when nothing is open. Exit status: 0 nothing slow, 1 a slow
    node or path, 2 usage, 3 nothing can be said, or not of all, 130 interrupted.
    """
    from slowlink.cli.hostfile import write_hostfile
    from slowlink.cli.measuring.isolation import from_others, live, simulated
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import inputs_of, require_places

    _check(given)
    if not _LEAST_CONFIDENCE <= given["confidence"] < 1:
        raise click.BadParameter("from 50% to below 100%: certainty has no last test", param_hint="--confidence")
    if given["good_path"] is not None:
        require_places([Path(given["good_path"])], inputs_of(given))
    leaf_of = _leaves(given["leaves"])
    way = from_others if given["sources"] else simulated if given["simulate"] else live
    config = site_settings(None) if way is live else None
    kept_at = history_place(config, wanted=given["history"]) if config is not None else OFF
    answer = way(given, leaf_of)
    if answer is None:
        return exits.HEALTHY
    verdict = answer.verdict
    if given["good_path"] is not None:  # first: whether anybody reads what is printed is another matter
        write_hostfile(Path(given["good_path"]), verdict.good)
    _show(answer, given["format_"])
    if answer.interrupted:
        return exits.INTERRUPTED
    if config is not None and answer.bundle is not None and kept_at != OFF:
        _keep(answer.bundle, config, kept_at)
    if verdict.bad or verdict.paths:
        return exits.FINDINGS
    return exits.HEALTHY if verdict.is_healthy and verdict.tests and not verdict.untried else exits.INCONCLUSIVE


def _keep(bundle: Path, config: Config, kept_at: str) -> None:
    """The history has reports: what ``slowlink analyze`` says of this evidence."""
    from slowlink.workflows.analyze import analyze

    keep_report(analyze(bundle, tolerances=config.rules), kept_at, command="isolate", bundle=bundle)


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


def _check(given: dict[str, Any]) -> None:
    """Options that contradict one another."""
    nodes_named = any(given.get(name) for name in ("node_set", "hostfile", "retry", "exclude"))
    if given["sources"] and (given["simulate"] or given["on"]):
        raise click.UsageError("--from runs nothing: it takes no launcher and no simulated cluster")
    if given["simulate"] and (nodes_named or given["on"]):
        raise click.UsageError("--simulate has nodes of its own")
    if given["sources"] and given["parts"]:
        raise click.UsageError("--parts runs tests, --from none")
    if given["dry_run"] and (given["sources"] or given["simulate"]):
        raise click.UsageError("--dry-run is for real nodes; --from and --simulate run nothing")
    if given["hcas"] and not given["parts"]:
        raise click.UsageError("--hcas is for --parts")


def _show(answer: Answer, format_: str) -> None:
    from slowlink.report.isolation import isolation_headline, isolation_text

    verdict, nodes = answer.verdict, answer.nodes
    if format_ == "terminal":
        click.echo(isolation_text(verdict, nodes, answer.hcas, min(_WIDEST, get_terminal_size((_WIDEST, 24)).columns)))
        return
    from msgspec import to_builtins

    from slowlink.report.json import plain_json

    document = {"schema": "slowlink-isolation/1", "headline": isolation_headline(verdict, nodes), "nodes": nodes}
    click.echo(plain_json({**document, **to_builtins(verdict)}), nl=False)
