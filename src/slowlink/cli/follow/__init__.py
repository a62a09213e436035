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
@click.argument("directory", metavar="DIR|JOB")
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
      slowlink follow 4711                              where the ranks of this Slurm job write
      slowlink follow /shared/inspector --interval 30 --for 3600 --format json

    Lines go to standard error, the report to standard output at the end: it holds all of DIR, other logs too.
    Exit status: 130 after Ctrl-C; after --for 0 healthy, 1 findings, 3 nothing can be said.
    """
    from slowlink.cli.progress import shown_progress
    from slowlink.cli.site_settings import site_settings
    from slowlink.workflows.analyze import analyze
    from slowlink.workflows.follow.follow import follow

    config = site_settings(config_path)
    directory = _directory(directory)
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


def _directory(given: str) -> str:
    """As it is, or that of a job of Slurm."""
    from slowlink.launch.surroundings import find_programs
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.follow.of_job import directory_of, is_job

    if given and Path(given).is_dir():
        return given
    if not is_job(given):
        raise SlowlinkError(
            f"{given} is no directory",
            hint="name the one that the ranks write to, or the number of a job of Slurm",
            slug="usage",
        )
    found, why = directory_of(given, find_programs())
    note(f"# {terminal_safe(str(found))}: {why}")
    return str(found)


def _tell(words: str) -> None:
    from slowlink.report.escape import terminal_safe

    note(f"{datetime.now().astimezone():%H:%M:%S}  {terminal_safe(words)}")
