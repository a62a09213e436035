"""The nodes that a report knows, and those that its claims name. A saved report is anybody's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from slowlink.model.report import Claim, Job, Report
from slowlink.nodes import NodeLists

_MOST_NODES, _MOST_NAMES = 100_000, 1_000_000
"""Of one set, and of all sets of a report together."""


class KnownNodes:
    """Of one report, and of each of its jobs: what a heap knows of hosts stands with its jobs alone."""

    def __init__(self, report: Report) -> None:
        self._sets = NodeLists(_MOST_NAMES, _MOST_NODES)
        self.of_jobs = tuple((job, self._of_job(job)) for job in report.jobs)
        of_all = [*self._of_facts(report.facts), *(host for sweep in report.sweeps for host in sweep.hosts)]
        self.all: Mapping[str, None] = dict.fromkeys((*of_all, *(node for _, nodes in self.of_jobs for node in nodes)))
        """In the order of the report."""

    def _of_job(self, job: Job) -> Mapping[str, None]:
        return dict.fromkeys((*job.hosts, *self._of_facts(job.facts)))

    def _of_facts(self, facts: Mapping[str, object]) -> Iterator[str]:
        for name in ("state_nodes", "hosts"):
            value = facts.get(name)
            yield from map(str, value) if isinstance(value, (list, tuple)) else ()
        asked = facts.get("nodes_asked")
        yield from self.members(asked) if isinstance(asked, str) else ()

    def members(self, folded: str) -> tuple[str, ...]:
        """Of a set of nodes; none of what is no set, too large, or one too many."""
        return (self._sets.names(folded) or ()) if folded else ()

    def named(self, claim: Claim) -> dict[str, None]:
        """The nodes that it names; a part of a node (``gpu05 mlx5_3``) is the node's. A path between two names none."""
        return dict.fromkeys(self._named(claim))

    def _named(self, claim: Claim) -> Iterable[str]:
        for suspect in claim.suspects:
            if suspect.kind == "node":
                yield from (
                    (suspect.name,) if suspect.name in self.all else self.members(suspect.name) or (suspect.name,)
                )
            elif suspect.kind != "link" and (node := suspect.name.partition(" ")[0]) in self.all:
                yield node
