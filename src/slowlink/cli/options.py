"""Options that several commands share: the hardware that the user names, thresholds of gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from slowlink import exits

if TYPE_CHECKING:
    from slowlink.config import Config
    from slowlink.model.facts import Hardware
    from slowlink.workflows.nodes_given import NodeChoice

_MOST_NODES = 100_000
F = TypeVar("F", bound=Callable[..., object])


class NodeCount(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """How many nodes: ``4``, or a set of them as other commands take it: ``gpu[01-04]``."""

    name = "nodes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from slowlink.errors import SlowlinkError
        from slowlink.nodes import expand

        text = str(value).strip()
        if text.isascii() and text.isdecimal():
            count = int(text[:9])
        else:
            try:
                count = len(expand(text))
            except SlowlinkError as error:
                self.fail(error.message, param, ctx)
        if not 1 <= count <= _MOST_NODES:
            self.fail(f"'{value}' is no number of nodes between 1 and {_MOST_NODES:,}", param, ctx)
        return count


class CollectiveChoice(click.Choice):  # type: ignore[type-arg,unused-ignore]
    """One of some collectives, however it is written: ``AllReduce``, ``all-reduce``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from slowlink.collectives import as_spelled_here

        return super().convert(as_spelled_here(str(value)), param, ctx)


def spelled_here(_context: click.Context, _param: click.Parameter, value: str) -> str:
    """Names of collectives between commas as slowlink writes them; all else stays as it is."""
    from slowlink.benchmarks.interface import COLLECTIVES
    from slowlink.collectives import as_spelled_here

    names = [(name, as_spelled_here(name)) for name in value.split(",")]
    return ",".join(here if here in COLLECTIVES else name for name, here in names)


def nodes_option(default: int | None = None) -> Callable[[F], F]:
    """``--nodes`` of the commands that ask nobody: how many nodes the job has."""
    return click.option(
        "--nodes",
        type=NodeCount(),
        metavar="N",
        default=default,
        show_default=default is not None,
        help="Nodes of the job: how many, or a set like gpu[01-04].",
    )


def node_options(function: F) -> F:
    """``--nodes --hostfile --exclude --retry``: the nodes of commands that go there."""
    for option in (
        click.option(
            "--retry",
            metavar="BUNDLE",
            help="Nodes: those of this earlier bundle that did not answer, or whose program failed.",
        ),
        click.option(
            "-x", "--exclude", multiple=True, metavar="SET", help="But not these of the nodes named. Repeatable."
        ),
        click.option("--hostfile", metavar="FILE", help="Nodes from a file (Open MPI, MPICH, plain names)."),
        click.option(
            "--nodes",
            "node_set",
            metavar="SET",
            help="Nodes: gpu[01-04]; a,b,c; @group (as ClusterShell knows them); ^FILE.",
        ),
    ):
        function = option(function)
    return function


def way_options(function: F) -> F:
    """``--on --pods --context --namespace --container``: the way to nodes that are asked."""
    for option in (
        click.option(
            "--container", metavar="NAME", help="Kubernetes: this one of each pod; default: the one that kubectl takes."
        ),
        click.option("--namespace", help="Kubernetes."),
        click.option("--context", help="Kubernetes."),
        click.option(
            "--pods",
            metavar="LABELS",
            help="Kubernetes: running pods with these labels are asked, of each node one (attach: all).",
        ),
        click.option(
            "--on",
            type=click.Choice(["local", "ssh", "slurm", "kubernetes"]),
            help="The way to nodes; default: ssh to those that are named, the Slurm allocation, this machine.",
        ),
    ):
        function = option(function)
    return function


def node_choice(given: Mapping[str, Any]) -> NodeChoice:
    """What ``node_options`` said."""
    from slowlink.workflows.nodes_given import NodeChoice

    return NodeChoice(given["node_set"], given["hostfile"], given["retry"], given["exclude"])


def config_option(function: F) -> F:
    """``--config``: what the site says of its hardware, its tolerances and its programs."""
    return click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")(
        function
    )


def fail_on_option(meaning: str = "Least severity that makes the exit status 1.") -> Callable[[F], F]:
    """``--fail-on``: from which severity on a diagnosis counts."""
    return click.option(
        "--fail-on",
        type=click.Choice(exits.FAIL_ON),
        default=exits.DEFAULT_FAIL_ON,
        show_default=True,
        help=meaning,
    )


def report_option(function: F) -> F:
    """``-o``: reports that a command writes beside its bundle."""
    return click.option(
        "--output",
        "-o",
        "outputs",
        multiple=True,
        metavar="FILE",
        help="Write a report too (.html .json .md .xml .txt). Repeatable.",
    )(function)


def gate_options(function: F) -> F:
    """``--min-busbw --min-percent``: thresholds of the user, for what is measured and for finished logs."""
    from slowlink.cli.quantities import FiniteRange, Percent

    for option in (
        click.option(
            "--min-percent",
            type=Percent(),
            metavar="PERCENT",
            help="Gate: exit 1 below this share of what the hardware can give: 90.",
        ),
        click.option(
            "--min-busbw",
            type=FiniteRange(min=0, min_open=True),
            metavar="GB/S",
            help="Gate: exit 1 below it.",
        ),
    ):
        function = option(function)
    return function


def hardware_options(function: F) -> F:
    """``--system --gpu --gpus-per-node --nics``: what the log does not tell."""
    for option in (
        click.option("--nics", metavar="COUNTxGBIT", help="NICs of a node: 8x400, or 4x200+1x100."),
        click.option("--gpus-per-node", type=click.IntRange(1, 1024), help="GPUs of a node that take part."),
        click.option(
            "--gpu",
            metavar="ID",
            help="GPU of the catalogue or its printed name: h100-sxm, 'NVIDIA H100 80GB HBM3'.",
        ),
        click.option(
            "--system",
            metavar="ID",
            help="System of the catalogue: hgx_h100 (slowlink expect --list-systems).",
        ),
    ):
        function = option(function)
    return function


def hardware_of(given: Mapping[str, Any], config: Config) -> Hardware | None:
    """What ``--system --gpu --gpus-per-node --nics``, else the site's configuration, say; None where neither does."""
    names = ("system", "gpu", "gpus_per_node", "nics")
    named = {name: given[name] or getattr(config, name) for name in names}
    if not any(named.values()):
        return None
    from slowlink.catalog.given import given_hardware

    return given_hardware(**named)
