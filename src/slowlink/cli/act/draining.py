"""``slowlink act --drain``, ``--cordon`` and ``--rollback``: nodes out of use, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from slowlink import exits
from slowlink.cli.pipes import note, reader_may_leave, tell
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.model.acting import NodesApart
    from slowlink.model.report import Report
    from slowlink.workflows.draining.session import Finished

LATEST = ""
_MOST_NODES = 100_000


class Wish(Struct, frozen=True):
    """What was asked for beside the report."""

    drain: bool = False
    cordon: bool = False
    apply: bool = False
    dry_run: bool = False
    most: int | None = None
    sure: str | None = None
    nodes: str | None = None
    rollback: str | None = None
    output: str | None = None

    @property
    def scheduler(self) -> str | None:
        """Whose nodes are taken out of use; None: nobody's."""
        return "slurm" if self.drain else "kubernetes" if self.cordon else None

    @property
    def only(self) -> set[str] | None:
        from slowlink.nodes import expand

        return None if self.nodes is None else set(expand(self.nodes, _MOST_NODES))


def refuse(wish: Wish, source: str | None, *, of_a_report: bool) -> None:
    """Raises SlowlinkError (``usage``) for options that say nothing together. ``of_a_report``: were others given that
    want a report?"""
    if wish.rollback is not None:
        acts = wish.scheduler or wish.apply or wish.most is not None or wish.sure is not None
        if source is not None or acts or of_a_report:
            raise _usage("--rollback goes by its record alone", "beside it: --nodes, --dry-run, -o DIR")
        return
    if source is None:
        raise _usage("which report? None was named", "slowlink act report.json")
    if wish.drain and wish.cordon:
        raise _usage("--drain is Slurm's and --cordon Kubernetes'", "one after the other")
    if wish.apply and wish.dry_run:
        raise _usage("--apply changes nodes; --dry-run does not", "choose one")
    given = {
        "--apply": wish.apply,
        "--dry-run": wish.dry_run,
        "--most": wish.most is not None,
        "--sure": wish.sure is not None,
        "--nodes": wish.nodes is not None,
        "-o": wish.output is not None,
    }
    alone = [name for name, is_given in given.items() if is_given]
    if alone and wish.scheduler is None:
        raise _usage(f"{alone[0]} of what?", "--drain (Slurm), --cordon (Kubernetes) or --rollback")


def _usage(message: str, hint: str) -> SlowlinkError:
    return SlowlinkError(message, hint=hint, slug="usage")


def drain(report: Report, found: NodesApart, wish: Wish, told: int) -> int:
    """Shows which nodes are taken out of use, or takes them out. ``told``: the exit status where nothing is done."""
    from slowlink.report.acting.drain_words import plan_text, taken_out_text
    from slowlink.workflows.draining import choice, session

    name = wish.scheduler or ""
    scheduler = session.scheduler_of(name)
    try:
        nodes = session.all_nodes(scheduler)
    except SlowlinkError as error:
        tell(error)
        return exits.INCONCLUSIVE
    plan = choice.drain_plan(
        found.accused,
        nodes,
        choice.report_id(report),
        title=scheduler.title,
        sure=wish.sure or choice.DEFAULT_SURE,
        most=wish.most,
        only=wish.only,
    )
    with reader_may_leave():
        click.echo(plan_text(plan, scheduler.title, scheduler.word), nl=False)
        if not wish.apply:
            click.echo("nothing was done" + ("; --apply does it" if plan.drains and not plan.too_many else ""))
    if not wish.apply:
        return told
    amiss = exits.FINDINGS if plan.too_many or any(each.amiss for each in plan.left) else exits.HEALTHY
    if plan.too_many or not plan.drains:
        return amiss
    directory = _directory(wish)
    finished = _told_where(lambda: session.take_out(plan, name, scheduler, directory))
    if finished is None:
        return exits.INCONCLUSIVE
    note(f"record: {finished.path}\n{_way_back(finished.path)}")  # first: standard output may be lost
    with reader_may_leave():
        click.echo(taken_out_text(finished.touched, scheduler.word), nl=False)
    return max(amiss, session.status_of(finished.touched, "drained"))


def roll_back(wish: Wish) -> int:
    """Gives back what the record lists, or shows what would be given back."""
    from slowlink.report.acting.drain_words import foreseen_text, given_back_text
    from slowlink.workflows.draining import session

    directory, only = _directory(wish), wish.only
    record, path = session.opened(wish.rollback or None, directory)
    unknown = sorted((only or set()) - {each.node for each in record.nodes})
    for name in unknown[:40]:
        note(f"slowlink: {name[:80]} is not in {path}")
    if wish.dry_run:
        told = [(each.fate, each.node, each.why) for each in session.foreseen(record, only)]
        with reader_may_leave():
            click.echo(foreseen_text(told) + f"record: {path}\nnothing was done")
        return exits.HEALTHY
    finished = _told_where(lambda: session.give_back(str(path), directory, only))
    if finished is None:
        return exits.INCONCLUSIVE
    with reader_may_leave():
        click.echo(given_back_text(finished.touched), nl=False)
        if not finished.touched:
            click.echo("nothing is left to give back there")
        click.echo(f"record: {finished.path}")
    for other in session.others_standing(finished.path):
        note(f"not given back yet: {other}")
    return max(exits.FINDINGS if unknown else exits.HEALTHY, session.status_of(finished.touched, "given-back"))


def _told_where(work: Callable[[], Finished]) -> Finished | None:
    """None where the record was lost on the way, which is told."""
    from slowlink.workflows.draining.session import RECORD_LOST, Interrupted

    try:
        return work()
    except Interrupted as interrupted:
        note(f"what is known is in {interrupted.path}\n{_way_back(interrupted.path)}")
        raise
    except SlowlinkError as error:
        if error.slug != RECORD_LOST:
            raise
        tell(error)
        return None


def _way_back(path: Path) -> str:
    from slowlink.quoting import quote

    return f"to give them back: {quote(['slowlink', 'act', '--rollback', str(path)])}"


def _directory(wish: Wish) -> Path:
    from slowlink.workflows.draining.record import RECORDS

    return RECORDS.directory_of(wish.output, os.environ)
