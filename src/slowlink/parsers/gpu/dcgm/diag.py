"""What ``dcgmi diag`` found, from its box and from its JSON: one result a test, with the failing GPUs and the words.

Source: ``dcgmi/Diag.cpp``, ``nvvs/include/NvvsJsonStrings.h`` of DCGM 1.7 to 4.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import NODE, reading, says_something
from slowlink.parsers.gpu.dcgm.box import OUTCOME
from slowlink.parsers.gpu.dcgm.tree import Node
from slowlink.patterns import regex

STATUSES = {"pass": "pass", "fail": "fail", "warn": "warn", "warning": "warn", "skip": "skip", "not run": "not run"}
UNKNOWN = "unknown"
"""A result in a word that is not DCGM's. It is neither a failure nor anything that passed."""
_ORDER = ("fail", UNKNOWN, "warn", "pass", "skip", "not run")
"""The worst result of a test's GPUs comes first."""
_BAD = ("fail", UNKNOWN, "warn")
"""Results of which the GPUs are told."""
_STATUS = regex(r"(?P<status>Pass|Fail|Warn|Skip|Not Run)(?:\s?-\s?(?P<whom>.{1,200}))?$")
_OTHER_STATUS = regex(r"(?P<status>[A-Za-z][A-Za-z _/-]{1,30}?)(?:\s-\s?(?P<whom>.{1,200}))?$")
"""What stands where a test's result belongs, and is none that DCGM had when this was written."""
_DATA = frozenset({"", "Metadata"})
"""Sections whose rows are no tests."""
_ENTITY = regex(r"(?P<kind>GPU|CPU|Switch|NVSwitch|ConnectX)\s?(?P<id>\d{1,4}): (?P<status>[A-Z][A-Za-z ]{2,30})\s*$")
_NOTE = regex(r"(?P<kind>Warning|Error|Info|More Info)(?::\s?(?:GPU\s?(?P<gpu>\d{1,4}))?.{0,20})?$")
_VERSIONS = {
    "dcgm version": "dcgm-version",
    "version": "dcgm-version",
    "driver version detected": "driver-version",
    "eud test version": "eud-version",
}
_DEVICE_IDS = regex(r"gpu device ids(?: detected)?|gpu_device_ids")
_GPU_IN_WORDS = regex(r"\bGPU (\d{1,4})\b")
_BEFORE_TESTS = {"Error": "fail", "Warning": "warn"}
"""A note without a test above it is about what DCGM looks at first: the tests may then not run at all."""
MAX_DETAIL = 2000
MAX_GPUS = Limit(1024, "GPUs")
MAX_LISTED = Limit(10_000, "results of one test")


class Test(Struct):
    """One test of a diagnostic, with all that its rows or its JSON say before it is judged."""

    name: str
    line: Line
    category: str = ""
    statuses: list[str] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    """Numbers of the GPUs that fail or warn."""
    devices: str = ""
    """``All``, ``GPU: 3``: as printed after the result."""
    words: list[str] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)

    def add(self, word: str) -> str | None:
        """One more result, as printed; None where nothing is said. A word that is not DCGM's is kept, to be shown."""
        word = word.strip()
        status = STATUSES.get(word.lower(), UNKNOWN) if word else None
        if status is not None:
            self.statuses.append(status)
        if status == UNKNOWN and word not in self.words:
            self.words.append(word[:MAX_DETAIL])
        return status

    def accuse(self, whom: str | None) -> None:
        """The GPUs of the last result, as printed (``GPUs: 0, 3``), where it is a bad one."""
        if self.statuses[-1] in _BAD and whom:
            self.gpus += re.findall(r"\d{1,4}", whom)[:64]

    def readings(self, tool: str) -> Iterator[Reading]:
        """What it found; nothing for a test that did not say how it ended."""
        known = [status for status in _ORDER if status in self.statuses]
        if not known:
            return
        part = Part("test", f"{tool}/{self.name}")
        yield reading("health-test", part, known[0], self.line)
        if self.category:
            yield reading("health-test-category", part, self.category, self.line)
        if self.devices:
            yield reading("health-test-devices", part, self.devices, self.line)
        if self.words:
            yield reading("health-test-detail", part, "; ".join(self.words)[:MAX_DETAIL], self.line)
        gpus = self.gpus or [gpu for words in self.words for gpu in _GPU_IN_WORDS.findall(words)]
        if gpus and known[0] in _BAD:
            yield reading("health-test-gpus", part, ",".join(dict.fromkeys(gpus)), self.line)
        if self.errors:
            yield reading("health-test-error", part, self.errors[0], self.line)


def diag_readings(sections: Iterable[Node]) -> Iterator[Reading]:
    """Readings of a box of ``dcgmi diag``."""
    rows = [(section.label if section.children else "", node) for section in sections for node in _rows(section)]
    test: Test | None = None
    for category, node in rows:
        note = _NOTE.fullmatch(node.label)
        status = _STATUS.match(node.value) or (_OTHER_STATUS.match(node.value) if category not in _DATA else None)
        if note is not None:
            if test is None and note["kind"] in _BEFORE_TESTS:
                test = Test(category or "checks before the tests", node.line, category, [_BEFORE_TESTS[note["kind"]]])
            if test is not None and note["kind"] != "Info":
                test.words.append(_joined([node.value, *node.overflow]))
                test.gpus += [note["gpu"]] if note["gpu"] else []
                if note["kind"] == "Error" and test.statuses[-1:] != ["fail"]:
                    test.statuses.append("fail")
                elif note["kind"] == "Warning" and "pass" in test.statuses and {*test.statuses} <= {"pass", "skip"}:
                    test.statuses.append("warn")
            continue
        if status is not None:
            if test is not None:
                yield from test.readings("dcgm")
            test = _test_of_row(node, category, status)
        else:
            yield from metadata(node.label, _joined([node.value, *node.overflow]), node.line)
    if test is not None:
        yield from test.readings("dcgm")


