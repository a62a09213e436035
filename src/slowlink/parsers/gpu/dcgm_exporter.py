"""Metrics of dcgm-exporter in Prometheus' text format::

    # HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
    # TYPE DCGM_FI_DEV_GPU_TEMP gauge
    DCGM_FI_DEV_GPU_TEMP{gpu="3",UUID="GPU-1111",modelName="NVIDIA H200",Hostname="gpu07"} 51
    DCGM_FI_DEV_FB_USED{gpu="3",UUID="GPU-1111",modelName="NVIDIA H200",Hostname="gpu07"} 2

The labels name GPU and node; a sample with ``GPU_I_ID`` is of a MIG slice and says nothing about the whole GPU.
DCGM's blank values (no answer, not supported) are printed as numbers near 2^63 and are dropped. A list of names without
values has no state: the only reading is how many there are.

Source: Prometheus exposition format 0.0.4; dcgm-exporter 2.x to 4.x.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading, says_something
from slowlink.parsers.gpu.dcgm.fields import EXPORTED

MAX_NAMES = Limit(10_000, "names")
_NAME = r"(?P<name>DCGM_F[IC]_[A-Z\d_]{2,100})"
_SAMPLE = re.compile(
    rf"\s{{0,8}}{_NAME}(?:\{{(?P<labels>[^{{}}]{{0,2000}})\}})?\s{{1,20}}(?P<value>[-+]?[\d.eE+-]{{1,30}}|NaN)(?:\s\d{{1,20}})?\s*$"
)
_BARE = re.compile(rf"\s{{0,8}}{_NAME}\s*$")
_COMMENT = re.compile(rf"\s{{0,8}}# (?:HELP|TYPE) {_NAME}\b")
_LABEL = re.compile(r'(\w{1,40})="([^"]{0,200})"')


class DcgmExporter:
    """Reads samples with a value by their labels, and counts names of metrics whether they have one or not."""

    kind: ClassVar[str] = "dcgm-exporter"
    literals: ClassVar[Literals] = Literals(("DCGM_F",))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._names: dict[str, Line] = {}
        self._values = 0
        self._models: set[tuple[str | None, str]] = set()

    @staticmethod
    def wants(text: str) -> bool:
        return "DCGM_F" in text and any(pattern.match(text) for pattern in (_SAMPLE, _BARE, _COMMENT))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        sample = _SAMPLE.match(line.text)
        found = sample or _BARE.match(line.text) or _COMMENT.match(line.text)
        if found is None:
            return Use.NOT_MINE
        if MAX_NAMES.has_room(len(self._names)):
            self._names.setdefault(found["name"], line)
        if sample is not None:
            self._values += 1
            self._sample(sample, line)
        return Use.IGNORED if found.re is _COMMENT else Use.USED

    def finish(self) -> Iterable[Reading]:
        if self._names:
            first, line = next(iter(self._names.items()))
            hosts = {found.host for found in self._found}
            host = next(iter(hosts)) if len(hosts) == 1 else None
            self._add(reading("exporter-metrics", NODE, len(self._names), line), host)
            self._add(reading("exporter-values", NODE, self._values, line), host)
            self._add(reading("exporter-first-metric", NODE, first, line), host)
        return self._found

    def _sample(self, sample: re.Match[str], line: Line) -> None:
        labels = dict(_LABEL.findall(sample["labels"] or ""))
        number = labels.get("gpu", "")
        if not number.isdecimal() or len(number) > 4 or labels.get("GPU_I_ID"):
            return  # instances of MIG are parts of a GPU
        if not MAX_READINGS.has_room(len(self._found)):
            return
        part, host = Part("gpu", number), labels.get("Hostname") or labels.get("hostname") or None
        value = _float(sample["value"])
        for field in EXPORTED.get(sample["name"], ()):
            said = field.convert(value) if value is not None else None
            if said is not None:
                self._add(reading(field.attribute, part, said, line), host)
        if (host, number) not in self._models:
            self._models.add((host, number))
            model, uuid = labels.get("modelName", ""), labels.get("UUID", "")
            if says_something(model):
                self._add(reading("gpu-name", part, model, line), host)
            if uuid.startswith("GPU-"):
                self._add(reading("gpu-uuid", part, uuid, line), host)

    def _add(self, found: Reading, host: str | None) -> None:
        self._found.append(replace(found, host=host) if host else found)


def _float(text: str) -> float | None:
    """A finite number within what counters hold; None for NaN and anything else (DCGM's blank values are huge)."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < 2**62 else None


PARSER = DcgmExporter
