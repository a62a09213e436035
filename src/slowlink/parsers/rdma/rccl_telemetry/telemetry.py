"""Readings of RCCL's telemetry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, says_something
from slowlink.parsers.rdma.rccl_telemetry.latency import Latency, latency_of
from slowlink.parsers.rdma.rccl_telemetry.names import OF_PRIORITY, counter_of
from slowlink.patterns import regex

_NAME = regex(r"[\w.@:-]{1,64}")
_HOST = regex(r"[A-Za-z0-9][\w.-]{0,252}")
_PROCESS = regex(r"\d{1,10}")
_LARGEST = 1 << 63


class RcclTelemetry:
    """Each counter is read twice: 0 when the process began to use the HCA, and what was added since. They stand beside
    those of the HCA itself, which count from its start, as a part of their own: ``mlx5_0 (process 4100)``."""

    kind: ClassVar[str] = "rccl-telemetry"

    @staticmethod
    def wants_document(value: object) -> bool:
        return (
            isinstance(value, dict)
            and {"host_name", "process_id", "transport", "devices"} <= value.keys()
            and isinstance(value["devices"], list)
        )

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found: list[Reading] = []
        if isinstance(value, dict):
            host = value.get("host_name")
            process = str(value.get("process_id"))
            of = f" (process {process})" if _PROCESS.fullmatch(process) else ""
            at = Line(source, line, "", host=host if isinstance(host, str) and _HOST.fullmatch(host) else None)
            for device in value["devices"]:
                if isinstance(device, dict):
                    _read_device(device, of, at, found)
        return found


def _read_device(device: Mapping[str, object], of: str, at: Line, found: list[Reading]) -> None:
    """One that carried nothing for this process was not read, and says nothing."""
    name, interface = device.get("roce_device"), device.get("eth_device")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not says_something(name):
        return
    parts = {"hca": f"{name}{of}", "port": f"{name}{of}"}
    if isinstance(interface, str) and _NAME.fullmatch(interface) and says_something(interface):
        parts["interface"] = f"{interface}{of}"
    counters = device.get("hw_counters")
    for kind, part, attribute, count in _counters(counters if isinstance(counters, dict) else {}):
        if kind in parts or (kind == "priority" and "interface" in parts):
            owner = f"{parts['interface']}/{part}" if kind == "priority" else parts[kind]
            _add_grown(found, attribute, Part(kind, owner), count, at)
    errors, untracked = _count(device.get("num_cq_errors")), _count(device.get("num_qp_untracked"))
    if errors is not None:
        _add(found, "hca-completions-failed", Part("hca", parts["hca"]), errors, at)
    if untracked is not None:
        _add(found, "hca-queue-pairs-uncounted", Part("hca", parts["hca"]), untracked, at)
    latency = latency_of(device.get("channels"), device.get("tx_bytes"))
    if latency is not None:
        _add_latency(found, latency, Part("hca", parts["hca"]), at)


def _counters(counters: Mapping[object, object]) -> Iterator[tuple[str, str, str, int]]:
    """(kind of part, its name below the HCA's, attribute, count); of several names of one counter the largest."""
    most: dict[tuple[str, str], int] = {}
    for name, value in counters.items():
        if not isinstance(name, str):
            continue
        known, count = counter_of(name), _count(value)
        if known is not None and count is not None:
            most[known] = max(count, most.get(known, 0))
        elif name in OF_PRIORITY and isinstance(value, list):
            for priority, each in enumerate(value[:8]):
                if (count := _count(each)) is not None:
                    yield "priority", str(priority), OF_PRIORITY[name], count
    for (kind, attribute), count in most.items():
        yield kind, "", attribute, count


def _count(value: object) -> int | None:
    """-1 is what was not read; what is below is no count either, nor is what no counter holds."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else None


def _add_grown(found: list[Reading], attribute: str, part: Part, count: int, at: Line) -> None:
    """Without a line at first: the 0 stands nowhere."""
    before = Line(at.source, 0, "", host=at.host)
    _add(found, attribute, part, 0, before)
    _add(found, attribute, part, count, at)


def _add(found: list[Reading], attribute: str, part: Part, value: Value, at: Line) -> None:
    if MAX_READINGS.has_room(len(found)):
        text = f"{part.name}: {attribute} {value}" if at.no else ""
        found.append(reading(attribute, part, value, Line(at.source, at.no, text, host=at.host)))


def _add_latency(found: list[Reading], latency: Latency, part: Part, at: Line) -> None:
    _add(found, "hca-completion-latency", part, round(latency.mean_us, 3), at)
    _add(found, "hca-completions-timed", part, latency.timed, at)
    if latency.size_bytes is not None:
        _add(found, "hca-send-size", part, round(latency.size_bytes), at)
