"""Nodes from a node set, from Slurm around us, and from the nodes of a Kubernetes cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.launch.node_sources import parse_document
from slowlink.launch.refusals import refusal
from slowlink.launch.slurm_allocation import allocation_of
from slowlink.launch.surroundings import find_programs
from slowlink.model.plan import Allocation, Node
from slowlink.nodes import expand, terms_of

_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,31}@)?[A-Za-z0-9_][A-Za-z0-9_.:-]{0,252}")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,31}@")
"""``admin@a``: a name of a user, no group."""
_QUERY_S = 30.0


def from_node_set(text: str, read: Callable[[str], Allocation] | None = None) -> Allocation:
    """``node[01-16]``, ``a,b``, ``admin@a,admin@b``, a group of the site (``@gpu``), ``^FILE``: a file of names, for
    which ``read`` is asked. Raises SlowlinkError: ``bad-node-set``, ``no-nodes``.
    """
    nodes: dict[str, Node] = {}
    for term in terms_of(text):
        if term.startswith("^") and read is not None:
            nodes |= {node.name: node for node in read(term[1:]).nodes}
            continue
        names = expand(term, groups="@" in term and _USER.match(term) is None)
        nodes |= {name: _node(name) for name in names}
    if not nodes:
        groups = "groups are those of ClusterShell's configuration (cluset -LL)" if "@" in text else ""
        raise SlowlinkError(
            f"the node set {text!r} is empty", hint=groups or "for instance --nodes node[01-16]", slug="no-nodes"
        )
    refuse_other_names(
        nodes,
        f"the node set {text[:80]!r}",
        "for instance node[01-16], a,b,c, @group or ^FILE; a file of names also goes to --hostfile",
    )
    return Allocation(tuple(nodes.values()), basis=f"--nodes {text}")


def refuse_other_names(names: Iterable[str], source: str, hint: str) -> None:
    """Names become words of ssh and mpirun, also those that a stranger wrote: one that is no host's could be an option.

    Raises SlowlinkError: ``bad-node-set``.
    """
    for name in names:
        if not _HOST.fullmatch(name):
            raise SlowlinkError(f"{name[:80]!r} of {source} is not the name of a host", hint=hint, slug="bad-node-set")


def _node(name: str) -> Node:
    user, at, host = name.rpartition("@")
    return Node(host, user=user if at else None)


def from_surroundings() -> Allocation:
    """The Slurm allocation that we are in. Raises SlowlinkError (``no-nodes``) outside one."""
    allocation = allocation_of(os.environ)
    if allocation is None:
        raise SlowlinkError(
            "which nodes? None were given, and there is no Slurm allocation here",
            hint="--nodes node[01-16], --hostfile FILE, or: terraform output -json | slowlink nodes -",
            slug="no-nodes",
        )
    return allocation


def from_kubernetes(selector: str) -> tuple[Allocation, tuple[str, ...]]:
    """Nodes of the cluster with these labels; those that are not ready are named apart."""
    kubectl = find_programs().get("kubectl")
    if kubectl is None:
        raise SlowlinkError("there is no kubectl on PATH", hint="install kubectl", slug="no-kubectl")
    answer = capture((kubectl, "get", "nodes", f"--selector={selector}", "--output=json"), _QUERY_S)
    if answer.status != 0:
        known = refusal(answer.stderr)
        if known is not None:
            raise known
        last = (answer.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise SlowlinkError(f"kubectl get nodes failed: {last[:300]}", hint="kubectl get nodes", slug="kubectl-failed")
    return parse_document(answer.stdout, f"Kubernetes nodes with {selector}")
