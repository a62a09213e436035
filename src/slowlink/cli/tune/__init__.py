"""``slowlink tune``: which settings help on this fabric, and which of a given environment carry."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Container

    from slowlink.experiments.tuning import Rules, Search
    from slowlink.model.experiment import Change, Launched, Tuning
    from slowlink.workflows.experiment.launching import Setup

_SCHEMA = "slowlink-tuning/1"


@click.command("tune", cls=ReportCommand)
@click.argument("collective", default="all_reduce", callback=spelled_here)
@click.option("--try", "tries", multiple=True, metavar="NAME=VALUE", help="A setting to try. Repeatable.  [default: "
              "those of the catalogue that may matter here]")  # fmt: skip
@click.option("--catalog", "catalog_path", metavar="FILE", help="Settings to try from your own TOML (docs/tune.md).")
@click.option(
    "--libraries", metavar="NAMES", help="Of the catalogue: nccl, openmpi, ucx; default: what moves the data."
)
@click.option("--remove-from", metavar="FILE", help="The reverse: which settings of this environment carry?")
@click.option("--confirm", "most_confirmed", type=click.IntRange(1, 64), default=4, show_default=True,
              help="So many of the best get launches of their own.")  # fmt: skip
@click.option(
    "-o", "--output", "env_path", metavar="FILE", help="Write an environment file: what to set, with its gain."
)
@click.option("--from", "source", metavar="BUNDLE", help="Nothing is run: decide anew from an earlier tune.")
@experiment_options
@launch_options
def command(**given: Any) -> int:
    """Find the settings that make COLLECTIVE (all_reduce) faster here, and say which do not matter.

    \b
      slowlink tune --nodes gpu[01-04]                    what the catalogue knows
      slowlink tune alltoall --try NCCL_IB_QPS_PER_CONNECTION=4 --try NCCL_CROSS_NIC=1
      slowlink tune --remove-from job.env -o short.env    which of these settings carry?

    Each launch counts as one: they are mixed by lot, so drift meets all alike. A look at each setting, a design for
    all of them, pairs of launches for the best. Ctrl-C ends it and says what is known. Exit status: 0 all is known
    and nothing helps (with --remove-from: nothing carries), 1 something does, 2 usage, 3 something is open, 130
    interrupted.
    """
    if given["schema"]:
        return _print_schema()
    check_experiment(given)
    if sum(bool(given[name]) for name in ("tries", "catalog_path", "remove_from")) > 1:
        raise click.UsageError("--try, --catalog and --remove-from: one of them")
    if given["env_path"] is not None:
        from slowlink.cli.written_files import inputs_of, require_places

        require_places([Path(given["env_path"])], inputs_of(given))
    if given["source"] is not None:
        return _from(given)
    return _live(given)


def _from(given: dict[str, Any]) -> int:
    from slowlink.experiments.tuning import Rules, Search
    from slowlink.workflows.experiment.kept import condition_of, kept_in
    from slowlink.workflows.experiment.measured import by_names, read_captures
    from slowlink.workflows.experiment.plausible import not_to_be_set

    kept = kept_in(given["source"])
    rules, condition = kept.rules_as("tune", Rules), condition_of(given["source"])
    search = Search(rules, by_names(read_captures([given["source"]]), kept.trials))
    told = _Told(given["source"], f"of {given['source']}", condition.killed, condition.changed)
    status = _tell(given, search, told, {}, not_to_be_set(rules.changes))
    return exits.INCONCLUSIVE if condition.changed or (condition.killed and status == exits.HEALTHY) else status


def _live(given: dict[str, Any]) -> int:
    from slowlink.experiments.tuning import Rules, Search
    from slowlink.launch.surroundings import collect
    from slowlink.launch.temporary.places import temporary
    from slowlink.workflows.experiment.launching import Setup
    from slowlink.workflows.experiment.tuning import env_with
    from slowlink.workflows.launches.interface import Limits
    from slowlink.workflows.run import place_beside

    here = collect(given["mpirun"])
    asked = asked_of(given, here, sizes=3)
    place_beside(given["bundle_path"])
    with temporary() as place:
        asked, prepared = ready_nodes(given, asked, here, Path(place))
        base, changes = _changes(given, dict(asked.env), prepared, here)
        rules = Rules(
            changes,
            margin=given["margin"],
            confidence=given["confidence"],
            most_confirmed=given["most_confirmed"],
            most_pairs=given["most_pairs"],
            seed=seed_of(given),
            removing=given["remove_from"] is not None,
        )
        limits = Limits(given["timeout"], given["silent_after"])
        setup = Setup(asked, here, Path(place), env_with(base, changes), limits)
        if given["dry_run"]:
            return _describe(setup, rules)
        return _launch_all(given, setup, Search(rules), title_of(prepared), base)


def _changes(
    given: dict[str, Any], base: dict[str, str], prepared: Any, here: Any
) -> tuple[dict[str, str], tuple[Change, ...]]:
    """All variables of the plain environment, and the changes of it."""
    from slowlink.workflows.experiment import tuning
    from slowlink.workflows.job_environment import borrowed

    if given["remove_from"] is not None:
        taken = borrowed(given["remove_from"])
        if taken.left_out:
            names = ", ".join(taken.left_out)
            note(f"# not taken from {given['remove_from']}, since it names programs or code to load: {names}")
        return {**base, **taken.settings}, tuning.changes_to_remove(taken.settings)
    if given["tries"]:
        return base, tuning.changes_to_try(given["tries"], base)
    libraries = tuning.libraries_here(prepared, here)
    if given["libraries"] is not None:
        libraries = tuning.parse_libraries(given["libraries"])
    several = len(prepared.plan.nodes) > 1
    found: tuple[Change, ...] = ()
    if libraries or given["catalog_path"]:
        wanted = () if given["catalog_path"] and given["libraries"] is None else libraries
        found = tuning.changes_of_catalogue(given["catalog_path"], wanted, prepared.request.collective, several, base)
    if not found:
        raise SlowlinkError(
            "the catalogue has no setting that may matter here", hint="--try NAME=VALUE", slug="nothing-to-try"
        )
    return base, found


def _describe(setup: Setup, rules: Rules) -> int:
    """The first launches, and exactly what one runs."""
    from slowlink.experiments.tuning import Search
    from slowlink.launch.describe import describe
    from slowlink.workflows.experiment.launching import plan_of
    from slowlink.workflows.run import describable

    trials = Search(rules).plan()
    click.echo(f"# {len(rules.changes)} settings, each once alone, and the plain environment:")
    for trial in trials:
        click.echo(f"#   {trial.number:>3}  {' '.join(trial.on) or 'plain'}")
    click.echo("# then a design for all of them, and pairs for the best, as the results ask for")
    click.echo(describe(describable(plan_of(setup, trials[-1]).prepared)), nl=False)
    return exits.HEALTHY


def _launch_all(given: dict[str, Any], setup: Setup, search: Search, title: str, base: dict[str, str]) -> int:
    import sys

    from slowlink.workflows.experiment.kept import keeping
    from slowlink.workflows.experiment.launching import Launching
    from slowlink.workflows.experiment.running import run

    bundle = new_bundle(given, "tune")
    until = time.monotonic() + 60 * (given["most_minutes"] or 1e9)
    note(f"# {title}; {len(search.rules.changes)} settings; lots of seed {search.rules.seed}")
    with bundle, keeping(bundle, sys.argv) as kept:
        kept.begin("tune", search.rules)
        bundle.set_plan(_first_plan(setup))
        launching = Launching(setup, bundle, kept)
        ended = run(search, launching, _say, given["most_launches"], lambda: time.monotonic() > until)
    note(f"bundle: {bundle.directory}")
    status = _tell(given, search, _Told(str(bundle.directory), title, ended), base)
    return exits.INTERRUPTED if launching.interrupted else status


def _first_plan(setup: Setup) -> Any:
    from slowlink.model.experiment import Trial
    from slowlink.workflows.experiment.launching import plan_of

    return plan_of(setup, Trial(1, "look")).prepared.plan


def _say(launched: Launched) -> None:
    """One line for each launch, on standard error."""
    from math import exp

    from slowlink.experiments.results import log_time

    trial = launched.trial
    what = " ".join(trial.on) if len(trial.on) <= 2 else f"{len(trial.on)} settings"
    told = launched.why or f"{exp(log_time(launched)):.4g} us"
    note(f"  {trial.number:>3} {trial.stage:<8} {what or 'plain'}: {told}")


class _Told(NamedTuple):
    """What stands around an answer."""

    bundle: str
    title: str
    ended: str = ""
    """Why it came to an early end."""
    changed: str = ""
    """Why nobody should go by it."""


def _tell(
    given: dict[str, Any], search: Search, told: _Told, base: dict[str, str], left_out: Container[str] = ()
) -> int:
    from msgspec.structs import replace

    from slowlink.experiments.tuning_verdict import verdict
    from slowlink.report.tuning import environment_text, tuning_headline, tuning_text

    tuning = verdict(search)
    if told.changed:
        tuning = replace(tuning, notes=(told.changed, *tuning.notes))
    if given["env_path"] is not None:  # first: whether anybody reads what is printed is another matter
        from slowlink.cli.written_files import write_report

        write_report(Path(given["env_path"]), environment_text(tuning, told.title, base, told.bundle, left_out))
    if given["format_"] == "json":
        print_document(_SCHEMA, tuning_headline(tuning, told.title), told.title, told.ended, tuning)
    else:
        click.echo(tuning_text(tuning, told.title, told.ended))
    if given["env_path"] is not None:
        note(f"environment: {given['env_path']}")
    return _status(tuning)


def _status(tuning: Tuning) -> int:
    standings = {effect.standing for effect in tuning.effects}
    if ("harms" if tuning.removing else "helps") in standings:
        return exits.FINDINGS
    return exits.INCONCLUSIVE if "open" in standings or not standings else exits.HEALTHY


def _print_schema() -> int:
    from slowlink.cli.measuring.experiments import print_schema
    from slowlink.model.experiment import Tuning

    return print_schema(Tuning)
