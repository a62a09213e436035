"""``slowlink analyze``: any heap of logs to a cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.ending import last_words
from slowlink.cli.measuring.keeping import history_option, history_place, keep_report
from slowlink.cli.measuring.policies import policy_gate, policy_option, site_policy
from slowlink.cli.options import fail_on_option, gate_options, hardware_options
from slowlink.cli.pipes import note
from slowlink.cli.progress import shown_progress
from slowlink.cli.reading.reading_there import is_there, read_there, there_options
from slowlink.cli.reading.workers import engine_of, workers_option
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options, is_quiet
from slowlink.cli.written_files import format_of, require_places, write_report

if TYPE_CHECKING:
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Judged


@click.command(cls=ReportCommand)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@hardware_options
@there_options
@format_options
@click.option(
    "--output", "-o", "outputs", multiple=True, metavar="FILE",
    help="Write a report too; its name tells the format (.html .json .md .xml .txt). Repeatable.",
)  # fmt: skip
@fail_on_option()
@gate_options
@click.option(
    "--config",
    "config_path",
    metavar="FILE",
    help="Site settings; default: slowlink.toml here, if there is one.",
)
@policy_option
@history_option(default=False)
@workers_option
def command(
    paths: tuple[str, ...],
    system: str | None,
    gpu: str | None,
    gpus_per_node: int | None,
    nics: str | None,
    format_: str,
    outputs: tuple[str, ...],
    fail_on: str,
    min_busbw: float | None,
    min_percent: float | None,
    config_path: str | None,
    policy_path: str | None,
    history: bool,
    workers: str | None,
    **there: Any,
) -> int:
    """Read logs and answer with a verdict, the root cause, the lines that prove it and what to do.

    PATH is a file, a directory or an archive (gzip, zstd, xz, lzma, bzip2, tar, zip) of logs, or - for standard input:
    output of nccl-tests and its relatives, NCCL_DEBUG logs, perftest, nvbandwidth, whole job logs with all between.
    Ctrl-C while it reads gives the answer of what was read so far.

    \b
      slowlink analyze job.log
      kubectl logs job/train | slowlink analyze -
      slowlink analyze logs/ --nics 8x400 -o report.html -o report.json
      slowlink analyze nightly.log --min-busbw 350      a gate: exit status 0 only when it holds
      slowlink analyze --nodes gpu[01-16] '/var/log/job-*'    logs on nodes: read there, over ssh
    """
    from slowlink.catalog.infer import given_hardware
    from slowlink.cli.site_settings import site_settings
    from slowlink.report import render
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.analyze import analyze

    targets = [(Path(name), format_of(name, format_)) for name in outputs]
    elsewhere = is_there(there)
    require_places([path for path, _ in targets], () if elsewhere else paths)
    config = site_settings(config_path)
    policy = site_policy(policy_path, config)
    kept_at = history_place(config, wanted=history)
    hardware = given_hardware(
        system=system or config.system,
        gpu=gpu or config.gpu,
        gpus_per_node=gpus_per_node or config.gpus_per_node,
        nics=nics or config.nics,
        nodes=None if elsewhere else there["nodes"],
    )
    if elsewhere:
        heap = read_there({**there, "workers": workers}, paths, hardware, config.rules, policy)
        report, broken_off = heap.report, heap.interrupted
    else:
        with engine_of(workers) as engine, shown_progress(paths) as progress:
            report = analyze(
                paths, hardware=hardware, tolerances=config.rules, progress=progress, workers=engine, policy=policy
            )
        broken_off = progress.broken_off
    judged = _judged(report, min_busbw, min_percent)
    report = judged.told(report) if judged is not None else report
    for path, target_format in targets:
        write_report(path, render(report, target_format, fail_on=fail_on))
    tell_report(report, format_, fail_on)
    for line in judged.lines() if judged is not None else ():
        click.echo(terminal_safe(line), err=is_quiet() or format_ != "terminal")
    if broken_off:
        note(last_words())
        return exits.INTERRUPTED
    keep_report(report, kept_at, command="analyze", bundle=Path(paths[0]) if len(paths) == 1 else None)
    gates = (*(judged.statuses if judged is not None else ()), *policy_gate(report, policy_path))
    thresholds = judged is not None and judged.has_thresholds
    severities = [d.severity for d in report.diagnoses]
    return exits.decide(report.verdict, severities, fail_on, gates=gates, thresholds=thresholds)


def _judged(report: Report, min_busbw: float | None, min_percent: float | None) -> Judged | None:
    """Gates; None where no threshold was given."""
    if min_busbw is None and min_percent is None:
        return None
    from slowlink.workflows.log_gates import judge_log

    return judge_log(report, min_busbw, min_percent)
