"""``slowlink history list``."""

from __future__ import annotations

from typing import Any

import click

from slowlink import exits
from slowlink.cli.history.options import filter_of, filter_options, opened, place_options
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.errors import SlowlinkError


@click.command("list")
@filter_options
@click.option("--last", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="At most so many.")
@click.option("--format", "format_", type=click.Choice(["terminal", "json", "csv"]), default="terminal")
@place_options
def list_command(**given: Any) -> int:
    """List runs, the newest first.

    Exit status: 0, or 3 where no run is as asked.
    """
    from slowlink.report.history.runs import runs_csv, runs_json, runs_text
    from slowlink.store.read import count_runs, stored_runs

    wanted = filter_of(given)
    try:
        with opened(given) as store:
            runs = stored_runs(store, wanted, given["last"])
            total = count_runs(store, wanted) if len(runs) == given["last"] else len(runs)
    except SlowlinkError as error:
        if error.slug != "history-empty":
            raise
        note(f"{error.message}; {error.hint}")
        return exits.INCONCLUSIVE
    render = {"terminal": runs_text, "json": runs_json, "csv": runs_csv}[given["format_"]]
    with reader_may_leave():
        click.echo(render(runs, total), nl=False)
    return exits.HEALTHY if runs else exits.INCONCLUSIVE
