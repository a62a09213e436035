"""Reports of health checks as JSON: tests with a status, results of single GPUs, a host's name, a final result::

    {"hostname": "gpu-node-07", "final_result": "FAILED",
     "tests": {"gpu_memory_bandwidth": {"status": "PASSED", "per_gpu": {"0": {"bandwidth_gbps": 3011.5}}},
               "nvlink": {"status": "FAILED", "message": "link 4 of GPU 2 is down"}}}

Providers and schedulers each write their own. What they share is read: a mapping or list of ``tests`` (``checks``,
``results``) whose entries, or the devices below them, have a ``status``. It counts only when it is about GPUs, links or
NICs, because test runners of all kinds write such reports and lists. Names of tests stay as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from msgspec.structs import replace

from slowlink.catalog.words.check_topics import is_sharp_topic
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.topology_matrix import matrix_in
from slowlink.patterns import regex

TOOL = "health"
_NODE = "the node"
_TESTS = ("tests", "checks", "health_checks", "healthchecks", "results")
_BARE_STATUS = ("overall_status", "status", "result", "health")
_STATUS = (*_BARE_STATUS, "outcome", "state", "final_result", "conclusion")
_NAME = ("name", "test", "test_name", "check", "check_name", "component", "id")
_RECORD = ("check", "check_name", "test", "test_name")
"""What names the one result of a record."""
_WORDS = ("message", "error", "reason", "details", "detail", "output", "msg")
_DEVICE = regex(r"GPU-0x[0-9a-f]{8,16}|GPU-[0-9a-f]{8}-[0-9a-f-]{10,40}|(?:GPU|gpu)[ _-]?\d{1,4}|\d{1,3}", re.ASCII)
_PERF = regex(r"[a-z]\w{2,30}_perf(?:_busbw)?")
_NUMBERS = {
    "tflops": "gpu-tflops",
    "average_temperature": "gpu-temperature",
    "temperature": "gpu-temperature",
    "temperature_c": "gpu-temperature",
}
_RANK = ("fail", "warn", "pass", "skip")
MAX_TESTS = Limit(50_000, "tests")
MAX_DEVICES = Limit(10_000, "devices")


def status_of(text: object) -> str | None:
    """``IDEAL (PASSED)``, ``ok``, ``FAILED`` ... as ``pass fail warn skip``; None for any other word."""
    if not isinstance(text, str) or len(text) > 60:
        return None
    word = text.strip().lower()
    if re.match(r"(?:fail|error|unhealthy|critical|broken)", word) or "(fail" in word:
        return "fail"
    if "warn" in word or word in ("degraded", "acceptable"):
        return "warn"
    if re.fullmatch(
        r"(?:pass(?:ed)?|ok|success(?:ful)?|succeeded|healthy|ideal|good|completed)(?: \(pass(?:ed)?\))?", word
    ):
        return "pass"
    return "skip" if word in ("skip", "skipped", "not run", "disabled") else None


class HealthReport:
    """Reads one report, a list of reports, or a bare list of results."""

    kind: ClassVar[str] = "health-report"

    @staticmethod
    def wants_document(value: object) -> bool:
        return any(_tests_of(report) for report in _reports(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        at = Line(source, line, "")
        reports = _reports(value)
        hosts = {host for report in reports if (host := _host(report))}
        only = next(iter(hosts)) if len(hosts) == 1 else None
        return MAX_READINGS.first(found for report in reports for found in _read(report, only, at))


def _reports(value: object) -> list[Mapping[str, object]]:
    """The reports in a document; a bare list or mapping of tests becomes one."""
    if isinstance(value, Mapping) and (name := _first(value, _RECORD)) and _own_status(value) and is_sharp_topic(name):
        return [{**value, "tests": {name: value}}]  # one result, as loggers write them
    entries = MAX_TESTS.first(value) if isinstance(value, list) else [value]
    reports = [entry for entry in entries if isinstance(entry, Mapping)]
    if sick := [report for report in reports if _is_of_a_sick_node(report)]:
        return [{**report, "tests": {_NODE: report}} for report in sick]
    if any(_tests_of(report) for report in reports):
        return reports
    if isinstance(value, list):
        bare = _named(reports)
    else:
        bare = [
            (str(name), entry) for report in reports for name, entry in report.items() if isinstance(entry, Mapping)
        ]
    known = [(name, entry) for name, entry in bare if _own_status(entry, bare=True)]
    if len(known) >= 2 and 2 * len(known) > len(bare) and any(is_sharp_topic(name) for name, _ in known):
        return [{"tests": dict(known)}]
    return []


def _is_of_a_sick_node(report: Mapping[str, object]) -> bool:
    """``{"node": "gpu07", "healthy": false}``. One that is healthy proves nothing: by which check, it does not say."""
    return report.get("healthy") is False and bool(_host(report)) and not _first(report, (*_NAME, "service", "pod"))


def _named(entries: Iterable[Mapping[str, object]]) -> list[tuple[str, Mapping[str, object]]]:
    """Entries of a list with their names; those of ``component`` with ``states`` below it, each state."""
    found: list[tuple[str, Mapping[str, object]]] = []
    for entry in entries:
        name, states = _first(entry, _NAME), entry.get("states")
        if isinstance(states, list):
            below = [state for state in MAX_TESTS.first(states) if isinstance(state, Mapping)]
            found += [(" ".join(dict.fromkeys(filter(None, (name, _first(state, _NAME))))), state) for state in below]
        elif name:
            found.append((name, entry))
    return found


def _tests_of(report: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    """Tests by name; none when nothing in the report has the status of a test."""
    for key in _TESTS:
        tests = report.get(key)
        named: list[tuple[str, Mapping[str, object]]] = []
        if isinstance(tests, Mapping):
            named = [(str(name), entry) for name, entry in tests.items() if isinstance(entry, Mapping)]
        elif isinstance(tests, list):
            named = _named(entry for entry in MAX_TESTS.first(tests) if isinstance(entry, Mapping))
        if any(_own_status(entry) or _of_devices(entry) for _, entry in named) and _is_of_gpus(report, named):
            return MAX_TESTS.first(named)
    return []


def _is_of_gpus(report: Mapping[str, object], tests: Iterable[tuple[str, Mapping[str, object]]]) -> bool:
    """Does a test, what it says, or a key of the report name GPUs, links or NICs? Test runners write such reports. A
    verdict on a node as a whole needs none of them."""
    if report.get("healthy") is False:
        return True
    words = (*map(str, MAX_TESTS.first(report)), *(f"{name} {_first(entry, _WORDS)[:400]}" for name, entry in tests))
    return any(map(is_sharp_topic, words))


def _read(report: Mapping[str, object], only_host: str | None, at: Line) -> Iterator[Reading]:
    """The readings of one report; where only one host is named in all of them, it is the host of each."""
    host = _host(report) or only_host
    seen: set[tuple[str, Part]] = set()
    for found in _of_report(report, at):
        if found.part.kind == "gpu" and (found.attribute, found.part) in seen:
            continue  # later tests measure the same in another way
        seen.add((found.attribute, found.part))
        yield replace(found, host=host) if host else found


def _of_report(report: Mapping[str, object], at: Line) -> Iterator[Reading]:
    tests = _tests_of(report)
    final = status_of(report.get("final_result") or report.get("overall_status") or report.get("overall_result"))
    for name, entry in tests:
        yield from _test(name.strip()[:80], entry, at, passed=final == "pass")
    if tests and final is not None:
        yield reading("health-test", Part("test", f"{TOOL}/final result"), final, at)
    yield from _gpus(report, tests, at)
    for key, value in MAX_TESTS.first(report.items()):
        number = _number(value[0] if isinstance(value, list) and len(value) == 1 else value)
        if number is not None and _PERF.fullmatch(str(key)):
            yield reading("health-test-value", Part("test", f"{TOOL}/{key}"), number, at)


def _test(name: str, entry: Mapping[str, object], at: Line, *, passed: bool) -> Iterator[Reading]:
    """``passed``: the report as a whole did. Then devices that fail a test which says nothing itself are a warning: the
    check knows of them, and lets them pass."""
    devices = _of_devices(entry)
    status = _own_status(entry) or next((each for each in _RANK if each in devices.values()), None)
    if passed and status == "fail" and _own_status(entry) is None:
        status = "warn"
    part = Part("test", f"{TOOL}/{name}")
    if status is not None:
        yield reading("health-test", part, status, at)
        words = _first(entry, _WORDS)
        if words:
            yield reading("health-test-detail", part, words[:2000], at)
        failing = [device for device, found in devices.items() if found == "fail"]
        if failing:
            yield reading("health-test-gpus", part, ",".join(failing[:64]), at)
        warnings = sum(found == "warn" for found in devices.values())
        if warnings:
            yield reading("health-test-warnings", part, warnings, at)
    for device, below in _devices(entry):
        for key, attribute in _NUMBERS.items():
            number = _number(below.get(key))
            if number is not None:
                yield reading(attribute, Part("gpu", device), number, at)
        number = _number(below.get("bandwidth_gbps"))
        if number is not None and "memory" in name.lower():
            yield reading("gpu-memory-bandwidth", Part("gpu", device), number, at)
    raw = entry.get("raw")
    if isinstance(raw, str) and "GPU0" in raw:
        yield from matrix_in(raw, at.source, at.no)


def _gpus(report: Mapping[str, object], tests: list[tuple[str, Mapping[str, object]]], at: Line) -> Iterator[Reading]:
    info = report.get("gpu_info") if isinstance(report.get("gpu_info"), Mapping) else report
    count = info.get("gpu_count", info.get("num_gpus")) if isinstance(info, Mapping) else None
    name = info.get("gpu_name") if isinstance(info, Mapping) else None
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < MAX_DEVICES:
        yield reading("gpu-count", NODE, count, at)
    if isinstance(name, str) and name.strip():
        for device in dict.fromkeys(device for _, entry in tests for device, _ in _devices(entry)):
            yield reading("gpu-name", Part("gpu", device), name.strip()[:100], at)


def _devices(entry: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    """Results of single GPUs: directly below a test, or one level deeper (``per_gpu``, ``gpu_results``)."""
    found: list[tuple[str, Mapping[str, object]]] = []
    for key, value in MAX_DEVICES.first(entry.items()):
        if not isinstance(value, Mapping):
            continue
        if _DEVICE.fullmatch(str(key)):
            found.append((_device(str(key)), value))
        else:
            below = MAX_DEVICES.first(value.items())
            found += [(_device(str(k)), v) for k, v in below if isinstance(v, Mapping) and _DEVICE.fullmatch(str(k))]
    return MAX_DEVICES.first(found)


def _device(key: str) -> str:
    numbered = re.fullmatch(r"(?:GPU|gpu)[ _-]?(\d{1,4})|(\d{1,3})", key)
    return str(int(numbered[1] or numbered[2])) if numbered else key


def _of_devices(entry: Mapping[str, object]) -> dict[str, str]:
    return {device: status for device, below in _devices(entry) if (status := _own_status(below))}


def _own_status(entry: Mapping[str, object], *, bare: bool = False) -> str | None:
    found = [status for key in (_BARE_STATUS if bare else _STATUS) if (status := status_of(entry.get(key)))]
    if entry.get("healthy") is False:
        found.append("fail")
    if entry.get("passed") in (True, False) or entry.get("success") in (True, False):
        found.append("pass" if entry.get("passed", entry.get("success")) else "fail")
    return next((each for each in _RANK if each in found), None)


def _first(entry: Mapping[str, object], keys: Iterable[str]) -> str:
    return next((value.strip() for key in keys if isinstance(value := entry.get(key), str) and value.strip()), "")


def _host(report: Mapping[str, object]) -> str | None:
    places = (report, report.get("machine_metadata"), report.get("metadata"), report.get("node"), report.get("host"))
    for place in places:
        if isinstance(place, Mapping):
            name = _first(place, ("hostname", "host_name", "host", "node", "node_name"))
            if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,120}", name):
                return name
    return None


def _number(value: object) -> float | None:
    """A number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", value.strip(), re.ASCII) else None
    return float(value) if abs(value) < 1e15 else None


DOCUMENT = HealthReport
