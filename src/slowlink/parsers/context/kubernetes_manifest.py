"""Environment variables of a Kubernetes manifest, and how many pods a Job starts at once.

A name, and its value right below it::

    parallelism: 2
    - name: NCCL_DEBUG
      value: "INFO"

Source: the ``env`` lists of pods, jobs and MPIJobs, as YAML is written by hand and by ``kubectl get -o yaml``. Values
that are templates (``{{ ... }}``, ``$(...)``) and ``valueFrom`` are not known. A manifest says what is asked for,
not what ran.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Line
from slowlink.parsers.forms.carried_variables import is_carried
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

PARALLELISM = "kubernetes-job-parallelism"
MAX_SETTINGS = Limit(20_000, "settings")

_NAME = regex(r"^\s*-?\s?name:\s{1,8}[\"']?(?P<name>[\w.-]{1,100})[\"']?\s*$")
_VALUE = regex(r"^\s*-?\s?value:\s{1,8}(?P<value>\S.{0,500})$")
_PARALLELISM = regex(r"^\s*parallelism:\s{1,8}(?P<pods>\d{1,6})(?:\s{1,20}#.{0,200})?\s*$")
_COMMENT = regex(r"^\s*#")


class Manifest:
    """Pairs of a ``name`` and a ``value`` line, in this order, comments between them allowed."""

    kind: ClassVar[str] = "manifest"
    literals: ClassVar[Literals] = Literals(("name:", "value:", "parallelism:"))

    def __init__(self) -> None:
        self._settings: list[EnvSetting] = []
        self._pods: list[Observation] = []
        self._name: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return (
            ("name:" in text and _NAME.match(text) is not None)
            or ("value:" in text and _VALUE.match(text.rstrip()) is not None)
            or ("parallelism:" in text and _PARALLELISM.match(text) is not None)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        pods = _PARALLELISM.match(line.text)
        if pods:
            if MAX_SETTINGS.has_room(len(self._pods)):
                self._pods.append(Observation(PARALLELISM, "", pods["pods"], line.host, line.ref()))
            return Use.USED
        name = _NAME.match(line.text)
        if name:
            self._name = name["name"] if is_carried(name["name"]) else None
            return Use.USED if self._name else Use.NOT_MINE
        value = _VALUE.match(line.text.rstrip())
        if value is None or self._name is None:
            if not _COMMENT.match(line.text):
                self._name = None
            return Use.NOT_MINE
        self._take(self._name, value["value"], line)
        self._name = None
        return Use.USED

    def finish(self) -> Iterable[EnvSetting | Observation]:
        return [*self._settings, *self._pods]

    def _take(self, name: str, raw: str, line: Line) -> None:
        value = raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" else raw.partition(" #")[0].strip()
        if "{{" not in value and "$(" not in value and MAX_SETTINGS.has_room(len(self._settings)):
            self._settings.append(
                EnvSetting(name, value, "manifest", LogProcess(line.host, None, line.rank), line.ref())
            )


PARSER = Manifest
