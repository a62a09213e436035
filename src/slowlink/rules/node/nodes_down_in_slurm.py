"""Slurm has nodes out of service.

``sinfo``, ``sinfo -R`` and ``scontrol show node`` tell what Slurm's controller thinks of each node. One that is down or
marked with ``*`` does not answer it, or failed. The reason beside a node is what a check, a person or the controller
wrote down; where it names a part and what is wrong with it, the finding about that part says so instead. A node that
started anew although nobody told it to is taken out of use by the controller, in words of its own.

Why it matters: a job that ran there has lost its ranks, and no other will start.
How to confirm: ``scontrol show node``; log in and look at ``systemctl status slurmd munge`` and the kernel's log.
What to do: repair what the reason names, then ``scontrol update nodename=... state=resume``.
When it is wrong: when the list is old, or the node is down on purpose. Where a benchmark was measured on other nodes in
the same input, its nodes are what counts, and nothing is said of the rest of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Sweeps
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_node, command, one_after_another
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import counted, happened, hosts_of, listed, refs_of

CAUSES = ("nodes-unanswered", "health-check-failed", "rebooted")

_DOWN, _REASON = "slurm-node-state-down", "slurm-node-reason"
_ON_PURPOSE = ("maint", "reserv", "upgrade", "reimag", "reinstall", "decommission", "power sav", "test")
"""Parts of words in reasons why somebody takes a sound node out of use."""
_REBOOTED = "unexpectedly rebooted"
"""Slurm's reason (slurmctld) for a node whose daemon tells of a start that it did not ask for."""


def check(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all nodes that are down, one for those that restarted, and one for those that are drained for a
    reason nobody understands."""
    measured = {host for sweep in sweeps.all for host in sweep.hosts} if sweeps is not None else None
    told = [
        each
        for each in happened(events, _DOWN, _REASON)
        if (measured is None or each.host in measured) and not _on_purpose(each)
    ]
    restarted = [each for each in told if _REBOOTED in each.groups["reason"]]
    if restarted:
        yield _restarted(restarted)
    known = set(hosts_of(restarted))
    down = [each for each in told if each.kind == _DOWN and each.host not in known]
    if down:
        yield _down(down)
    lost = known.union(hosts_of(down))
    drained = [each for each in told if each.kind == _REASON and each.host not in lost]
    if drained:
        yield _drained(drained)


def _on_purpose(event: JobEvent) -> bool:
    reason = event.groups["reason"].lower()
    return any(word in reason for word in _ON_PURPOSE)


def _down(events: Sequence[JobEvent]) -> Finding:
    nodes = hosts_of(events)
    are = "is" if len(nodes) == 1 else "are"
    return finding(
        "nodes-unanswered",
        f"{fold(nodes)} {are} down for Slurm{_reasons(events)}",
        severity="error",
        confidence="certain",
        suspects=suspects("node", nodes),
        evidence=lines_evidence(refs_of(events)),
        explains=("rank-lost",),
        remedy=[("Ask Slurm for the reason, and the node for its daemons.", _ask(nodes))],
    )


def _restarted(events: Sequence[JobEvent]) -> Finding:
    nodes = hosts_of(events)
    return finding(
        "rebooted",
        f"{fold(nodes)} restarted, and Slurm had not asked for it",
        severity="error",
        confidence="certain",
        suspects=suspects("node", nodes),
        evidence=lines_evidence(refs_of(events)),
        explains=("nodes-unanswered", "rank-lost", "process-crashed"),
        remedy=[
            (
                "See how the boot before ended: heat, power, a machine check, a panic.",
                command("ssh", as_node(nodes[0]), "journalctl", "-k", "-b", "-1", "-n", "100"),
            )
        ],
    )


def _drained(events: Sequence[JobEvent]) -> Finding:
    nodes = hosts_of(events)
    return finding(
        "health-check-failed",
        f"{counted(len(nodes), 'node')} out of use in Slurm: {fold(nodes)}{_reasons(events)}",
        severity="warning",
        confidence="possible",
        suspects=suspects("node", nodes),
        evidence=lines_evidence(refs_of(events)),
        remedy=[("Ask Slurm for the reason, and the node for its daemons.", _ask(nodes))],
    )


def _reasons(events: Sequence[JobEvent]) -> str:
    reasons = list(dict.fromkeys(e.groups["reason"] for e in events if e.groups["reason"].lower() not in ("", "none")))
    return f": {listed(reasons)}" if reasons else ""


def _ask(nodes: Sequence[str]) -> str:
    node = as_node(nodes[0])
    return one_after_another(
        command("scontrol", "show", "node", node), command("ssh", node, "systemctl", "status", "slurmd", "munge")
    )
