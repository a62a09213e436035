"""Why a node that nothing accuses cannot be called good. What holds of one job of a heap says nothing of another's
nodes, neither for them nor against them."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.comparison.unread import what_was_not_read
from slowlink.model.report import NOT_ALL_READ, Diagnosis, Job, Report
from slowlink.report.key_facts import proofs
from slowlink.workflows.acting.known_nodes import KnownNodes

_OF_THE_FABRIC = ("port", "switch", "link")
_NOTHING_SHOWN = "nothing was shown to be right"


class Doubts:
    """Of one report. ``nobodys``: what was found and names no node; a link between switches is no node's fault."""

    def __init__(self, report: Report, known: KnownNodes, nobodys: Sequence[Diagnosis]) -> None:
        self._nobodys = [each for each in nobodys if not _is_of_the_fabric(each)]
        self._of_all = self._of_a_heap(report) if report.jobs else self._of_one_job(report)
        self._of_jobs: dict[str, str] = {}
        self._shown = set() if report.jobs else set(known.all)
        """Nodes of a job that showed something to be right."""
        for job, nodes in known.of_jobs:
            self._shown |= nodes.keys() if proofs(job.facts) else set()
            if why := self._of_job(job):
                for node in nodes:
                    self._of_jobs.setdefault(node, why)

    def of(self, node: str) -> str:
        """Why it cannot be called good; "" where nothing stands against it."""
        return self._of_all or self._of_jobs.get(node) or ("" if node in self._shown else _NOTHING_SHOWN)

    def _of_one_job(self, report: Report) -> str:
        if report.verdict == "inconclusive":
            return report.headline
        unread = _not_read(what_was_not_read(report))
        return unread or ("" if proofs(report.facts) else _NOTHING_SHOWN) or _nobodys(self._nobodys)

    def _of_a_heap(self, report: Report) -> str:
        labels = {job.label for job in report.jobs}
        unread = _not_read(what_was_not_read(report))
        return unread or _nobodys([each for each in self._nobodys if each.job not in labels])

    def _of_job(self, job: Job) -> str:
        if job.verdict == "inconclusive":
            return f"inconclusive: {job.label}: {job.headline}"
        unread = _not_read(job.headline.partition(NOT_ALL_READ)[2])
        return unread or _nobodys([each for each in self._nobodys if each.job == job.label])


def _not_read(what: str) -> str:
    return f"not everything was read: {what}" if what else ""


def _nobodys(found: Sequence[Diagnosis]) -> str:
    return f"{found[0].cause} names no node: {found[0].message}" if found else ""


def _is_of_the_fabric(diagnosis: Diagnosis) -> bool:
    kinds = {suspect.kind for suspect in diagnosis.suspects}
    return diagnosis.layer == "fabric" and bool(kinds) and kinds <= set(_OF_THE_FABRIC)
