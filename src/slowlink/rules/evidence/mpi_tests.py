"""What must be known of a benchmark of MPI before its numbers say anything about the network."""

from __future__ import annotations

from slowlink.model.benchmark import MpiTable
from slowlink.model.facts import Commands
from slowlink.model.job import Command


def crosses_nodes(table: MpiTable, commands: Commands | None) -> Command | None:
    """The command that put the two ranks of ``table`` on two nodes; None where nothing says so.

    Neither OSU's tests nor Intel's print where ranks run, and two ranks of one node never touch the network.
    """
    above = [
        each
        for each in (commands.all if commands is not None else ())
        if each.ref.source == table.source and each.ref.line < table.ref.line and _measures(each)
    ]
    last = max(above, key=lambda each: each.ref.line, default=None)
    apart = last is not None and (last.ranks_per_node == 1 or len(set(last.hosts)) == last.nranks)
    return last if apart and last is not None and last.nranks == 2 else None


def _measures(each: Command) -> bool:
    return each.program.startswith(("osu_", "IMB-", "imb-"))
