"""``slowlink node-check``: may a job start on this node? One line, and an exit status for who asks."""

from __future__ import annotations

from pathlib import Path

import click

from slowlink import exits
from slowlink.cli.measuring.one_node import question_to
from slowlink.cli.measuring.policies import policy_option, site_policy
from slowlink.cli.pipes import reader_may_leave
from slowlink.cli.quantities import FiniteRange


@click.command("node-check")
@policy_option
@click.option("--limit", type=FiniteRange(min=1, max=600), default=5, show_default=True, metavar="SECONDS",
              help="For all questions; what has no answer by then is unknown.")  # fmt: skip
@click.option("--only", metavar="NAMES", multiple=True, help="These collectors of slowlink snapshot and no others.")
@click.option("--root", metavar="DIR", default="", help="Where the host's file system lies: /host in a pod.")
@click.option("--fail-on", type=click.Choice(exits.FAIL_ON), default=exits.DEFAULT_FAIL_ON,
              help="Least severity that makes the exit status 1.")  # fmt: skip
@click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")
@click.option("--output", "-o", metavar="FILE", help="Write the whole report too (.html .json .md .xml .txt).")
@click.option("--width", type=click.IntRange(40, 4000), default=250, show_default=True,
              help="Most characters of the line; node-problem-detector keeps 80.")  # fmt: skip
def command(
    policy_path: str | None,
    limit: float,
    only: tuple[str, ...],
    root: str,
    fail_on: str,
    config_path: str | None,
    output: str | None,
    width: int,
) -> int:
    """Ask this node what can be asked in seconds, and say in one line whether a job may start on it.

    For Slurm's Prolog and HealthCheckProgram, an init container, node-problem-detector: docs/node-check.md has each.
    Nothing is changed, loaded or kept. A policy (slowlink policy from NODE) says what the node must be.
    Exit status: 0 it may, 1 it may not, 2 usage, 3 unknown: nothing that was read tells.
    """
    from slowlink.cli.analyze import _format_of
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import require_places, write_report
    from slowlink.collectors.catalogue import chosen
    from slowlink.report import render
    from slowlink.workflows.one_node.check import check_node, one_line, quick_collectors

    place = Path(output) if output is not None else None
    form = _format_of(str(place)) if place is not None else ""
    require_places([place] if place else [], ())
    config = site_settings(config_path)
    policy = site_policy(policy_path, config)
    names = tuple(name for words in only for name in words.replace(",", " ").split())
    collectors = chosen((), names) if names else quick_collectors(policy)
    question = question_to(None, None, collectors, limit_s=limit, root=root)
    report = check_node(question, policy, config.rules)
    if place is not None:
        write_report(place, render(report, form, fail_on=fail_on))
    with reader_may_leave():
        click.echo(one_line(report, question.allocation.nodes[0].name, fail_on, width))
    return exits.decide(report.verdict, [each.severity for each in report.diagnoses], fail_on)
