"""``slowlink baseline compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from slowlink.cli.history.options import filter_of, filter_options, opened, place_options
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.quantities import Percent

if TYPE_CHECKING:
    from slowlink.model.baseline import AgainstBaseline, Baseline
    from slowlink.store.connect import Store


@click.command("compare")
@click.argument("name", metavar="NAME[@VERSION]")
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--run", "runs", type=int, multiple=True, metavar="N", help="A run of the history. Repeatable.")
@click.option("--last", type=click.IntRange(1, 1000), default=1, show_default=True, help="The newest as asked.")
@filter_options
@click.option("--other-nodes", is_flag=True, help="Another set of as many nodes is like the baseline's.")
@click.option("--margin", type=Percent(), default="1%", show_default=True, help="Changes within it do not matter.")
@click.option("--tolerance", type=Percent(), default="5%", show_default=True, help="'same' excludes a greater loss.")
@click.option("--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal")
@place_options
def compare_command(**given: Any) -> int:
    """Hold runs against NAME: the newest that the filters choose and NAME does not hold, those of --run, or a bundle,
    log or saved report at PATH.

    Exit status: 0 better or the same, 1 worse or broken, 3 open, something that was measured is not in the baseline,
    or not everything was read.
    """
    from slowlink.report.history.baselines import against_json, against_text
    from slowlink.store.baselines import stored_baseline
    from slowlink.workflows.history.baselines import name_and_version, status_of

    if given["path"] and given["runs"]:
        raise click.UsageError("one of PATH and --run")
    with opened(given) as store:
        found = _found(given, store, stored_baseline(store, *name_and_version(given["name"])))
    with reader_may_leave():
        click.echo((against_json if given["format_"] == "json" else against_text)(found), nl=False)
    return status_of(found)


def _found(given: dict[str, Any], store: Store, baseline: Baseline) -> AgainstBaseline:
    from slowlink.cli.site_settings import site_settings
    from slowlink.expect.baseline import Tolerated
    from slowlink.store.read import stored_runs
    from slowlink.workflows.compare import report_at
    from slowlink.workflows.history.baselines import compare_report, compare_runs

    tolerated = Tolerated(given["margin"], given["tolerance"])
    if given["path"]:
        rules = site_settings(given["config_path"]).rules
        report = report_at(given["path"], None, rules)
        return compare_report(store, baseline, report, tolerated, given["path"], other_nodes=given["other_nodes"])
    runs = list(given["runs"])
    if not runs:
        newest = stored_runs(store, filter_of(given), given["last"] + len(baseline.runs))
        runs = [run.id for run in reversed(newest) if run.id not in baseline.runs][-given["last"] :]
        if not runs:
            held = "" if not newest else f" that {given['name']} does not hold"
            note(f"slowlink: no run is as asked{held}; measure again, or give a PATH or --run N")
    return compare_runs(store, baseline, runs, tolerated, other_nodes=given["other_nodes"])
