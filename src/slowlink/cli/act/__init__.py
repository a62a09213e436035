"""``slowlink act``: what follows from a report for nodes and ports, and nodes taken out of use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.act.draining import LATEST, Wish, drain, refuse, roll_back
from slowlink.cli.options import config_option, fail_on_option
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.acting import NodesApart
    from slowlink.model.report import Report


@click.command("act", cls=ReportCommand)
@click.argument("source", metavar="[INPUT]", required=False)
@click.option("--tickets", metavar="DIR", type=click.Path(path_type=Path),
              help="Write a ticket (Markdown) for each node that should not be used into DIR.")  # fmt: skip
@click.option("--good", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the good nodes, one a line: a hostfile.")  # fmt: skip
@click.option("--ports", is_flag=True, help="Print the ibportstate commands that disable links at fault; none is run.")
@fail_on_option("Least severity for which a node should not be used.")
@click.option("--drain", is_flag=True, help="Drain them in Slurm, with the reason; shown only, unless --apply.")
@click.option("--cordon", is_flag=True, help="Cordon them in Kubernetes, with the reason; shown only, unless --apply.")
@click.option("--apply", is_flag=True, help="Do it; without this nothing is changed.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done (the default).")
@click.option("--sure", type=click.Choice(["certain", "likely", "possible"]),
              help="Least confidence for which a node is taken out of use; default: likely.")  # fmt: skip
@click.option("--most", type=click.IntRange(1, 100_000), metavar="N",
              help="Nodes that may be out of use by slowlink's word; default: one in ten, and 16.")  # fmt: skip
@click.option("--nodes", metavar="SET", help="Take out of use, or give back, no others than these.")
@click.option("--rollback", is_flag=False, flag_value=LATEST, metavar="[RECORD]",
              help="Give back what a record lists; default: the latest.")  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Where records lie; default: your state directory.")
@click.option("--resume", is_flag=True, hidden=True)
@config_option
def command(
    source: str | None,
    tickets: Path | None,
    good: Path | None,
    ports: bool,
    fail_on: str,
    config_path: str | None,
    resume: bool,
    **wished: Any,
) -> int:
    """Say which nodes of INPUT should not be used, which are good and which are open; write tickets and a hostfile.

    \b
      slowlink act report.json --drain            which nodes Slurm would be asked to drain
      slowlink act report.json --drain --apply    do it, and write down what was done
      slowlink act --rollback                     give them back

    INPUT is a saved report (.json), a bundle or logs. Nothing is done to any node without --apply or --rollback, and
    never to a switch: commands for switches are printed.

    Exit status: 0 all nodes are good, 1 some should not be used, 3 none are accused and not all are good. With --apply
    and --rollback: 0 done or nothing to do, 1 some nodes were refused, failed or left alone, 3 the scheduler did not
    answer.
    """
    wish = Wish(**wished)
    if resume:
        raise SlowlinkError("act gives nodes back with --rollback", hint="slowlink act --rollback", slug="usage")
    refuse(wish, source, of_a_report=bool(tickets or good or ports))
    if source is None:
        return roll_back(wish)

    from slowlink.cli.hostfile import write_hostfile
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import require_places
    from slowlink.workflows.acting.nodes_apart import nodes_apart
    from slowlink.workflows.compare import report_at

    require_places([good] if good else [], [source])
    report = report_at(source, None, site_settings(config_path).rules)
    found = nodes_apart(report, fail_on)
    if tickets is not None:
        from slowlink.cli.act.tickets import write_tickets

        write_tickets(tickets, report, found, source)
        if source.endswith(".json"):
            note(f"slowlink: commands in the tickets are those of whoever wrote {source}")
    if good is not None:
        write_hostfile(good, found.good)
    _show(report, found, fail_on, ports=ports)
    status = _status(found)
    return drain(report, found, wish, status) if wish.scheduler else status


def _show(report: Report, found: NodesApart, fail_on: str, *, ports: bool) -> None:
    from slowlink.report.acting.words import apart_text, ports_text
    from slowlink.workflows.acting.fabric_ports import ports_at_fault

    with reader_may_leave():
        click.echo(apart_text(found), nl=False)
        if ports:
            click.echo(ports_text(ports_at_fault(report, fail_on)), nl=False)


def _status(found: NodesApart) -> int:
    if found.accused or found.unplaced:
        return exits.FINDINGS
    return exits.HEALTHY if found.good and not found.open else exits.INCONCLUSIVE
