"""``slowlink snapshot``: what is set wrong on the nodes, and what differs between them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.measuring.keeping import history_option, history_place, keep_report
from slowlink.cli.measuring.policies import policy_option, site_policy
from slowlink.cli.options import config_option, fail_on_option, hardware_options, node_choice, node_options, way_options
from slowlink.cli.pipes import note
from slowlink.cli.progress import NodesHeard
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options, is_quiet, shown_format
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter
    from slowlink.collectors.catalogue import Collector
    from slowlink.model.report import Report
    from slowlink.workflows.snapshot import Question, Taken

_REPORTS = (".html", ".htm", ".json", ".md", ".xml", ".txt")
_LIMIT_S = 60.0
_positive = FiniteRange(min=0, min_open=True)


@click.command("snapshot", cls=ReportCommand)
@node_options
@way_options
@click.option(
    "--with",
    "asked",
    metavar="NAMES",
    multiple=True,
    help="Also these, which take time or load: dcgm (level 2), dcgmi-diag-1, -3, -4, eud, nhc, azure-nhc.",
)
@click.option("--fabric", is_flag=True, help="Also the InfiniBand fabric, from the first node that can see it.")
@click.option("--only", metavar="NAMES", multiple=True, help="These collectors and no others.")
@click.option(
    "--root", metavar="DIR", default="", help="Where the host's file system lies on the nodes: /host in a pod."
)
@click.option("--seconds", type=FiniteRange(min=0, max=3600), default=2, show_default=True,
              help="Between the two samples of counters and clocks.")  # fmt: skip
@click.option("--timeout", type=_positive, metavar="SECONDS",
              help="For all questions to one node; default: 60, and what --with takes.")  # fmt: skip
@click.option("--fanout", type=click.IntRange(1, 1024), default=64, show_default=True, help="Nodes at once.")
@click.option("--output", "-o", "outputs", multiple=True, metavar="PATH",
              help="The bundle's directory; or a report (.html .json .md .xml .txt). Repeatable.")  # fmt: skip
@format_options
@fail_on_option()
@config_option
@history_option(default=True)
@policy_option
@click.option("--anonymize", is_flag=True, help="Replace hosts, addresses and users in the bundle.")
@click.option("--dry-run", is_flag=True, help="Print the script that would run on every node, and stop.")
@click.option("--list", "listed", is_flag=True, help="List the collectors, and stop.")
@hardware_options
def command(**given: Any) -> int:
    """Ask every node what an expert would ask, keep the answers in a bundle, and say what is wrong.

    \b
      slowlink snapshot                                 this machine, or the Slurm allocation around us
      slowlink snapshot --nodes gpu[01-16]              over ssh, 64 at once
      slowlink snapshot --nodes gpu[01-16] --fabric     and the InfiniBand fabric
      slowlink snapshot --pods app=gpu-agent --root /host
      slowlink snapshot --nodes gpu[01-16] -o before -o before.html

    Nothing is installed on the nodes and nothing is changed there. What needs root is skipped without it, and said.
    Nodes that do not answer are named: unknown is not healthy.
    Exit status: 0 healthy, 1 findings, 2 usage, 3 nothing can be concluded, or nodes did not answer.
    """
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import inputs_of, require_places
    from slowlink.collectors.catalogue import all_collectors

    if given["listed"]:
        _list(all_collectors())
        return exits.HEALTHY
    reports, directory = outputs_of(given["outputs"])
    require_places([path for path, _ in reports], inputs_of(given))
    config = site_settings(given["config_path"])
    policy = site_policy(given["policy_path"], config)
    kept_at = history_place(config, wanted=given["history"])
    question, reason = _question(given)
    mark = os.urandom(8).hex()
    if given["dry_run"]:
        from slowlink.workflows.snapshot import script_of

        click.echo(script_of(question, mark), nl=False)
        return exits.HEALTHY
    from slowlink.cli.options import hardware_of
    from slowlink.cli.written_files import write_report
    from slowlink.report import render
    from slowlink.workflows.analyze import analyze

    hardware = hardware_of(given, config)
    place, taken = ask_nodes(given, question, reason, directory, mark)
    report = analyze(place, hardware=hardware, tolerances=config.rules, policy=policy)
    for path, target_format in reports:
        write_report(path, render(report, target_format, fail_on=given["fail_on"]))
    tell(report, taken, given)
    keep_report(report, kept_at, command="snapshot", bundle=place)
    return exits.decide(report.verdict, [each.severity for each in report.diagnoses], given["fail_on"])


def outputs_of(names: tuple[str, ...]) -> tuple[list[tuple[Path, str]], Path | None]:
    """Reports with their formats, and the bundle's directory."""
    from slowlink.cli.written_files import format_of

    reports = [(Path(name), format_of(name)) for name in names if Path(name).suffix.lower() in _REPORTS]
    directories = [Path(name) for name in names if Path(name).suffix.lower() not in _REPORTS]
    if len(directories) > 1:
        raise click.BadParameter(f"one bundle: {directories[0]} or {directories[1]}?", param_hint="--output")
    return reports, directories[0] if directories else None


