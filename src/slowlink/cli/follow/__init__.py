"""``slowlink follow``: who holds a running job up, told while it runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from slowlink import exits
from slowlink.cli.ending import last_words
from slowlink.cli.options import config_option, fail_on_option
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options
from slowlink.errors import SlowlinkError


@click.command(cls=ReportCommand)
@click.argument("directory", metavar="DIR")
@click.option("--interval", type=FiniteRange(0.1, 3600), default=5.0, show_default=True, metavar="SECONDS",
              help="Between two looks.")  # fmt: skip
@click.option("--for", "seconds", type=FiniteRange(min=0.1), metavar="SECONDS",
              help="End after this long; default: with Ctrl-C.")  # fmt: skip
@click.option("--last", "window", type=click.IntRange(20, 1_000_000), default=2_000, show_default=True, metavar="CALLS",
              help="Of each rank and communicator that are judged, up to twice as many.")  # fmt: skip
@format_options
@fail_on_option()
@config_option
def command(
    directory: str,
    interval: float,
    seconds: float | None,
    window: int,
    format_: str,
    fail_on: str,
    config_path: str | None,
) -> int:
    """Read what NCCL's Inspector writes below DIR while it grows, and say a line when the answer changes: who holds the
    job up, that nobody does, or that it cannot be judged yet. Two looks must agree before anybody is accused.

    \b
      slowlink follow nccl-inspector-4711
      slowlink follow /shared/inspector --interval 30 --for 3600 --format json

    Lines go to standard error, the report to standard output at the end: it holds all of DIR, other logs too.
    Exit status: 130 after Ctrl-C; after --for 0 healthy, 1 findings, 3 nothing can be said.
    """
    from slowlink.cli.progress import shown_progress
    from slowlink.cli.site_settings import site_settings
    from slowlink.workflows.analyze import analyze
    from slowlink.workflows.follow.follow import follow

    config = site_settings(config_path)
    if not Path(directory).is_dir():
        raise SlowlinkError(f"{directory} is no directory", hint="name the one that the ranks write to", slug="usage")
    interrupted = False
    try:
        follow(
            Path(directory),
            _tell,
            interval_s=interval,
            longest_s=seconds,
            window_calls=window,
            tolerances=config.rules,
        )
    except KeyboardInterrupt:
        interrupted = True
    with shown_progress([directory]) as progress:
        report = analyze(directory, tolerances=config.rules, progress=progress)
    tell_report(report, format_, fail_on)
    if interrupted or progress.broken_off:
        note(last_words())
        return exits.INTERRUPTED
    severities = [each.severity for each in report.diagnoses]
    return exits.decide(report.verdict, severities, fail_on)


def _tell(words: str) -> None:
    from slowlink.report.escape import terminal_safe

    note(f"{datetime.now().astimezone():%H:%M:%S}  {terminal_safe(words)}")
