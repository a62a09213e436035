"""``slowlink report``: the JSON schema, and a saved report in another format."""

from __future__ import annotations

from pathlib import Path

import click

from slowlink.cli.options import fail_on_option
from slowlink.cli.pipes import note
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options


@click.command(cls=ReportCommand)
@click.argument("saved", required=False, metavar="[REPORT.json]")
@click.option("--schema", is_flag=True, help="Print the JSON schema of the report and stop.")
@format_options
@fail_on_option("Least severity that is a failure in JUnit.")
def command(saved: str | None, schema: bool, format_: str, fail_on: str) -> None:
    """Print the JSON schema, or render a report that was saved as JSON."""
    import json

    if schema:
        from slowlink.report.schema import schema as report_schema

        click.echo(json.dumps(report_schema(), indent=2))
        return
    if saved is None:
        raise click.UsageError("give a report (JSON) or --schema")
    from slowlink.errors import SlowlinkError
    from slowlink.inputs.small_text import MOST_REPORT_BYTES, small_text
    from slowlink.report.json import report_from_json

    try:
        value = json.loads(small_text(Path(saved), MOST_REPORT_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        hint = "give a file that `slowlink analyze --format json` wrote"
        raise SlowlinkError(f"cannot read the report {saved}: {error}", hint=hint, slug="report-unreadable") from error
    report = report_from_json(value)
    note(f"slowlink: this is what {saved} says; its commands are those of whoever wrote it")
    tell_report(report, format_, fail_on)
