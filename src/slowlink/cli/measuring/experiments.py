"""Options that the experiments share with ``slowlink run``, and the question that they make of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from slowlink import exits
from slowlink.cli.measuring.options import run_options
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange, Percent, Size

if TYPE_CHECKING:
    from msgspec import Struct

    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.plan_run import Asked, Prepared

F = TypeVar("F", bound=Callable[..., Any])

_OF_RUN = (
    *("on", "node_set", "hostfile", "exclude", "retry", "ranks_per_node", "nranks", "iters", "warmup", "datatype"),
    *("redop", "benchmark", "path", "backend", "timeout", "silent_after", "preflight", "skip_bad", "env", "env_from"),
    *("launcher_arg", "mpirun", "partition", "account", "namespace", "context", "image"),
    *("operator", "gpu_resource", "rdma_resource", "rdma_count", "host_network", "service_account", "node_selector"),
    *("tolerations", "pull_secrets", "pod_networks", "priority_class", "without_sshd"),
)
"""What ``run`` asks, and every launch of an experiment wants to know, too."""
_LARGEST, _LARGEST_ON_CPU = 1 << 30, 1 << 20
_CONFIDENCES = (0.5, 1.0)


def launch_options(function: F) -> F:
    """Where ranks start, and what they run: as in ``slowlink run``."""

    def carrier() -> None:
        """Takes the options of run."""

    run_options(carrier)
    every = {option.name: option for option in carrier.__click_params__}  # type: ignore[attr-defined]
    own = getattr(function, "__click_params__", [])
    chosen = [option for name, option in every.items() if name in _OF_RUN]
    function.__click_params__ = [*own, *chosen]  # type: ignore[attr-defined]
    return function


def experiment_options(function: F) -> F:
    """How sure, how long, and where the evidence goes."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Print what would be launched first, and stop."),
        click.option("--schema", is_flag=True, help="Print the JSON schema of --format json, and stop."),
        click.option("--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
                     show_default=True),
        click.option("--bundle", "bundle_path", metavar="DIR",
                     help="Where the evidence goes; default: a new directory here."),
        click.option("--seed", type=click.IntRange(0), help="Of the lots; default: another one each time."),
        click.option("--most-minutes", type=FiniteRange(min=0, min_open=True), metavar="MINUTES",
                     help="No launch begins later."),
        click.option("--most-launches", type=click.IntRange(1, 100_000), default=400, show_default=True),
        click.option("--most-pairs", type=click.IntRange(1, 1000), default=20, show_default=True,
                     help="Launches with it and without it, for each that is confirmed."),
        click.option("--confidence", type=Percent(), default="95%", show_default=True,
                     help="That all intervals hold, whenever it stops."),
        click.option("--margin", type=Percent(), default="1%", show_default=True, help="Less does not matter."),
        click.option("-e", "--maxbytes", type=Size(), help="Largest size.  [default: 1G with GPUs, else 1M]"),
        click.option("-b", "--minbytes", type=Size(), help="Smallest size."),
    ):  # fmt: skip
        function = option(function)
    return function


def check_experiment(given: dict[str, Any]) -> None:
    """What cannot be, before anything is looked at."""
    from slowlink.cli.run import require_collective

    require_collective(given["collective"])
    if not _CONFIDENCES[0] <= given["confidence"] < _CONFIDENCES[1]:
        raise click.BadParameter("from 50% to below 100%: certainty has no last launch", param_hint="--confidence")
    if not 0 <= given["margin"] < 1:
        raise click.BadParameter("from 0% to below 100%", param_hint="--margin")
    if given["maxbytes"] is not None and given["minbytes"] is not None and given["minbytes"] > given["maxbytes"]:
        raise click.BadParameter("the smallest size is above the largest", param_hint="-b")
    if given["benchmark"] in ("perftest", "nvbandwidth"):
        raise click.UsageError(f"{given['benchmark']} measures no collective")


