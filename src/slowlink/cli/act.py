"""``slowlink act``: what follows from a report for nodes and ports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.cli.pipes import note, reader_may_leave

if TYPE_CHECKING:
    from slowlink.model.acting import NodesApart
    from slowlink.model.report import Report

_SHOWN_NAME = 40


@click.command("act")
@click.argument("source", metavar="INPUT")
@click.option("--tickets", metavar="DIR", type=click.Path(path_type=Path),
              help="Write a ticket (Markdown) for each node that should not be used into DIR.")  # fmt: skip
@click.option("--good", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the good nodes, one a line: a hostfile.")  # fmt: skip
@click.option("--ports", is_flag=True, help="Print the ibportstate commands that disable links at fault; none is run.")
@click.option("--fail-on", type=click.Choice(exits.FAIL_ON), default=exits.DEFAULT_FAIL_ON, show_default=True,
              help="Least severity for which a node should not be used.")  # fmt: skip
@click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")
def command(
    source: str, tickets: Path | None, good: Path | None, ports: bool, fail_on: str, config_path: str | None
) -> int:
    """Say which nodes of INPUT should not be used, which are good and which are open; write tickets and a hostfile.

    INPUT is a saved report (.json), a bundle or logs. Nothing is done to any node or switch: what acts is printed.

    Exit status: 0 all nodes are good, 1 some should not be used, 3 none are accused and not all are good.
    """
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import require_places
    from slowlink.report.acting.words import apart_text, ports_text
    from slowlink.workflows.acting.fabric_ports import ports_at_fault
    from slowlink.workflows.acting.nodes_apart import nodes_apart
    from slowlink.workflows.compare import report_at

    require_places([good] if good else [], [source])
    report = report_at(source, None, site_settings(config_path).rules)
    found = nodes_apart(report, fail_on)
    if tickets is not None:
        _write_tickets(tickets, report, found)
        if source.endswith(".json"):
            note(f"slowlink: commands in the tickets are those of whoever wrote {source}")
    if good is not None:
        _write_good(good, found)
    with reader_may_leave():
        click.echo(apart_text(found), nl=False)
        if ports:
            click.echo(ports_text(ports_at_fault(report, fail_on)), nl=False)
    if found.accused or found.unplaced:
        return exits.FINDINGS
    return exits.HEALTHY if found.good and not found.open else exits.INCONCLUSIVE


def _write_tickets(place: Path, report: Report, found: NodesApart) -> None:
    from slowlink.bundle.disk import make_private, trouble
    from slowlink.cli.written_files import write_report
    from slowlink.report.acting.ticket import ticket_texts

    try:
        make_private(place)
    except OSError as problem:
        raise trouble(problem, place) from problem
    for node, text in ticket_texts(report, found):
        if _is_name(node):
            write_report(place / f"{node}.md", text)


def _write_good(place: Path, found: NodesApart) -> None:
    """A hostfile goes to ssh and mpirun: what a report calls a node may be an option, a command or many nodes."""
    from slowlink.cli.written_files import write_report

    write_report(place, "".join(f"{node}\n" for node in found.good if _is_name(node)))


def _is_name(node: str) -> bool:
    from slowlink.rules.evidence.commands import as_node

    if as_node(node) == node:
        return True
    note(f"slowlink: nothing is written for {node[:_SHOWN_NAME]!r}: no host is called so")
    return False
