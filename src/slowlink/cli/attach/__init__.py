"""``slowlink attach``: ask a running job who holds it up, without restarting it."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.measuring.keeping import history_option, history_place, keep_report
from slowlink.cli.options import config_option, fail_on_option, hardware_options, node_options, way_options
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.workflows.attach.profiler import Profiling
    from slowlink.workflows.snapshot import Question

_RAS_S = 60.0
"""For one round of questions to RAS."""
_positive = FiniteRange(min=0, min_open=True)


@click.command("attach", cls=ReportCommand)
@node_options
@way_options
@click.option("--address", "addresses", metavar="HOST:PORT", multiple=True,
              help="Where RAS listens on the nodes; default: what NCCL_RAS_ADDR of their processes and nccl.conf say, "
              "and localhost:28028. Repeatable.")  # fmt: skip
@click.option("--between", "seconds", type=FiniteRange(min=5, max=3600), default=20, show_default=True,
              metavar="SECONDS", help="Between the two answers of RAS.")  # fmt: skip
@click.option("--profile", "profile_s", type=FiniteRange(min=1, max=3600), metavar="SECONDS",
              help="First switch NCCL's profiler on for so long and off again (NCCL 2.31 and newer; a plug-in must be "
              "loaded). This changes the running job.")  # fmt: skip
@click.option("--profile-mask", default="coll,kernelch", show_default=True, metavar="EVENTS", help="What it profiles.")
@click.option("--profile-after", default="none", show_default=True, metavar="EVENTS",
              help="What it profiles afterwards: nobody can ask what it was before.")  # fmt: skip
@click.option("--ask", "fully", type=click.IntRange(min=1), default=8, show_default=True, metavar="NODES",
              help="RAS is asked on so many of them, spread evenly: one answers for its job. Of the others it is "
              "only seen whether one listens.")  # fmt: skip
@click.option("--snapshot/--no-snapshot", "state", default=True, help="Ask the nodes for their state, too.")
@click.option(
    "--root", metavar="DIR", default="", help="Where the host's file system lies on the nodes: /host in a pod."
)
@click.option("--timeout", type=_positive, metavar="SECONDS",
              help="For all questions to one node; default: 180 and what --between says.")  # fmt: skip
@click.option("--fanout", type=click.IntRange(1, 1024), default=64, show_default=True, help="Nodes at once.")
@click.option("--output", "-o", "outputs", multiple=True, metavar="PATH",
              help="The bundle's directory; or a report (.html .json .md .xml .txt). Repeatable.")  # fmt: skip
@format_options
@fail_on_option()
@config_option
@history_option(default=True)
@click.option("--anonymize", is_flag=True, help="Replace hosts, addresses and users in the bundle.")
@click.option("--dry-run", is_flag=True, help="Print the script that would run on every node, and stop.")
@hardware_options
def command(**given: Any) -> int:
    """Ask a running job by NCCL's RAS (2.24 and newer) which ranks are lost, behind, or whether nothing goes on, and
    its nodes for their state. Nothing is restarted or installed, and without --profile nothing is changed.

    \b
      slowlink attach                                   the jobs on this machine
      slowlink attach --nodes gpu[01-16]                over ssh
      slowlink attach --nodes gpu[01-16] --between 60 -o evidence
      slowlink attach --pods job-name=train             inside the pods of a job

    RAS is asked twice: ranks that are behind for a moment are usual, and those that stay there hold the job up.
    Everything lands in a bundle; slowlink analyze BUNDLE gives the same answer.
    Exit status: 0 the job goes on and its nodes are well, 1 findings, 2 usage, 3 nothing can be concluded: no job
    answered, or nodes did not.
    """
    from slowlink.cli.options import hardware_of
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.snapshot import ask_nodes, outputs_of, tell
    from slowlink.cli.written_files import inputs_of, require_places, write_report
    from slowlink.report import render
    from slowlink.workflows.analyze import analyze
    from slowlink.workflows.snapshot import script_of

    reports, directory = outputs_of(given["outputs"])
    require_places([path for path, _ in reports], inputs_of(given))
    config = site_settings(given["config_path"])
    kept_at = history_place(config, wanted=given["history"])
    question, reason = _question(given)
    profiling = _profiling(given)
    mark = os.urandom(8).hex()
    if given["dry_run"]:
        click.echo(script_of(question, mark), nl=False)
        return exits.HEALTHY
    hardware = hardware_of(given, config)
    before = partial(_profile, profiling, question) if profiling is not None else None
    place, taken = ask_nodes(given, question, reason, directory, mark, "attach", before)
    report = analyze(place, hardware=hardware, tolerances=config.rules)
    for path, target_format in reports:
        write_report(path, render(report, target_format, fail_on=given["fail_on"]))
    tell(report, taken, given)
    keep_report(report, kept_at, command="attach", bundle=place)
    return exits.decide(report.verdict, [each.severity for each in report.diagnoses], given["fail_on"])


def _question(given: dict[str, Any]) -> tuple[Question, str]:
    """What is asked, of whom, and why by this way."""
    from msgspec.structs import replace

    from slowlink.cli import snapshot
    from slowlink.workflows.attach.question import collectors, only_looking

    asked = collectors(given["addresses"], state=given["state"])
    limit = given["timeout"] or 3 * _RAS_S + given["seconds"]
    question, reason = snapshot._question(
        {**given, "asked": (), "only": (), "fabric": False, "every_pod": True, "timeout": limit}
    )
    return replace(question, collectors=asked, lighter=only_looking(asked), fully=given["fully"]), reason


def _profiling(given: dict[str, Any]) -> Profiling | None:
    if given["profile_s"] is None:
        return None
    from slowlink.workflows.attach.profiler import Profiling, check

    masks = given["profile_mask"], given["profile_after"]
    wanted = Profiling(given["profile_s"], *masks, tuple(given["addresses"]), given["root"].rstrip("/"))
    check(wanted)
    return wanted


def _profile(wanted: Profiling, question: Question, bundle: BundleWriter) -> None:
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.attach.profiler import profile

    note(f"# switching the profiler on for {wanted.seconds:g} s: {wanted.mask}")
    node, why = profile(wanted, question.allocation.nodes, question.way, bundle)
    if node:
        note(f"# it was on for {wanted.seconds:g} s, by {terminal_safe(node)}; now: {wanted.afterwards}")
    else:
        note(f"# it was not switched on: {terminal_safe(why)}")
