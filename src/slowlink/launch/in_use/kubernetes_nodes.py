"""Nodes of Kubernetes, through kubectl: cordoned (``spec.unschedulable``) with the reason in an annotation.

Both are set by one patch that names the version of the node that was looked at, so that nobody's change in between is
taken for ours. Who set ``unschedulable`` last the server itself keeps (``managedFields``): an annotation of ours stays
where somebody uncordons a node and cordons it again.
"""

from __future__ import annotations

import json
from typing import Any

from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import CHANGED, NO_ANSWER, REFUSED, answer_of
from slowlink.model.acting import SchedulerNode

REASON = "slowlink.dev/cordoned"
"""The annotation."""
_MANAGER = "slowlink"
_HOST_LABEL = "kubernetes.io/hostname"
_NOT_REACHED = r"Unable to connect|connection to the server .{1,200} was refused|current-context is not set"
_REFUSALS = (
    (r"\(Forbidden\)|is forbidden: User", REFUSED, "Kubernetes does not allow it to this user"),
    (r"\(NotFound\)", REFUSED, "Kubernetes knows no node of this name"),
    (r"\(Conflict\)", CHANGED, "the node changes all the time"),
    (_NOT_REACHED, REFUSED, "kubectl does not reach a cluster"),
    (r"[Tt]ime(?:d )?out|deadline exceeded|EOF|connection reset", NO_ANSWER, "Kubernetes did not answer"),
)


class KubernetesNodes:
    """Through ``kubectl``, the path of the program."""

    title = "Kubernetes"
    word = "cordoned"

    def __init__(self, kubectl: str) -> None:
        self._kubectl = kubectl

    def nodes(self) -> dict[str, SchedulerNode]:
        items = self._object("get", "--output=json", "--", "nodes").get("items")
        found = [_node(item) for item in items] if isinstance(items, list) else []
        return {node.name: node for node in found}

    def node(self, name: str) -> SchedulerNode:
        return _node(self._object("get", "--output=json", "--show-managed-fields=true", "--", "node", name))

    def take_out(self, node: SchedulerNode, reason: str) -> None:
        self._patch(node, reason, unschedulable=True)

    def give_back(self, node: SchedulerNode) -> None:
        self._patch(node, None, unschedulable=None)

    def _patch(self, node: SchedulerNode, reason: str | None, *, unschedulable: bool | None) -> None:
        metadata = {"resourceVersion": node.version, "annotations": {REASON: reason}}
        patch = json.dumps({"metadata": metadata, "spec": {"unschedulable": unschedulable}})
        how = ("--type=merge", f"--field-manager={_MANAGER}", f"--patch={patch}", "--output=name")
        self._answer("patch", *how, "--", "node", node.name)

    def _object(self, *words: str) -> dict[str, Any]:
        try:
            value = json.loads(self._answer(*words))
        except (ValueError, RecursionError) as error:
            raise SlowlinkError("kubectl answered with something that is no JSON", slug=REFUSED) from error
        return value if isinstance(value, dict) else {}

    def _answer(self, *words: str) -> str:
        return answer_of((self._kubectl, *words), self.title, _REFUSALS, {})


def _node(item: object) -> SchedulerNode:
    metadata = _at(item, "metadata")
    name, annotations = str(_at(metadata, "name") or ""), _at(metadata, "annotations")
    host = _at(_at(metadata, "labels"), _HOST_LABEL)
    out = "cordoned" if _at(_at(item, "spec"), "unschedulable") is True else ""
    reason = _at(annotations, REASON) if out else ""
    fields = _at(metadata, "managedFields")
    return SchedulerNode(
        name,
        host if isinstance(host, str) else name,
        out,
        reason if isinstance(reason, str) else "",
        ours=isinstance(fields, list) and any(map(_is_set_by_us, fields)),
        version=str(_at(metadata, "resourceVersion") or ""),
        identity=str(_at(metadata, "uid") or ""),
    )


def _is_set_by_us(entry: object) -> bool:
    fields = _at(_at(entry, "fieldsV1"), "f:spec")
    return _at(entry, "manager") == _MANAGER and isinstance(fields, dict) and "f:unschedulable" in fields


def _at(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
