"""Kubernetes nodes, their GPUs and HCAs, as ``kubectl get nodes``, ``describe node`` and ``-o yaml`` print them::

    NAME     STATUS                        ROLES    AGE    VERSION
    gpu07    NotReady,SchedulingDisabled   <none>   120d   v1.29.4

    Name:               gpu07
    Capacity:
      nvidia.com/gpu:     8
    Allocatable:
      nvidia.com/gpu:     7
      rdma/hca_a:         1

A node is ``NotReady`` where its condition ``Ready`` is not ``True``, and ``Unknown`` where it has none. A node that
nobody may schedule on is out of use on purpose, and no fault; its event tells why a pod found no place. In a
description the conditions say more::

      Type    Status   LastHeartbeatTime                 LastTransitionTime                Reason           Message
      Ready   False    Fri, 20 Nov 2026 09:55:00 +0000   Fri, 20 Nov 2026 10:00:00 +0000   KubeletNotReady  PLEG is ...

The device plug-in offers 7 of the 8 that it registered: it takes one for unhealthy. A plug-in that offers none says
nothing about GPUs: it may have stopped.

Source: Kubernetes 1.24 to 1.31 (``printers.go``, kubectl's ``describe.go``, the conditions of ``core/v1/types.go``),
node-problem-detector (``config/kernel-monitor.json``), and ``internal/rm/health.go`` of NVIDIA's device plug-in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.job import JobEvent, Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.header_table import Columns, columns_of
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_SECTION = regex(r"\s{0,8}(?P<name>[Cc]apacity|[Aa]llocatable):\s*")
_GPUS = regex(
    r"\s{1,12}(?P<resource>(?:nvidia|amd)\.com/gpu|vpc\.amazonaws\.com/efa|rdma/[a-z0-9][\w.-]{0,60}): {1,24}"
    r"['\"]?(?P<count>\d{1,4})['\"]?\s*"
)
"""GPUs, and what device plug-ins call HCAs: that of EFA, and NVIDIA's for RDMA, whose names their owners choose."""
_NAME = regex(r"Name: {4,24}(?P<name>[a-z0-9][a-z0-9.-]{0,252})\s*")
_UNSCHEDULABLE = regex(r"Unschedulable: {1,24}true\s*")
_ROW = regex(r"\s{0,40}[a-z0-9][a-z0-9.-]{0,252}\s+(?:NotReady|Ready|Unknown)(?:,SchedulingDisabled)?\s+\S")
_NODE_COLUMNS = ("NAME", "STATUS", "ROLES", "AGE", "VERSION")
_TWO_WORDS = ("OS IMAGE", "KERNEL VERSION", "CONTAINER RUNTIME")
_TIME = r"(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{1,4} \d{1,2}:\d{1,2}:\d{1,2} [+-]\d{1,4}|<unknown>)"
_CONDITION = regex(
    r"\s{0,8}(?P<type>Ready|MemoryPressure|DiskPressure|PIDPressure|NetworkUnavailable|KernelDeadlock"
    rf"|ReadonlyFilesystem)\s+(?P<status>True|False|Unknown)\s+{_TIME}\s+{_TIME}\s+(?P<reason>\S{{1,80}})"
    r"(?:\s+(?P<message>\S.{0,300}))?"
)
NOT_READY, UNFIT, CORDONED = "k8s-node-not-ready", "k8s-node-unfit", "k8s-node-cordoned"
_RESOURCES = ("com/gpu", "com/efa", "rdma/")
_MOST_BETWEEN = 24
"""Lines between the heading of a section and its resources."""
_MOST = Limit(100_000, "events and offers of nodes")