def _question(given: dict[str, Any]) -> tuple[Question, str]:
    from slowlink.collectors.catalogue import chosen
    from slowlink.launch.surroundings import find_programs
    from slowlink.workflows.nodes_given import chosen_nodes
    from slowlink.workflows.snapshot import Question
    from slowlink.workflows.snapshot_nodes import Given, destination

    allocation = chosen_nodes(node_choice(given))
    if allocation is not None and given["pods"]:
        raise SlowlinkError("nodes come from one place", hint=f"--pods, or {allocation.basis}", slug="usage")
    if given["root"] and not given["root"].startswith("/"):
        raise SlowlinkError(f"--root {given['root']}: not an absolute path", hint="for instance /host", slug="usage")
    collectors = chosen(_names(given["asked"]), _names(given["only"]), fabric=given["fabric"])
    named = Given(
        given["on"],
        allocation,
        given["pods"],
        given["context"],
        given["namespace"],
        given["container"],
        every_pod=given.get("every_pod", False),
    )
    allocation, way, reason = destination(named, os.environ, find_programs())
    longer = sum(each.timeout_s for each in collectors if each.when == "asked")
    question = Question(
        allocation=allocation,
        way=way,
        collectors=collectors,
        limit_s=given["timeout"] or _LIMIT_S + longer + given["seconds"],
        sample_s=given["seconds"],
        fanout=given["fanout"],
        root=given["root"].rstrip("/"),
    )
    return question, reason


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for words in given for name in words.replace(",", " ").split())


def ask_nodes(
    given: dict[str, Any],
    question: Question,
    reason: str,
    directory: Path | None,
    mark: str,
    topic: str = "snapshot",
    before: Callable[[BundleWriter], None] | None = None,
) -> tuple[Path, Taken]:
    """Ask the nodes. The bundle's place, and who answered. ``before``: what is done first, into the bundle."""
    from slowlink.bundle import BundleWriter
    from slowlink.nodes import fold
    from slowlink.redact import Anonymizer, Redaction
    from slowlink.workflows.snapshot import take

    nodes = question.allocation.nodes
    who = fold(node.name for node in nodes)
    note(f"# asking {who} ({question.allocation.basis}); {question.way.name}: {reason}")
    redaction = Redaction(Anonymizer()) if given["anonymize"] else Redaction()
    bundle = (
        BundleWriter(directory, command=sys.argv, redaction=redaction)
        if directory is not None
        else BundleWriter.create(topic=topic, command=sys.argv, redaction=redaction)
    )
    progress = NodesHeard(len(nodes))
    try:
        with bundle:
            if before is not None:
                before(bundle)
            taken = take(question, bundle, mark, progress.heard)
    finally:
        progress.clear()
        note(f"bundle: {bundle.directory}")
    return bundle.directory, taken


def tell(report: Report, taken: Taken, given: dict[str, Any]) -> None:
    """The report on standard output, and below it who answered."""
    from slowlink.report.escape import terminal_safe

    tell_report(report, given["format_"], given["fail_on"])
    beside = is_quiet() or given["format_"] != "terminal"
    for line in coverage(report, taken, every=shown_format(given["format_"]) == "full"):
        click.echo(terminal_safe(line), err=beside)


def coverage(report: Report, taken: Taken, *, every: bool) -> list[str]:
    """Who answered, and what was not collected where. Without ``every``, what was skipped is only named."""
    from slowlink.nodes import fold

    total = len(taken.answered) + len(taken.lost)
    lines = [f"{len(taken.answered)} of {total} {'node' if total == 1 else 'nodes'} answered"]
    if taken.lost:
        lines[0] += f"; unknown: {fold(taken.lost)}"
    missing = report.facts.get("not_collected")
    skipped: dict[str, list[str]] = {}
    for each in missing if isinstance(missing, list) else ():
        if not isinstance(each, dict) or each.get("collector") == "node":
            continue
        if every or each["outcome"] != "skipped":
            lines.append(f"  {each['outcome']:7}  {each['collector']}: {each['why']}: {each['nodes']}")
        else:
            skipped.setdefault(str(each["nodes"]), []).append(str(each["collector"]))
    for nodes, names in skipped.items():
        lines += _named(f"{nodes}: {', '.join(names)}")
    return [*lines, *(["  (--verbose says why)"] if skipped else [])]


def _named(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, 80, initial_indent="  skipped  ", subsequent_indent=" " * 11, break_on_hyphens=False)


def _list(collectors: tuple[Collector, ...]) -> None:
    width = max((len(each.name) for each in collectors), default=0)
    whens = {"always": "", "sampled": "twice", "fabric": "--fabric", "asked": "--with"}
    for each in collectors:
        notes = [whens[each.when], f"needs {', '.join(each.needs)}" if each.needs else ""]
        notes.append({"needed": "root only", "better": "more as root"}.get(each.root, ""))
        told = "; ".join(note for note in notes if note)
        click.echo(f"{each.name:{width}}  {each.title}{f' ({told})' if told else ''}")
