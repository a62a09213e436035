"""``slowlink node-check``: may a job start on this node? One line, and an exit status for who asks."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.cli.measuring.one_node import question_to
from slowlink.cli.measuring.policies import policy_option, site_policy
from slowlink.cli.options import config_option, fail_on_option
from slowlink.cli.pipes import reader_may_leave, tell
from slowlink.cli.quantities import FiniteRange
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.report import Report


@click.command("node-check")
@policy_option
@click.option("--limit", type=FiniteRange(min=1, max=600), default=5, show_default=True, metavar="SECONDS",
              help="For all questions; what has no answer by then is unknown.")  # fmt: skip
@click.option("--only", metavar="NAMES", multiple=True, help="These collectors of slowlink snapshot and no others.")
@click.option("--root", metavar="DIR", default="", help="Where the host's file system lies: /host in a pod.")
@fail_on_option()
@config_option
@click.option("--output", "-o", metavar="FILE", help="Write the whole report too (.html .json .md .xml .txt).")
@click.option("--textfile", metavar="FILE", type=click.Path(path_type=Path),
              help="Write metrics too, for node_exporter's textfile collector (.prom).")  # fmt: skip
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
    textfile: Path | None,
    width: int,
) -> int:
    """Ask this node what can be asked in seconds, and say in one line whether a job may start on it.

    For Slurm's Prolog and HealthCheckProgram, an init container, node-problem-detector: docs/node-check.md has each.
    Nothing is changed, loaded or kept. A policy (slowlink policy from NODE) says what the node must be.
    Exit status: 0 it may, 1 it may not, 2 usage, 3 unknown: nothing that was read tells.
    """
    with _without_looking_for_garbage():
        return _check(policy_path, limit, only, root, fail_on, config_path, output, textfile, width)


@contextmanager
def _without_looking_for_garbage() -> Iterator[None]:
    """One node is known in a moment and in little memory: an eighth of the processor time went into looking for what
    could be given back. It is asked before each job."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check(
    policy_path: str | None,
    limit: float,
    only: tuple[str, ...],
    root: str,
    fail_on: str,
    config_path: str | None,
    output: str | None,
    textfile: Path | None,
    width: int,
) -> int:
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import format_of, require_places, write_report
    from slowlink.collectors.catalogue import chosen
    from slowlink.report import render
    from slowlink.workflows.metrics.textfile import require_textfile
    from slowlink.workflows.one_node.check import check_node, one_line, quick_collectors

    began = time.monotonic()
    place = Path(output) if output is not None else None
    form = format_of(str(place)) if place is not None else ""
    require_places([place] if place else [], ())
    if textfile is not None:
        require_textfile(textfile)
    config = site_settings(config_path)
    policy = site_policy(policy_path, config)
    names = tuple(name for words in only for name in words.replace(",", " ").split())
    collectors = chosen((), names) if names else quick_collectors(policy)
    question = question_to(None, None, collectors, limit_s=limit, root=root)
    report = check_node(question, policy, config.rules)
    status = exits.decide(report.verdict, [each.severity for each in report.diagnoses], fail_on)
    if textfile is not None:
        _write_metrics(textfile, report, status, time.monotonic() - began)
    if place is not None:
        write_report(place, render(report, form, fail_on=fail_on))
    with reader_may_leave():
        click.echo(one_line(report, question.allocation.nodes[0].name, fail_on, width))
    return status


def _write_metrics(place: Path, report: Report, status: int, took_s: float) -> None:
    """A full disk is told and changes no exit status: what was found of the node is what counts."""
    from slowlink.report.metrics.node_check import node_check_families
    from slowlink.workflows.metrics.textfile import write_textfile

    try:
        write_textfile(place, node_check_families(report, status, at=time.time() - took_s, took_s=took_s))
    except SlowlinkError as error:
        tell(error)
