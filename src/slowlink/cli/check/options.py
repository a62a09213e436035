"""Options of ``slowlink check``: the nodes, the layers, how long, and where the evidence goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from slowlink.cli.measuring.keeping import history_option
from slowlink.cli.options import config_option, fail_on_option, node_options, report_option
from slowlink.cli.quantities import FiniteRange, Size
from slowlink.cli.verbosity import format_options

F = TypeVar("F", bound=Callable[..., object])
LAYERS = (
    *("host", "port", "pairs-host", "pairs-gpu", "pairs-gpu-far", "node", "one-rank", "two-nodes", "all-nodes"),
    "command",
)
_BENCHMARKS = ["auto", "nccl-tests", "rccl-tests", "mccl", "probe"]
WITH_RESUME = frozenset(
    {"resume", "budget", "experiments", "outputs", "format_", "fail_on", "config_path", "dry_run", "history"}
)
"""What ``--resume`` does not take from the bundle."""
_HARDWARE = frozenset({"system", "gpu", "gpus_per_node", "nics"})
_positive = FiniteRange(min=0, min_open=True)


class Layers(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``pairs-host,node``: names of layers."""

    name = "layers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        unknown = [name for name in names if name not in LAYERS]
        if unknown or not names:
            self.fail(f"there is no layer '{unknown[0] if unknown else value}'; one of {', '.join(LAYERS)}", param, ctx)
        return tuple(dict.fromkeys(names))


_OPTIONS: tuple[Callable[[F], F], ...] = (
    click.option("--on", type=click.Choice(["local", "ssh", "slurm"]), help="Default: what is here, with the reason."),
    node_options,
    click.option("--layers", type=Layers(), metavar="NAMES", help="These alone: host,node,all-nodes; default: all."),
    click.option("--quick", is_flag=True, help="One HCA, each node in one pair, smaller sizes, fewer iterations."),
    click.option("--budget", type=_positive, metavar="SECONDS", help="No test begins after this time."),
    click.option(
        "--experiments",
        is_flag=True,
        help="Where NCCL loses bandwidth or hangs: one setting after another, as its maintainers would ask.",
    ),
    click.option("--resume", metavar="BUNDLE", help="Go on with an interrupted check; its options come from there."),
    click.option(
        "--ranks-per-node", type=click.IntRange(1, 4096), help="Default: the GPUs of a node; without GPU two."
    ),
    click.option(
        "-e", "--maxbytes", type=Size(), help="Largest size of collectives.  [default: 8G with GPUs, else 4M]"
    ),
    click.option(
        "--iters", type=click.IntRange(1, 1_000_000), help="Timed iterations.  [default: 20 with GPUs, else 10]"
    ),
    click.option(
        "--benchmark",
        type=click.Choice(_BENCHMARKS),
        default="auto",
        show_default=True,
        help="What measures collectives.",
    ),
    click.option("--path", metavar="PROGRAM", help="The benchmark's program, or the directory of its programs."),
    click.option("--perftest", metavar="PROGRAM", help="ib_write_bw, or the directory where it is."),
    click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="Variable for every rank. Repeatable."),
    click.option("--launcher-arg", multiple=True, metavar="ARG", help="Passed to mpirun or srun as it is. Repeatable."),
    click.option("--mpirun", metavar="PROGRAM", help="Starts ranks; default: beside this Python, on PATH."),
    click.option("--at-once", type=click.IntRange(1), metavar="N", help="Tests at the same time; default: a round's."),
    click.option(
        "--timeout",
        type=_positive,
        default=300,
        show_default=True,
        metavar="SECONDS",
        help="Each test is ended after this long: then its layer is broken.",
    ),
    click.option("--snapshot/--no-snapshot", default=True, help="Ask the nodes for their state before and after."),
    fail_on_option(),
    history_option(default=True),
    click.option("--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory."),
    report_option,
    format_options,
    config_option,
    click.option("--dry-run", is_flag=True, help="Print every plan, and stop. Nodes are asked what they have."),
)


def check_options(function: F) -> F:
    """All of them, in the order in which ``--help`` shows them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def refuse_what_does_not_fit(given: dict[str, Any]) -> None:
    """Raises click.UsageError for options that say two things."""
    if given["resume"] is not None:
        context = click.get_current_context()
        own = [
            name
            for name in given
            if name not in WITH_RESUME | _HARDWARE
            and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        ]
        if own:
            options = {each.name: each.opts[0] for each in context.command.params}
            raise click.UsageError(f"--resume takes its options from the bundle, so {options[own[0]]} cannot be given")
    if given["layers"] and "command" in given["layers"] and not given["command_words"]:
        raise click.UsageError("--layers command needs a command behind --")
    if given["command_words"] and given["command_words"][0].startswith("-"):
        raise click.UsageError(f"'{given['command_words'][0]}' is no command; options stand before --")
