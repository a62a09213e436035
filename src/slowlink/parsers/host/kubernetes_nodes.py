"""GPUs of a Kubernetes node, as ``kubectl describe node`` and ``kubectl get node -o yaml`` print them::

    Name:               gpu07
    Capacity:
      nvidia.com/gpu:     8
    Allocatable:
      nvidia.com/gpu:     7

The device plug-in offers 7 of the 8 that it registered: it takes one for unhealthy. A plug-in that offers none says
nothing about GPUs: it may have stopped.

Source: kubectl's ``describe.go``, and ``internal/rm/health.go`` of NVIDIA's device plug-in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.patterns import regex

_SECTION = regex(r"\s{0,8}(?P<name>[Cc]apacity|[Aa]llocatable):\s*")
_GPUS = regex(r"\s{1,12}(?P<resource>(?:nvidia|amd)\.com/gpu): {1,24}['\"]?(?P<count>\d{1,3})['\"]?\s*")
_NAME = regex(r"Name: {4,24}(?P<name>[a-z0-9][a-z0-9.-]{0,252})\s*")
_MOST_BETWEEN = 24
"""Lines between the heading of a section and its resources."""
_MOST = 10_000


class KubernetesNodes:
    """Compares what a node has with what it offers."""

    kind: ClassVar[str] = "kubernetes-nodes"

    def __init__(self) -> None:
        self._found: list[Observation] = []
        self._node: str | None = None
        self._section, self._began = "", 0
        self._counts: dict[tuple[str, str], int] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return (
            ("com/gpu" in text and _GPUS.fullmatch(text) is not None)
            or ("a" in text and _SECTION.fullmatch(text) is not None)
            or (text.startswith("Name:") and _NAME.fullmatch(text) is not None)
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
        gpus = _GPUS.fullmatch(line.text)
        if gpus is None or not self._section or line.no > self._began + _MOST_BETWEEN:
            return Use.NOT_MINE
        self._counts[self._section, gpus["resource"]] = int(gpus["count"])
        self._compare(gpus["resource"], line)
        return Use.USED

    def _compare(self, resource: str, line: Line) -> None:
        """When the second of the two numbers is there, however they differ, both are spent."""
        if ("capacity", resource) not in self._counts or ("allocatable", resource) not in self._counts:
            return
        has, offers = self._counts.pop(("capacity", resource)), self._counts.pop(("allocatable", resource))
        if offers and len(self._found) < _MOST:
            self._found.append(Observation("gpu-offered", str(has), str(offers), self._node or line.host, line.ref()))

    def finish(self) -> Iterable[Observation]:
        return self._found


PARSER = KubernetesNodes
