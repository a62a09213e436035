"""Pods that can be asked in place of the nodes on which they run."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.launch.fanout.ways import OverKubernetes
from slowlink.launch.refusals import refusal
from slowlink.model.plan import Allocation, Node

_QUERY_S = 30.0


def pods_with(labels: str, way: OverKubernetes, *, every: bool = False) -> Allocation:
    """Nodes of the running pods with these labels, one pod for each; ``every``: all these pods, each by its own name
    where several are on a node. Raises SlowlinkError (``no-nodes`` ...)."""
    flags = [f"--{name}={value}" for name, value in (("context", way.context), ("namespace", way.namespace)) if value]
    argv = (way.program, *flags, "get", "pods", f"--selector={labels}", "--output=json")
    answer = capture(argv, _QUERY_S)
    if answer.status != 0:
        known = refusal(answer.stderr)
        if known is not None:
            raise known
        last = (answer.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise SlowlinkError(f"kubectl get pods failed: {last[:300]}", hint="kubectl get pods", slug="kubectl-failed")
    pods = list(running(answer.stdout))
    nodes = {node.name: node for node in reversed(pods)}
    if not nodes:
        raise SlowlinkError(
            f"no pod with the labels {labels} runs", hint="kubectl get pods --show-labels; --namespace", slug="no-nodes"
        )
    if every and len(pods) > len(nodes):
        return Allocation(tuple(replace(pod, name=str(pod.address)) for pod in pods), basis=f"pods with {labels}")
    return Allocation(tuple(reversed(nodes.values())), basis=f"pods with {labels}")


def running(document: str) -> Iterator[Node]:
    """Running pods of ``kubectl get pods -o json``: the node's name, with the pod's as its address. Total."""
    try:
        items = json.loads(document).get("items")
    except (ValueError, AttributeError, RecursionError):
        return
    for item in items if isinstance(items, list) else ():
        parts = [item.get(key) if isinstance(item, dict) else None for key in ("metadata", "spec", "status")]
        metadata, spec, status = (part if isinstance(part, dict) else {} for part in parts)
        pod, node = metadata.get("name"), spec.get("nodeName")
        if status.get("phase") == "Running" and isinstance(pod, str) and isinstance(node, str):
            yield Node(node, address=pod)