class KubernetesNodes:
    """Compares what a node has with what it offers, and has one event for each node that is not ready."""

    kind: ClassVar[str] = "kubernetes-nodes"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                "com/gpu",
                "com/efa",
                "rdma/",
                "apacity:",
                "llocatable:",
                "\nName:",
                "Ready",
                "Unknown",
                "Pressure",
                "NetworkUnavailable",
            ),
            *("KernelDeadlock", "ReadonlyFilesystem", "ROLES", "\nUnschedulable: "),
        )
    )

    def __init__(self) -> None:
        self._found: list[Observation | JobEvent] = []
        self._columns: Columns | None = None
        self._node: str | None = None
        self._section, self._began = "", 0
        self._counts: dict[tuple[str, str], int] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return (
            (any(word in text for word in _RESOURCES) and _GPUS.fullmatch(text) is not None)
            or ("a" in text and _SECTION.fullmatch(text) is not None)
            or (text.startswith("Unschedulable:") and _UNSCHEDULABLE.fullmatch(text) is not None)
            or (text.startswith("Name:") and _NAME.fullmatch(text) is not None)
            or _CONDITION.match(text) is not None
            or _ROW.match(text) is not None
            or _header(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (name := _NAME.fullmatch(line.text)) is not None:
            self._node, self._section, self._counts = name["name"], "", {}
            return Use.IGNORED
        if (section := _SECTION.fullmatch(line.text)) is not None:
            self._section, self._began = section["name"].lower(), line.no
            return Use.IGNORED
        if (columns := _header(line.text)) is not None:
            self._columns = columns
            return Use.IGNORED
        if _UNSCHEDULABLE.fullmatch(line.text) is not None and self._node is not None:
            return self._event(CORDONED, self._node, {"state": "Unschedulable"}, line)
        if (condition := _CONDITION.match(line.text)) is not None:
            return self._of_condition(**condition.groupdict(default=""), line=line)
        if self._columns is not None and _ROW.match(line.text):
            return self._of_row(self._columns.cells(line.text), line)
        gpus = _GPUS.fullmatch(line.text)
        if gpus is None or not self._section or line.no > self._began + _MOST_BETWEEN:
            return Use.NOT_MINE
        self._counts[self._section, gpus["resource"]] = int(gpus["count"])
        self._compare(gpus["resource"], line)
        return Use.USED

    def _of_row(self, cells: Mapping[str, str], line: Line) -> Use:
        name, status = cells.get("NAME", ""), cells.get("STATUS", "").partition(",")[0]
        if status == "Ready":
            cordoned = cells.get("STATUS", "").endswith(",SchedulingDisabled")
            return self._event(CORDONED, name, {"state": cells["STATUS"]}, line) if cordoned else Use.IGNORED
        if status not in ("NotReady", "Unknown"):
            return Use.NOT_MINE
        return self._event(NOT_READY, name, {"state": status, "message": ""}, line)

    def _of_condition(self, type: str, status: str, reason: str, message: str, line: Line) -> Use:  # noqa: A002
        """``Unknown``: nobody hears of the node any more, which its readiness tells once for all conditions."""
        told = {"state": f"{type} {status}", "message": message.strip() or reason}
        if type == "Ready" and status == "Unknown":
            return self._event(NOT_READY, self._node, told, line)
        if status == ("False" if type == "Ready" else "True"):
            return self._event(UNFIT, self._node, told, line)
        return Use.IGNORED

    def _event(self, kind: str, node: str | None, groups: dict[str, str], line: Line) -> Use:
        if _MOST.has_room(len(self._found)):
            ref = line.ref()
            self._found.append(JobEvent(kind, "kubernetes", ref.text.strip(), groups, ref, node or line.host))
        return Use.USED

    def _compare(self, resource: str, line: Line) -> None:
        """When the second of the two numbers is there, however they differ, both are spent."""
        if ("capacity", resource) not in self._counts or ("allocatable", resource) not in self._counts:
            return
        has, offers = self._counts.pop(("capacity", resource)), self._counts.pop(("allocatable", resource))
        if offers and _MOST.has_room(len(self._found)):
            kind = "gpu-offered" if resource.endswith("/gpu") else "hca-offered"
            self._found.append(Observation(kind, str(has), str(offers), self._node or line.host, line.ref()))

    def finish(self) -> Iterable[Observation | JobEvent]:
        return self._found


def _header(text: str) -> Columns | None:
    return columns_of(text, _NODE_COLUMNS, _TWO_WORDS) if "ROLES" in text else None


PARSER = KubernetesNodes
