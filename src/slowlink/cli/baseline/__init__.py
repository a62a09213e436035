"""``slowlink baseline``: names for runs, and later measurements beside them."""

from __future__ import annotations

from typing import Any

import click

from slowlink import exits
from slowlink.cli.baseline.comparing import compare_command
from slowlink.cli.history.options import filter_of, filter_options, opened, place_options
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.shown.sections import WholeLines


@click.group("baseline", cls=WholeLines)
def command() -> None:
    """Name runs of the history as what is usual, and hold later ones against them: better, worse or the same.

    \b
      slowlink baseline save handover --collective all_reduce --last 10
      slowlink baseline compare handover                the newest run against it
      slowlink run all_reduce --baseline handover       a gate

    Only like is compared with like: system, GPU, nodes, ranks, collective, type, program and sizes.
    """


@command.command("save")
@click.argument("name", metavar="NAME")
@click.option("--run", "runs", type=int, multiple=True, metavar="N", help="A run of the history. Repeatable.")
@click.option("--last", type=click.IntRange(1, 1000), default=1, show_default=True, help="The newest as asked.")
@filter_options
@click.option("--note", "words", default="", metavar="TEXT", help="Why: 'after the hand-over'.")
@place_options
def save_command(**given: Any) -> int:
    """Save runs as a new version of NAME: those of --run, or the newest that the filters choose."""
    from slowlink.store.read import runs_by_number, stored_runs
    from slowlink.workflows.history.baselines import save_baseline

    with opened(given) as store:
        numbers = list(given["runs"]) or [run.id for run in stored_runs(store, filter_of(given), given["last"])]
        saved = save_baseline(store, given["name"], numbers, given["words"][:1000])
        sick = [run for run in runs_by_number(store, numbers).values() if run.verdict in ("degraded", "broken")]
    for run in sick:
        note(f"run {run.id} is {run.verdict}: what is measured against it may be as sick")
    click.echo(f"{saved.name}@{saved.version}: {len(numbers)} run{'s' if len(numbers) != 1 else ''}")
    return exits.HEALTHY


@command.command("list")
@place_options
def list_command(**given: Any) -> int:
    """List all names and versions. Exit status: 0, or 3 where there is none."""
    from slowlink.report.history.baselines import names_text
    from slowlink.store.baselines import baseline_names

    with opened(given) as store:
        names = baseline_names(store)
    with reader_may_leave():
        click.echo(names_text(names) or "no baseline\n", nl=False)
    return exits.HEALTHY if names else exits.INCONCLUSIVE


@command.command("show")
@click.argument("name", metavar="NAME[@VERSION]")
@place_options
def show_command(**given: Any) -> int:
    """Show what NAME holds."""
    from slowlink.report.history.baselines import baseline_text
    from slowlink.store.baselines import stored_baseline
    from slowlink.workflows.history.baselines import name_and_version

    with opened(given) as store:
        baseline = stored_baseline(store, *name_and_version(given["name"]))
    with reader_may_leave():
        click.echo(baseline_text(baseline), nl=False)
    return exits.HEALTHY


@command.command("pin")
@click.argument("name", metavar="NAME[@VERSION]")
@place_options
def pin_command(**given: Any) -> int:
    """Comparisons with NAME take this VERSION, whatever is saved later; without a version the newest again."""
    from slowlink.store.baselines import pin_baseline, stored_baseline
    from slowlink.workflows.history.baselines import name_and_version

    name, version = name_and_version(given["name"])
    with opened(given) as store:
        stored_baseline(store, name, version)
        pin_baseline(store, name, version)
    click.echo(f"{name}: {'the newest version' if version is None else f'version {version}'} counts")
    return exits.HEALTHY


command.add_command(compare_command)