def asked_of(given: dict[str, Any], here: Surroundings, *, sizes: int) -> Asked:
    """The question of every launch. ``sizes``: how many there are by default, each twice the one before."""
    from slowlink.cli.run import questions_of
    from slowlink.workflows.plan_run import gpus_here

    on_cpu = given["benchmark"] == "probe" or (given["benchmark"] == "auto" and not gpus_here())
    on_cpu = (on_cpu and given["backend"] != "nccl") or given["backend"] in ("mpi", "gloo")
    largest = given["maxbytes"] or max(_LARGEST_ON_CPU if on_cpu else _LARGEST, given["minbytes"] or 0)
    smallest = given["minbytes"] or max(largest >> (sizes - 1), 8)
    filled = {
        **given,
        "maxbytes": largest,
        "minbytes": min(smallest, largest),
        "factor": 2,
        "no_check": False,
        "program_words": (),
        "each_node": False,
        "batch": False,
    }
    (asked,) = questions_of(filled, here.run_id)
    return asked


def ready_nodes(given: dict[str, Any], asked: Asked, here: Surroundings, place: Path) -> tuple[Asked, Prepared]:
    """The question with the nodes that can take part, and its plan. Raises SlowlinkError."""
    from slowlink.workflows.launches.legs import planned
    from slowlink.workflows.preflight import ready

    plans = planned([asked], here, place / "output", None, on_nodes=False)
    if given["preflight"] and not given["dry_run"]:
        (asked,), left_out = ready([asked], plans, here, skip_bad=given["skip_bad"], tell=note)
        if left_out:
            plans = planned([asked], here, place / "output", None, on_nodes=False)
    return asked, plans[0].prepared


def title_of(prepared: Prepared) -> str:
    """What every launch measures, in words."""
    from slowlink.units import format_size

    request, count = prepared.request, max(len(prepared.plan.nodes), 1)
    sizes = format_size(request.max_bytes)
    if request.min_bytes != request.max_bytes:
        sizes = f"{format_size(request.min_bytes)} to {sizes}"
    ranks = f"{prepared.nranks} rank{'s' if prepared.nranks > 1 else ''}"
    return f"{request.collective}, {ranks} on {count} node{'s' if count > 1 else ''}, {sizes}"


def new_bundle(given: dict[str, Any], topic: str) -> BundleWriter:
    """Where the evidence goes."""
    from slowlink.bundle import BundleWriter

    if given["bundle_path"]:
        return BundleWriter(Path(given["bundle_path"]), command=sys.argv)
    return BundleWriter.create(topic=topic, command=sys.argv)


def seed_of(given: dict[str, Any]) -> int:
    """Of the lots: they must not be known to what they meet."""
    import os

    if given["seed"] is not None:
        return int(given["seed"])
    return int.from_bytes(os.urandom(4), "big")


def print_document(schema: str, headline: str, title: str, ended: str, found: Struct) -> None:
    """The answer as JSON."""
    from msgspec import to_builtins

    from slowlink.report.json import plain_json

    document = {"schema": schema, "headline": headline, "measured": title, "ended_early": ended}
    click.echo(plain_json({**document, **to_builtins(found, str_keys=True)}), nl=False)


def print_schema(found: type[Struct]) -> int:
    """The JSON schema of an answer; ends of intervals may be null, and what ``print_document`` adds is there."""
    import msgspec

    from slowlink.report.json import plain_json

    document = msgspec.json.schema(found)
    parts = document["$defs"]
    for end in ("low", "high"):
        parts["Shift"]["properties"][end] = {"anyOf": [{"type": "number"}, {"type": "null"}]}
    added = {name: {"type": "string"} for name in ("schema", "headline", "measured", "ended_early")}
    own = parts[found.__name__]
    own["properties"] = {**added, **own["properties"]}
    own["required"] = [*added, *own["required"]]
    click.echo(plain_json(document), nl=False)
    return exits.HEALTHY
