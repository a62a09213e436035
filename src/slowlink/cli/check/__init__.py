"""``slowlink check``: climbs from the state of the hosts to all ranks on all nodes: where is bandwidth lost?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from slowlink import exits
from slowlink.cli.check.options import check_options, refuse_what_does_not_fit
from slowlink.cli.options import hardware_options
from slowlink.cli.pipes import note, tell
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError


@click.command("check", cls=ReportCommand)
@click.argument("command_words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@check_options
@hardware_options
def command(**given: Any) -> int:
    """Measure layer after layer, each on the one below it, and show where bandwidth is lost.

    \b
      slowlink check                                    this machine
      slowlink check --nodes gpu[01-04]                 over ssh
      salloc -N 4 slowlink check                        in a Slurm allocation
      slowlink check --nodes gpu[01-04] --quick         fewer, smaller tests
      slowlink check --nodes gpu[01-04] --layers pairs-host,one-rank
      slowlink check --nodes gpu[01-04] --experiments   and which cause it is
      slowlink check --nodes gpu[01-04] -- torchrun train.py
      slowlink check --resume slowlink-...-check        go on after Ctrl-C or a crash
      slowlink check --nodes gpu[01-04] --dry-run       every plan

    Layers: host, port, pairs-host, pairs-gpu, pairs-gpu-far, node, one-rank, two-nodes, all-nodes, command. What one
    gives is the ceiling of the next. What a machine does not have is named, and never passes. A broken layer ends the
    climb; a slow one does not. COMMAND is your own, run once at the end.

    Exit status: 0 healthy, 1 findings, such as a slow layer, 2 usage, 3 nothing can be said, or not of all, 130
    interrupted.
    """
    from slowlink.cli.check.work import climbed, described
    from slowlink.cli.measuring.keeping import history_place
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import format_of, inputs_of, require_places

    refuse_what_does_not_fit(given)
    targets = [(Path(name), format_of(name)) for name in given["outputs"]]
    require_places([path for path, _ in targets], inputs_of(given))
    place = history_place(site_settings(given["config_path"]), wanted=given["history"])
    if given["dry_run"]:
        described(given)
        return exits.HEALTHY
    directory, stopped = climbed(given)
    note(f"bundle: {directory}")
    if stopped:
        note(f"{stopped}; slowlink check --resume {directory} goes on")
    return _reported(directory, stopped, targets, given, place)


def _reported(directory: Path, stopped: str, targets: list[tuple[Path, str]], given: dict[str, Any], place: str) -> int:
    """Analyze the bundle like any other, show the report, write it where it is to go; the exit status."""
    from slowlink.cli.measuring.keeping import keep_report
    from slowlink.cli.options import hardware_of
    from slowlink.cli.shown.answer import tell_report
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import write_report
    from slowlink.report import render
    from slowlink.workflows.analyze import analyze
    from slowlink.workflows.climb.climbing import INTERRUPTED

    config = site_settings(given["config_path"])
    report = analyze(str(directory), hardware=hardware_of(given, config), tolerances=config.rules)
    tell_report(report, given["format_"], given["fail_on"])
    if not stopped:  # one that goes on later is kept when it is done
        keep_report(report, place, command="check", bundle=directory)
    rungs = report.ladder.rungs if report.ladder is not None else ()
    left = any(rung.state in ("broken", "not-run") or rung.tests < rung.planned for rung in rungs)
    status = exits.decide(
        report.verdict,
        [each.severity for each in report.diagnoses],
        given["fail_on"],
        gates=[exits.INCONCLUSIVE] if left else [],
        interrupted=stopped == INTERRUPTED,
    )
    try:
        for path, form in targets:
            write_report(path, render(report, form, fail_on=given["fail_on"]))
    except SlowlinkError as error:
        # It was measured and told: that the command line cannot work is not true any more.
        tell(error)
        return status or exits.INCONCLUSIVE
    return status
