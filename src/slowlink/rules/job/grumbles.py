"""Errors that libraries of MPI print in runs that end well: PMIx, PRRTE, UCX, hcoll, SHARP.

They try one way after another, and log each that is not there as an error. Whether it mattered shows at the end: a run
that did its work needed none of them.

Source: Open MPI 4 and 5 (``PMIX ERROR: ... in file``, ``ORTE_ERROR_LOG``, ``PRTE ERROR``), Slurm's own plug-in for PMIx
(``mpi/pmix_v4: FUNCTION: NODE [N]: FILE:LINE: ...``, pmixp_debug.h), hcoll and SHARP (``LOG_CAT_...``, ``sharp_...``),
UCX and UCC (``UCX  ERROR``).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import Events, Sweeps
from slowlink.model.job import JobEvent
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import happened
from slowlink.rules.job.process_ends import deaths

_GRUMBLE = regex(
    r"\b(?:PMIX|PRTE|PRRTE|OPAL|ORTE)[ _]ERROR\b|\b(?:UCX|UCC) +(?:ERROR|WARN)\b"
    r"|\bmpi/pmi[x2]\w{0,8}: |\bLOG_CAT_[A-Z0-9_]{2,30}\b|\bSHArP\b|\bSHARP\b|\bsharp_\w|(?i:\bhcoll\b|\bcoll[_/]hcoll)"
)


class RunsEnded(Struct, frozen=True):
    """Sources whose run came to its end; none where a process ended badly."""

    sources: frozenset[str]

    def forgive(self, event: JobEvent) -> bool:
        """Is this a library's grumbling in such a run?"""
        return event.ref.source in self.sources and _GRUMBLE.search(event.text) is not None

    def without_grumbles(self, events: Iterable[JobEvent]) -> tuple[JobEvent, ...]:
        """What remains to be judged."""
        return tuple(event for event in events if not self.forgive(event))


def runs_ended(events: Events, sweeps: Sweeps | None, tables: MpiTables | None) -> RunsEnded:
    """A complete table of a benchmark, rows of a benchmark of MPI (it prints no end), or a success that is stated."""
    if deaths(events):
        return RunsEnded(frozenset())
    told = {event.ref.source for event in happened(events, "run-succeeded")}
    measured = {s.run.source for s in (sweeps.all if sweeps is not None else ()) if s.complete and s.points}
    mpi = {table.source for table in (tables.all if tables is not None else ()) if table.rows}
    return RunsEnded(frozenset(told | measured | mpi))
