"""Kubernetes has nodes that are not ready.

``kubectl get nodes`` shows what Kubernetes thinks of each node. The kubelet of one that is ``NotReady`` was not heard
of for a while, or says itself that it cannot run pods; the conditions in ``kubectl describe node`` tell which of the
two. A pod whose node is gone is ``NodeLost`` or ``Unknown``. A node that is cordoned (``SchedulingDisabled``) is out of
use on purpose; it is told only where the scheduler passed it over for that.

Why it matters: the pods of a job on such a node are lost or never start, and the other ranks wait for them.
How to confirm: ``kubectl describe node``; log in and look at ``systemctl status kubelet`` and the kernel's log.
What to do: repair what the condition's message names. Until then keep jobs away with ``kubectl cordon``.
When it is wrong: when the node came back since, or is down on purpose. Where a benchmark was measured on other nodes in
the same input, its nodes are what counts, and nothing is said of the rest of the cluster; an event that does not say
which node it means is a warning there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Sweeps
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.rules.evidence.commands import as_node, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import happened, hosts_of, listed, refs_of

CAUSES = ("nodes-unanswered", "health-check-failed")

_CORDONED, _NO_PLACE = "k8s-node-cordoned", "k8s-unschedulable"
_PASSED_OVER = regex(r"were unschedulable")
_SILENT, _UNFIT, _READY, _POD = "k8s-node-not-ready", "k8s-node-unfit", "k8s-node-ready", "k8s-pod-node-silent"


def check(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all nodes that are not ready, and one for those whose kubelet says what they lack."""
    measured = {host for sweep in sweeps.all for host in sweep.hosts} if sweeps is not None else None
    back: dict[tuple[str | None, str], int] = {}
    for event in happened(events, _READY):
        where = event.host, event.ref.source
        back[where] = max(event.ref.line, back.get(where, 0))
    told = [
        event
        for event in happened(events, _SILENT, _UNFIT)
        if (measured is None or event.host is None or event.host in measured)
        and back.get((event.host, event.ref.source), 0) <= event.ref.line
    ]
    unfit = [event for event in told if event.kind == _UNFIT]
    named = set(hosts_of(unfit))
    silent = [event for event in told if event.kind == _SILENT and event.host not in named]
    pods = happened(events, _POD) if measured is None else ()
    if silent:
        severity: Severity = "error" if measured is None or hosts_of(silent) else "warning"
        yield _finding(
            "nodes-unanswered", f"{_nodes(silent)} not ready for Kubernetes{_words(silent)}", silent, severity
        )
    elif pods:
        yield _finding("nodes-unanswered", "Kubernetes hears nothing of the node that a pod runs on", pods)
    cordoned = [event for event in happened(events, _CORDONED) if event.host not in {*named, *hosts_of(silent)}]
    if cordoned and any(_PASSED_OVER.search(event.text) for event in happened(events, _NO_PLACE)):
        yield _cordoned(cordoned)
    if unfit:
        yield _finding(
            "health-check-failed", f"the kubelet says what is wrong with {fold(named)}{_words(unfit)}", unfit
        )


def _cordoned(events: Sequence[JobEvent]) -> Finding:
    nodes = hosts_of(events)
    return finding(
        "health-check-failed",
        f"{fold(nodes)} {'are' if len(nodes) > 1 else 'is'} cordoned: Kubernetes places no pod there",
        severity="error",
        confidence="likely",
        suspects=suspects("node", nodes),
        evidence=lines_evidence(refs_of(events)),
        remedy=[
            (
                "See who cordoned it, and why.",
                command("kubectl", "describe", "node", as_node(nodes[0] if nodes else None)),
            ),
            ("Give it back when it is sound.", command("kubectl", "uncordon", as_node(nodes[0] if nodes else None))),
        ],
    )


def _nodes(events: Sequence[JobEvent]) -> str:
    nodes = hosts_of(events)
    return f"{fold(nodes) if nodes else 'a node'} {'are' if len(nodes) > 1 else 'is'}"


def _words(events: Sequence[JobEvent]) -> str:
    messages = list(dict.fromkeys(event.groups["message"] for event in events if event.groups.get("message")))
    return f": {listed(messages)}" if messages else ""


def _finding(cause: str, what: str, events: Sequence[JobEvent], severity: Severity = "error") -> Finding:
    nodes = hosts_of(events)
    node = as_node(nodes[0] if nodes else None)
    return finding(
        cause,
        what,
        severity=severity,
        confidence="certain" if events[0].kind != _POD else "likely",
        suspects=suspects("node", nodes),
        evidence=lines_evidence(refs_of(events)),
        explains=("rank-lost",),
        remedy=[("Ask Kubernetes for the node's conditions and events.", command("kubectl", "describe", "node", node))],
    )
