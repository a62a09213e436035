"""``act --tickets``: so many files as somebody can read, each in a place where nothing but an earlier ticket lies."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from slowlink.bundle.disk import make_private, trouble
from slowlink.cli.hostfile import hosts_of
from slowlink.cli.pipes import note
from slowlink.cli.written_files import write_report
from slowlink.errors import SlowlinkError
from slowlink.model.acting import NodesApart
from slowlink.model.report import Report
from slowlink.nodes import fold
from slowlink.report.acting.ticket import is_ticket, ticket_texts

MOST_TICKETS = 500
"""Of one report: each is a file on its own, and a report may accuse as many nodes as it can name."""
_HEAD_BYTES = 16_384


def write_tickets(directory: Path, report: Report, found: NodesApart, source: str) -> None:
    """``directory``/NODE.md for each accused node of which a host can have the name, those of the worst first. All
    places are looked at before the first is written. Raises SlowlinkError: ``output-is-input`` (``source`` itself),
    ``output-unwritable`` (something that is no ticket)."""
    try:
        make_private(directory)
    except OSError as problem:
        raise trouble(problem, directory) from problem
    names = hosts_of((accused.node for accused in found.accused), str(directory))
    chosen, left = names[:MOST_TICKETS], names[MOST_TICKETS:]
    places = {node: directory / f"{node}.md" for node in chosen}
    _require_places(places.values(), Path(source))
    for node, text in ticket_texts(report, found, frozenset(chosen)):
        write_report(places[node], text)
    if left:
        note(
            f"slowlink: {len(chosen)} tickets were written to {directory}, which is the most for one report; "
            f"none for {len(left)} more nodes: {fold(left)}"
        )


def _require_places(places: Iterable[Path], source: Path) -> None:
    for place in places:
        slug, why = "", ""
        if _is_free(place):
            continue
        if _is_the_same(place, source):
            slug, why = "output-is-input", "an input"
        elif not _is_one_of_ours(place):
            slug, why = "output-unwritable", "no ticket of slowlink"
        if slug:
            raise SlowlinkError(
                f"{place} is {why}: a ticket would take its place",
                hint="name another directory with --tickets",
                slug=slug,
            )


def _is_free(place: Path) -> bool:
    try:
        place.lstat()
    except FileNotFoundError:
        return True
    except OSError as problem:
        raise trouble(problem, place) from problem
    return False


def _is_the_same(place: Path, source: Path) -> bool:
    try:
        return place.samefile(source)
    except OSError:  # what is read may be no file, and a link may lead nowhere
        return False


def _is_one_of_ours(place: Path) -> bool:
    """Nothing that only leads to one, such as a link, and nothing that would have to be waited for."""
    try:
        with os.fdopen(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and is_ticket(
                file.read(_HEAD_BYTES).decode("utf-8", "replace")
            )
    except OSError:
        return False
