"""``nvidia-smi -L`` and ``nvidia-smi nvlink``: a line for each GPU and, below it, lines for its links.

Source: nvidia-smi of drivers 384 to 595: ``nvlink -s`` (speed or ``<inactive>``), ``-e`` (errors; many more from
Blackwell on), ``-gt d`` and ``-gt r`` (traffic), ``-g`` (older traffic), ``-c`` (what the link can), ``-R`` and ``-p``
(its other end). Links without their GPU's line (somebody searched for "inactive") belong to GPU ``?``, ``?2`` ...
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import bus_id
from slowlink.parsers.gpu.nvidia_smi.sink import Sink, gpu
from slowlink.parsers.gpu.nvidia_smi.values import answer, identifier, size
from slowlink.patterns import regex

_GAP = 12
_GPU = regex(r"\s{0,20}GPU (\d{1,4}): (\S.{0,80}?) ?\(UUID: ?([\w-]{1,60})\)?")
_SLICE = regex(r"\s{0,20}MIG \S{1,40} {1,10}Device {1,4}\d{1,3}: \(UUID: ")
_ALL_INACTIVE = regex(r"\s{0,20}(?:NVML: )?Unable to retrieve NVLink information as all links are inActive")
_LINK = regex(r"\s{0,20}Link (\d{1,3})(?:[:,]) ?(.{1,120})")
_ELIDED = regex(r"\s{0,20}\[?(?:\.{2,6}|…)\]?\s{0,4}")
_SPEED = regex(r"(\d{1,4}(?:\.\d{1,4})?) GB/s")
_COUNTED = regex(r"([A-Z][\w /-]{2,50}): (\d{1,19})")
_RATE = regex(r"(Effective|Symbol) BER: (\d{1,4}(?:\.\d{1,4})?e-?\d{1,3}|0)")
_TRAFFIC = regex(r"(Data|Raw) (Tx|Rx): (\d{1,15} (?:KiB|MiB|KB|MB|B))")
_OLD_TRAFFIC = regex(r"Rx\d: (\d{1,15} KBytes), Tx\d: (\d{1,15} KBytes)")
_CAN = regex(r"([A-Z][\w -]{2,50})(?: is)? supported: (true|false)")
_REMOTE = regex(r"(?:Remote Device )?([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])(?:: Link (\d{1,3}))?")

_ERRORS = {
    "replay errors": "nvlink-replay-errors",
    "recovery errors": "nvlink-recovery-errors",
    "crc errors": "nvlink-crc-errors",
    "crc flit errors": "nvlink-crc-errors",
    "rx errors": "nvlink-rx-errors",
    "malformed packet errors": "nvlink-malformed-errors",
    "buffer overrun errors": "nvlink-overrun-errors",
    "local link integrity errors": "nvlink-integrity-errors",
    "total link recovery events": "nvlink-recoveries",
    "link recovery failed events": "nvlink-recoveries-failed",
    "effective errors": "nvlink-effective-errors",
    "symbol errors": "nvlink-symbol-errors",
}


class Links:
    """Remembers the GPU whose links follow; numbers GPUs whose line is missing."""

    marks: ClassVar[tuple[str, ...]] = ("(UUID: ", "Link ", "MIG ", "\n..", "\n[..", "\n…", "\n[…")

    def __init__(self) -> None:
        self._out = Sink()
        self._gpu: str | None = None
        self._last = -_GAP
        self._unnamed = 0
        self._seen: set[tuple[str, str]] = set()
        """(link, what was said) of the GPU whose name is missing."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            ("GPU " in text and "(UUID: " in text)
            or "Link " in text
            or "MIG " in text
            or _ELIDED.fullmatch(text) is not None
        )

    def feed(self, line: Line) -> Use:
        use = self._take(line, line.text[:240].rstrip())
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> list[Reading]:
        return self._out.found

    def _take(self, line: Line, text: str) -> Use:
        listed = _GPU.fullmatch(text)
        if listed is not None:
            self._gpu = str(int(listed[1]))
            part = gpu(self._gpu)
            self._out.take("gpu-name", part, listed[2], line)
            self._out.take("gpu-uuid", part, identifier(listed[3]), line)
            return Use.USED
        if line.no - self._last > _GAP:
            self._gpu = None
        if _ALL_INACTIVE.fullmatch(text) and self._gpu is not None:
            self._out.take("gpu-nvlinks-inactive", gpu(self._gpu), value=True, line=line)
            return Use.USED
        found = _LINK.fullmatch(text)
        if found is None:
            elided = _ELIDED.fullmatch(text) is not None and line.no - self._last < _GAP
            return Use.IGNORED if elided or _SLICE.match(text) else Use.NOT_MINE
        return self._link(str(int(found[1])), found[2].strip(), line)

    def _link(self, number: str, said: str, line: Line) -> Use:
        known = _readings_of(said)
        if not known:
            return Use.IGNORED if self._gpu is not None else Use.NOT_MINE
        part = Part("nvlink", f"{self._gpu or self._nameless(number, known)}/{number}")
        for attribute, value in known:
            self._out.take(attribute, part, value, line)
        return Use.USED

    def _nameless(self, number: str, known: list[tuple[str, str | int | float | bool]]) -> str:
        mark = number, known[0][0]
        if mark in self._seen:
            self._seen.clear()
            self._unnamed += 1
        self._seen.add(mark)
        return "?" if not self._unnamed else f"?{self._unnamed + 1}"


def _readings_of(said: str) -> list[tuple[str, str | int | float | bool]]:
    """Attributes and values of what follows ``Link 3:``."""
    if said.lower() == "<inactive>":
        return [("nvlink-active", False)]
    if speed := _SPEED.fullmatch(said):
        return [("nvlink-active", True), ("nvlink-speed", float(speed[1]))]
    if counted := _COUNTED.fullmatch(said):
        name = _ERRORS.get(counted[1].lower())
        return [(name, int(counted[2]))] if name else []
    if rate := _RATE.fullmatch(said):
        share = float(rate[2])
        return [(f"nvlink-{rate[1].lower()}-ber", share)] if share <= 1 else []
    if traffic := _TRAFFIC.fullmatch(said):
        raw = "raw-" if traffic[1] == "Raw" else ""
        return [(f"nvlink-{raw}{traffic[2].lower()}-bytes", size(traffic[3]) or 0)]
    if old := _OLD_TRAFFIC.fullmatch(said):
        return [("nvlink-rx-bytes", size(old[1]) or 0), ("nvlink-tx-bytes", size(old[2]) or 0)]
    if can := _CAN.fullmatch(said):
        value = answer(can[2])
        return (
            [("nvlink-p2p", value)]
            if can[1].startswith("P2P") and "atomics" not in can[1] and value is not None
            else []
        )
    if remote := _REMOTE.fullmatch(said):
        link = f" link {int(remote[2])}" if remote[2] else ""
        return [("nvlink-remote", f"{bus_id(remote[1])}{link}")]
    return []