def _rows(section: Node) -> list[Node]:
    return section.children or [section]


def _test_of_row(node: Node, category: str, status: re.Match[str]) -> Test:
    test = Test(_clean(node.label), node.line, category)
    test.add(status["status"])
    test.devices = (status["whom"] or "").strip()
    test.accuse(status["whom"])
    for text in node.overflow:
        entity, outcome = _ENTITY.match(text), OUTCOME.match(text)
        if outcome is not None:
            test.add(outcome["status"])
            test.devices += f"; {text.strip()}"
            test.accuse(outcome["whom"])
            continue
        if entity is None:
            test.words.append(text)
            continue
        test.add(entity["status"])
        if test.statuses[-1] in ("fail", UNKNOWN) and entity["kind"] == "GPU":
            test.gpus.append(entity["id"])
    return test


def metadata(label: str, value: str, line: Line) -> Iterator[Reading]:
    """Versions, and the GPUs that the diagnostic saw."""
    attribute = _VERSIONS.get(label.strip().lower())
    if attribute is not None and says_something(value):
        yield reading(attribute, NODE, value.removeprefix("eud."), line)
    elif _DEVICE_IDS.fullmatch(label.strip().lower()):
        ids = [each.strip() for each in MAX_GPUS.first(value.split(","))]
        ids = [each for each in ids if re.fullmatch(r"[0-9a-fA-F]{4}", each)]
        for number, each in enumerate(ids):
            yield reading("gpu-device-id", Part("gpu", str(number)), each.lower(), line)


def json_readings(root: Mapping[str, object], line: Line) -> Iterator[Reading]:
    """Readings of the JSON of ``dcgmi diag -j``, 3.x (``DCGM GPU Diagnostic``) and 4.x (``DCGM Diagnostic``)."""
    for key, value in _scalars(root):
        yield from metadata(key.replace("_", " "), value, line)
    ids = root.get("gpu_device_ids")
    if isinstance(ids, list):
        yield from metadata("gpu device ids", ",".join(str(each) for each in MAX_GPUS.first(ids)), line)
    error = root.get("runtime_error")
    if isinstance(error, str) and error.strip():
        test = Test("diagnostic run", line, "", ["fail"], words=[error.strip()])
        yield from test.readings("dcgm")
    for category in _dicts(root.get("test_categories")):
        for entry in _dicts(category.get("tests")):
            name = entry.get("name")
            if isinstance(name, str) and name.strip():
                yield from _json_test(_clean(name), str(category.get("category", "")), entry, line).readings("dcgm")


def _json_test(name: str, category: str, entry: Mapping[str, object], line: Line) -> Test:
    test = Test(name, line, category)
    results = _dicts(entry.get("results"))
    summary = entry.get("test_summary")
    for result in (*results, *([summary] if isinstance(summary, Mapping) else [])):
        status = test.add(str(result.get("status", "")))
        if status == "pass" and next(_warnings(result.get("warnings")), None) is not None:
            test.statuses.append("warn")
        if test.statuses[-1:] and test.statuses[-1] in _BAD:
            test.gpus += _gpus(result)
            for words, number in _warnings(result.get("warnings")):
                if words not in test.words:
                    test.words.append(words)
                test.errors += [number] if number is not None else []
    return test


def _gpus(result: Mapping[str, object]) -> list[str]:
    if result.get("entity_group", "GPU") not in ("GPU", "", None):
        return []
    for key in ("gpu_ids", "gpu_id", "entity_id"):
        value = result.get(key)
        if isinstance(value, int | str) and str(value).strip():
            return re.findall(r"\d{1,4}", str(value))[:64]
    return []


def _warnings(value: object) -> Iterator[tuple[str, int | None]]:
    """Words and DCGM's number of each warning; 3.x prints text, 4.x objects."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each.strip():
            yield each.strip()[:MAX_DETAIL], None
        elif isinstance(each, Mapping) and isinstance(each.get("warning"), str):
            number = each.get("error_id")
            yield str(each["warning"]).strip()[:MAX_DETAIL], number if isinstance(number, int) else None


def _scalars(root: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for holder in (root, root.get("metadata")):
        if isinstance(holder, Mapping):
            yield from ((str(key), value) for key, value in holder.items() if isinstance(value, str))


def _dicts(value: object) -> list[Mapping[str, object]]:
    return [each for each in MAX_LISTED.first(value) if isinstance(each, Mapping)] if isinstance(value, list) else []


def _joined(pieces: Iterable[str]) -> str:
    return " ".join(piece for piece in pieces if piece)


def _clean(name: str) -> str:
    return " ".join(name.split())[:80]
