"""``slowlink prepare``: sets nodes right, and back again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.cli.options import node_options
from slowlink.cli.pipes import note, output_is_lost, reader_may_leave, tell
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from slowlink.workflows.prepare_nodes.session import Finished, Planned

_LATEST = ""
_REACHED_BY = ["ssh", "slurm", "local"]


@click.command("prepare", cls=ReportCommand)
@node_options
@click.option("--on", type=click.Choice(_REACHED_BY), help="How nodes are reached; default: ssh.")
@click.option("--only", multiple=True, metavar="NAMES", help="Only these settings, comma separated. Repeatable.")
@click.option("--skip", multiple=True, metavar="NAMES", help="All but these.")
@click.option("--clocks", metavar="MHZ", help="Lock GPU clocks: 1980, 1410,1980, or 1980:1 (mode).")
@click.option(
    "--clocks-before", metavar="MHZ", help="Lock that GPUs have now (nvidia-smi does not tell); default: none."
)
@click.option("--power", type=FiniteRange(1, 99999), metavar="W", help="Power cap of each GPU.")
@click.option("--apply", "apply_", is_flag=True, help="Do it; without this nothing is changed.")
@click.option("--rollback", is_flag=False, flag_value=_LATEST, metavar="[RECORD]",
              help="Restore what a record lists; default: the latest.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only show the plan (the default).")
@click.option("--check", is_flag=True, help="Exit status 1 if anything is to be set.")
@click.option("-o", "--output", metavar="DIR", help="Where records lie; default: your state directory.")
@click.option("--sudo", is_flag=True, help="Become root on the nodes with sudo -n.")
@click.option("--root", default="", metavar="DIR", help="The nodes' root, if it is mounted elsewhere (/host).")
@click.option("--timeout", type=FiniteRange(1, 86400), default=300, show_default=True, metavar="SECONDS",
              help="Each node's own.")  # fmt: skip
@click.option("--start-within", type=click.IntRange(2, 120), default=15, show_default=True, metavar="SECONDS",
              help="A node that begins later touches nothing.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    node_set: str | None,
    hostfile: str | None,
    exclude: tuple[str, ...],
    retry: str | None,
    on: str | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    clocks: str | None,
    clocks_before: str | None,
    power: float | None,
    apply_: bool,
    rollback: str | None,
    dry_run: bool,
    check: bool,
    output: str | None,
    sudo: bool,
    root: str,
    timeout: float,
    start_within: int,
    format_: str,
) -> int:
    """Show what is set wrong on nodes; with --apply set it right; with --rollback set it back.

    \b
      slowlink prepare --nodes gpu[01-16]
      slowlink prepare --nodes gpu[01-16] --apply
      slowlink prepare --rollback

    Settings: persistence, clocks, power, governor, numa-balancing, acs, peermem, memlock. Clocks and power are only
    set with a value.

    Before anything is changed, what was there is written to a record. Exit status: 0 done or nothing to do, 1 some
    items failed (with --check: something is to be set), 2 usage, 3 nodes were not reached.
    """
    from slowlink.workflows.nodes_given import NodeChoice, chosen_nodes
    from slowlink.workflows.prepare_nodes import session

    _refuse(
        rollback,
        apply_=apply_,
        dry_run=dry_run,
        check=check,
        root=root,
        others=(node_set, hostfile, retry, on, *exclude, *only, *skip),
    )
    allocation = chosen_nodes(NodeChoice(node_set, hostfile, retry, exclude))
    way = on or ("local" if allocation is None else "ssh")
    if way == "local" and allocation is not None:
        raise SlowlinkError("--on local is this machine", hint="leave --nodes away", slug="usage")
    reach = session.reach_of("local" if rollback is not None else way, root=root, sudo=sudo, timeout_s=timeout,
                             start_s=start_within)  # fmt: skip
    directory = session.default_directory(output)
    try:
        if rollback is not None:
            return _roll_back(session.take_back(rollback or None, directory, reach), format_)
        given = {"clocks": clocks, "power": None if power is None else f"{power:.2f}"}
        choice = session.Choice(
            only=_names(only),
            skip=_names(skip),
            given=tuple((name, value) for name, value in given.items() if value is not None),
            before=() if clocks_before is None else (("clocks", clocks_before),),
        )
        planned = session.plan(session.nodes_of(allocation), session.wishes(choice), reach)
        if apply_:
            return _apply(planned, session.carry_out(planned, directory, reach) if planned.items else None, format_)
    except session.Interrupted as interrupted:
        note(f"what is known is in {interrupted.path}")
        note(_to_undo(interrupted.path, root))
        raise
    except SlowlinkError as error:
        if error.slug != "record-lost":
            raise
        tell(error)
        return exits.INCONCLUSIVE
    return _show(planned, format_, check=check)


def _to_undo(path: Path, root: str) -> str:
    from slowlink.quoting import quote

    words = ["slowlink", "prepare", "--rollback", str(path), *(["--root", root] if root else [])]
    return f"to undo it: {quote(words)}"


def _refuse(
    rollback: str | None, *, apply_: bool, dry_run: bool, check: bool, root: str, others: tuple[str | None, ...]
) -> None:
    if rollback is not None and (apply_ or check or dry_run or any(others)):
        raise SlowlinkError(
            "--rollback goes by its record alone: nodes and settings are written there",
            hint="beside it: -o DIR, --root, --sudo, --timeout, --start-within, --format",
            slug="usage",
        )
    if apply_ and (dry_run or check):
        raise SlowlinkError("--apply changes nodes; --dry-run and --check do not", hint="choose one", slug="usage")
    if root and (not root.startswith("/") or "\n" in root):
        raise SlowlinkError(f"--root {root}: not an absolute path", hint="--root /host", slug="usage")


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for words in given for name in words.split(",") if name.strip())


def _show(planned: Planned, format_: str, *, check: bool) -> int:
    from slowlink.workflows.prepare_nodes import words

    if format_ == "json":
        _echo_json(words.plan_document(planned.nodes))
    else:
        for line in words.plan_lines(planned.nodes, planned.names):
            click.echo(line)
        click.echo("\nNothing was changed." + (" --apply does it." if planned.items else ""))
    if check and planned.items:
        return exits.FINDINGS
    return exits.INCONCLUSIVE if planned.unreached else exits.HEALTHY


def _apply(planned: Planned, finished: Finished | None, format_: str) -> int:
    from slowlink.workflows.prepare_nodes import words
    from slowlink.workflows.prepare_nodes.session import status_after

    if finished is None:
        return _show(planned, format_, check=False)
    way_back = f"record: {finished.path}\n{_to_undo(finished.path, finished.record.root)}"

    def show() -> None:
        if format_ == "json":
            _echo_record(finished)
            return
        for line in words.unread_lines(planned.nodes) + words.record_lines(finished.record):
            click.echo(line)
        click.echo(f"\n{way_back}")

    if not _printed(show, way_back):
        return exits.INCONCLUSIVE
    return status_after(_states(finished), "applied", unreached=planned.unreached)


def _roll_back(finished: Finished, format_: str) -> int:
    from slowlink.workflows.prepare_nodes.planner import stands
    from slowlink.workflows.prepare_nodes.session import status_after

    def show() -> None:
        if format_ == "json":
            _echo_record(finished)
        else:
            _echo_rollback(finished)

    if not _printed(show, f"what is known is in {finished.path}"):
        return exits.INCONCLUSIVE
    lost = {node for node, _ in finished.lost}
    items = [item for node in finished.record.nodes if node.node.name not in lost for item in node.items]
    # What failed when it was applied was never set.
    states = [item.state for item in items if item.state != "failed" or stands(item)]
    return status_after(states, "restored", unreached=bool(finished.lost))


def _echo_rollback(finished: Finished) -> None:
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.prepare_nodes import words
    from slowlink.workflows.prepare_nodes.session import others_to_undo

    for line in words.record_lines(finished.record, undone=True):
        click.echo(line)
    for node, why in finished.lost:
        click.echo(f"not reached: {node}: {terminal_safe(why)}")
    if not finished.asked:
        click.echo("\nNothing is left to undo there.")
    click.echo(f"\nrecord: {finished.path}" if finished.asked else f"record: {finished.path}")
    for other in others_to_undo(finished.path):
        click.echo(f"not undone yet: {other}")


def _printed(show: Callable[[], None], way_back: str) -> bool:
    """Print what was done; False where standard output does not take it. Nodes were changed: how to undo it must not
    be lost with standard output (a full disk, a reader that left, a closed stream)."""
    try:
        with reader_may_leave():
            try:
                show()
                sys.stdout.flush()
            except OSError:
                note(way_back)
                raise
    except SlowlinkError as error:
        tell(error)
        return False
    if output_is_lost():
        note(way_back)
    return True


def _states(finished: Finished) -> list[str]:
    return [item.state for node in finished.record.nodes for item in node.items]


def _echo_record(finished: Finished) -> None:
    from msgspec import to_builtins

    _echo_json({**to_builtins(finished.record), "path": str(finished.path)})


def _echo_json(document: object) -> None:
    from slowlink.report.json import plain_json

    click.echo(plain_json(document), nl=False)
