"""``slowlink interfere``: what a load, a setting or a command does to the iterations, and for which rank all wait."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.measuring.experiments import (
    asked_of,
    check_experiment,
    experiment_options,
    launch_options,
    new_bundle,
    print_document,
    ready_nodes,
    seed_of,
    title_of,
)
from slowlink.cli.options import spelled_here
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter
    from slowlink.experiments.interference import Comparison
    from slowlink.launch.interface import Surroundings
    from slowlink.model.experiment import Change, Interference, Launched, Trial
    from slowlink.workflows.experiment.launching import Around
    from slowlink.workflows.plan_run import Asked, Prepared

_SCHEMA = "slowlink-interference/1"
_PAIR = 2


@click.command("interfere", cls=ReportCommand)
@click.argument("collective", default="all_reduce", callback=spelled_here)
@click.option("--load", "load", metavar="KIND[:N]", help="A load that slowlink starts and ends itself: cpu, memory, "
              "disk, network (N of them on each node), dcgm-diag (:4, :eud), gpu-burn.")  # fmt: skip
@click.option("--load-on", "load_on", metavar="SET", help="Nodes that get the load; default: all of the run.")
@click.option("--setting", "settings", multiple=True, metavar="NAME=VALUE",
              help="Variables of the ranks that are on and off, all of them together. Repeatable.")  # fmt: skip
@click.option("--prepare", "prepared", metavar="NAMES", help="Settings of nodes that slowlink prepare knows: "
              "governor, acs ...; set, and rolled back, for every pair.")  # fmt: skip
@click.option("--switch-on", metavar="COMMAND", help="Run here before each launch with it; words as a shell would "
              "split them, but no shell.")  # fmt: skip
@click.option("--switch-off", metavar="COMMAND", help="Run here after it, whatever happened.")
@click.option("--switch-within", type=FiniteRange(min=1), default=120, show_default=True, metavar="SECONDS",
              help="What either of them may take.")  # fmt: skip
@click.option("--from", "sources", multiple=True, metavar="BUNDLE", help="Nothing is run: decide anew from a bundle of "
              "interfere; twice: before and after, two bundles of any launches (a reboot between them).")  # fmt: skip
@experiment_options
@launch_options
def command(**given: Any) -> int:
    """Find out what something that comes and goes does to COLLECTIVE (all_reduce), and for which rank all wait.

    \b
      slowlink interfere --nodes gpu[01-04] --load dcgm-diag:eud --load-on gpu03
      slowlink interfere --nodes gpu[01-04] --load cpu:4
      slowlink interfere alltoall --nodes gpu[01-04] --setting NCCL_NET_GDR_LEVEL=LOC
      slowlink interfere --nodes gpu[01-04] --prepare governor
      slowlink interfere --switch-on 'systemctl start site-diag' --switch-off 'systemctl stop site-diag'
      slowlink interfere --from before/ --from after/

    Pairs of launches with and without it, in an order drawn by lot, until its effect is settled. A load ends with its
    launch, with Ctrl-C, and when slowlink is killed. Exit status: 0 it does not matter, 1 it does, 2 usage, 3 open,
    130 interrupted.
    """
    if given["schema"]:
        return _print_schema()
    check_experiment(given)
    _check(given)
    if given["sources"]:
        return _from(given)
    return _live(given)


def _check(given: dict[str, Any]) -> None:
    switch = given["switch_on"] is not None or given["switch_off"] is not None
    factors = [bool(given["load"]), bool(given["settings"]), bool(given["prepared"]), switch, bool(given["sources"])]
    if sum(factors) != 1:
        raise click.UsageError("one of --load, --setting, --prepare, --switch-on with --switch-off, --from")
    if switch and (not given["switch_on"] or not given["switch_off"]):
        raise click.UsageError("--switch-on and --switch-off belong together: what is switched on is switched off")
    if given["load_on"] is not None and not given["load"]:
        raise click.UsageError("--load-on is for --load")
    if len(given["sources"]) > _PAIR:
        raise click.UsageError("--from: one bundle, or two")


def _from(given: dict[str, Any]) -> int:
    from slowlink.experiments.interference import Comparison, Rules
    from slowlink.workflows.experiment.bundles import before_and_after
    from slowlink.workflows.experiment.kept import condition_of, kept_in
    from slowlink.workflows.experiment.measured import by_names, read_captures

    sources = given["sources"]
    if len(sources) == 1:
        kept = kept_in(sources[0])
        rules = kept.rules_as("interfere", Rules)
        comparison = Comparison(rules, by_names(read_captures(sources), kept.trials))
    else:
        change, found = before_and_after(*sources)
        comparison = Comparison(Rules(change, given["margin"], given["confidence"]), found, by_lot=False)
    conditions = [condition_of(source) for source in sources]
    killed, changed = ("; ".join(filter(None, words)) for words in zip(*conditions, strict=True))
    status = _tell(given, comparison, f"the launches of {sources[0]}", killed, changed)
    return exits.INCONCLUSIVE if changed or (killed and status == exits.HEALTHY) else status


def _live(given: dict[str, Any]) -> int:
    from slowlink.experiments.interference import Comparison, Rules
    from slowlink.launch.surroundings import collect
    from slowlink.launch.temporary.places import temporary
    from slowlink.model.experiment import Trial
    from slowlink.workflows.experiment.kept import keeping
    from slowlink.workflows.experiment.launching import Launching, Setup, nothing, plan_of
    from slowlink.workflows.experiment.running import run
    from slowlink.workflows.experiment.tuning import env_with
    from slowlink.workflows.launches.interface import Limits
    from slowlink.workflows.run import place_beside

    here = collect(given["mpirun"])
    asked = asked_of(given, here, sizes=1)
    place_beside(given["bundle_path"])
    with temporary() as place:
        asked, prepared = ready_nodes(given, asked, here, Path(place))
        change, variables, make = _factor(given, asked, prepared, here)
        rules = Rules(change, given["margin"], given["confidence"], given["most_pairs"], seed_of(given))
        limits = Limits(given["timeout"], given["silent_after"])
        base = dict(asked.env)
        env_of = env_with(base, variables)
        both = {change.id: [each.id for each in variables]}

        def env(on: Any) -> dict[str, str]:
            return env_of([each for name in on for each in both[name]])

        setup = Setup(asked, here, Path(place), env, limits, with_files=True)
        comparison = Comparison(rules)
        if given["dry_run"]:
            return _describe(setup, comparison, given)
        title = title_of(prepared)
        bundle = new_bundle(given, "interfere")
        until = time.monotonic() + 60 * (given["most_minutes"] or 1e9)
        note(f"# {title}; {change.id} on and off; lots of seed {rules.seed}")
        with bundle, keeping(bundle, sys.argv) as kept:
            from msgspec.structs import replace

            kept.begin("interfere", rules)
            bundle.set_plan(plan_of(setup, Trial(1, "compare")).prepared.plan)
            setup = replace(setup, around=make(bundle) if make is not None else nothing)
            launching = Launching(setup, bundle, kept)
            ended = run(comparison, launching, _say, given["most_launches"], lambda: time.monotonic() > until)
    note(f"bundle: {bundle.directory}")
    status = _tell(given, comparison, title, ended)
    return exits.INTERRUPTED if launching.interrupted else status


def _factor(
    given: dict[str, Any], asked: Asked, prepared: Prepared, here: Surroundings
) -> tuple[Change, tuple[Change, ...], Callable[[BundleWriter], Around] | None]:
    """What is switched: as one change, as variables of the ranks, and what is entered around a launch."""
    from slowlink.model.experiment import Change
    from slowlink.workflows.experiment import switching
    from slowlink.workflows.experiment.tuning import changes_to_try

    if given["settings"]:
        variables = changes_to_try(given["settings"], dict(asked.env))
        return Change(" ".join(each.id for each in variables)), variables, None
    if given["load"]:
        change, make = switching.load_around(
            given["load"], given["load_on"], prepared, here, given["timeout"], given["image"]
        )
        return change, (), make
    if given["prepared"]:
        change, make = switching.prepare_around(given["prepared"], prepared, given["switch_within"], here.run_id)
        return change, (), make
    on, off = _words(given["switch_on"], "--switch-on"), _words(given["switch_off"], "--switch-off")
    change, make = switching.switch_around(on, off, given["switch_within"])
    return change, (), make


def _words(text: str, option: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise SlowlinkError(f"{option}: {error}", hint="quote it as for a shell", slug="usage") from error
    if not words:
        raise SlowlinkError(f"{option} is empty", hint="name a program and its words", slug="usage")
    return words


def _describe(setup: Any, comparison: Comparison, given: dict[str, Any]) -> int:
    from slowlink.launch.describe import describe
    from slowlink.workflows.experiment.launching import plan_of
    from slowlink.workflows.run import describable

    change = comparison.rules.change.id
    click.echo(f"# pairs of launches with and without: {change}")
    click.echo(f"# at most {given['most_pairs']} pairs; the first:")
    for trial in comparison.plan():
        click.echo(f"\n# {trial.number}: {'with' if trial.on else 'without'}")
        click.echo(describe(describable(plan_of(setup, trial).prepared)), nl=False)
    return exits.HEALTHY


def _say(launched: Launched) -> None:
    """One line for each launch, on standard error."""
    from math import exp

    from slowlink.experiments.interference import mean_time

    trial: Trial = launched.trial
    told = launched.why or f"{exp(mean_time(launched)):.4g} us"
    note(f"  {trial.number:>3} pair {trial.pair:<3} {'with' if trial.on else 'without'}: {told}")


def _tell(given: dict[str, Any], comparison: Comparison, title: str, ended: str, changed: str = "") -> int:
    """``changed``: why nobody should go by it."""
    from msgspec.structs import replace

    from slowlink.report.interference import interference_headline, interference_text

    found = comparison.verdict()
    if changed:
        found = replace(found, notes=(changed, *found.notes))
    if given["format_"] == "json":
        print_document(_SCHEMA, interference_headline(found, title), title, ended, found)
    else:
        click.echo(interference_text(found, title, ended))
    return _status(found)


def _status(found: Interference) -> int:
    if found.standing in ("harms", "helps"):
        return exits.FINDINGS
    return exits.HEALTHY if found.standing == "does-not-matter" else exits.INCONCLUSIVE


def _print_schema() -> int:
    from slowlink.cli.measuring.experiments import print_schema
    from slowlink.model.experiment import Interference

    return print_schema(Interference)
