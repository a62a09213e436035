"""The report of what an assistant names: of a saved one, or of an analysis. Secrets are taken out of the text of an
input, and out of each text of a saved report, before anything is read from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from io import BytesIO

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware
from slowlink.inputs import Input
from slowlink.inputs.directory import Place
from slowlink.inputs.small_text import MOST_REPORT_BYTES
from slowlink.inputs.walk import open_place, open_stream
from slowlink.model.agents import HardwareAsked
from slowlink.model.facts import Hardware
from slowlink.model.report import Report
from slowlink.parsers.reading.read import found_in, joined
from slowlink.parsers.reading.redacted import read_redacted
from slowlink.redact import Redaction
from slowlink.redact.names import is_secret_name
from slowlink.report.json import report_from_json
from slowlink.workflows.agents.beneath import Beneath
from slowlink.workflows.analyze import report_of

TEXT_NAME = "text"
_HEAD_BYTES = 512
_MARK = b'"slowlink.report/'


class Readable(Struct, frozen=True):
    """What may be read, and the tolerances of the site."""

    beneath: Beneath
    tolerances: Mapping[str, Mapping[str, object]]

    def report_at(self, path: str, hardware: Hardware | None = None) -> Report:
        """Raises SlowlinkError where the path may not be read."""
        with self.beneath.opened(path) as place:
            saved = _saved_report(place)
            return self._analyzed(open_place(place), hardware) if saved is None else _without_commands(saved)

    def report_on(self, text: str, hardware: Hardware | None = None) -> Report:
        """Of lines that were sent."""
        data = text.encode("utf-8", "replace")
        return self._analyzed(open_stream(TEXT_NAME, len(data), BytesIO(data)), hardware)

    def _analyzed(self, inputs: Iterator[Input], hardware: Hardware | None) -> Report:
        return report_of(joined(found_in(inputs, None, None, read_redacted)), hardware, self.tolerances)


def hardware_of(asked: HardwareAsked, nodes: int | None = None) -> Hardware | None:
    """What was said of the hardware. Raises SlowlinkError for names that the catalogue does not have."""
    return given_hardware(asked.system, asked.gpu, asked.gpus_per_node, asked.nics, nodes=nodes)


def _saved_report(place: Place) -> Report | None:
    """What ``--format json`` wrote; None for anything else. Raises SlowlinkError for a report that is damaged."""
    if place.is_directory or place.size > MOST_REPORT_BYTES:
        return None
    if _MARK not in os.pread(place.descriptor, _HEAD_BYTES, 0):
        return None
    with os.fdopen(os.dup(place.descriptor), "rb") as file:
        data = file.read(MOST_REPORT_BYTES + 1)
        file.seek(0)
    try:
        value = _Redacted().of(json.loads(data)) if len(data) <= MOST_REPORT_BYTES else None
    except (ValueError, RecursionError):
        return None  # the analysis says what is wrong with it
    return report_from_json(value) if isinstance(value, dict) else None


class _Redacted:
    """The values of one JSON text without their secrets. Most texts of a report stand there again and again."""

    def __init__(self) -> None:
        self._redaction = Redaction()
        self._known: dict[tuple[str, str], str] = {}

    def of(self, value: object, name: str = "") -> object:
        """``name``: of the value. Raises RecursionError."""
        if isinstance(value, str):
            return self._text(name, value)
        if isinstance(value, dict):
            return {key: self.of(inner, key) for key, inner in value.items()}
        return [self.of(inner, name) for inner in value] if isinstance(value, list) else value

    def _text(self, name: str, text: str) -> str:
        under = name if is_secret_name(name) else ""
        if (under, text) not in self._known:
            self._known[under, text] = self._redaction.named(under, text)
        return self._known[under, text]


def _without_commands(report: Report) -> Report:
    """What a saved report tells to do are words of whoever wrote the file: an assistant asks ``explain`` instead."""
    return replace(
        report,
        diagnoses=tuple(replace(claim, remedy=(), references=()) for claim in report.diagnoses),
        findings=tuple(replace(claim, remedy=(), references=()) for claim in report.findings),
    )
