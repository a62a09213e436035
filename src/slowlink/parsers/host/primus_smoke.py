"""AMD Primus: the report of its smoke test of nodes, tables in Markdown::

    # Node-Local Smoke Test Report
    - **PASS**: `1`  **FAIL**: `1`
    | Node | Hostname | Status | Duration | Top fail reason |
    |------|----------|--------|----------|-----------------|
    | 0 | gpu01 | PASS | 41.0s |  |
    | 1 | gpu02 | FAIL | 44.2s | nic: rdma3 port 1 is DOWN |
    ## NIC / RDMA roll-call issues
    | Node | Hostname | Issue |
    |------|----------|-------|
    | 1 | gpu02 | rdma3 port 1 is DOWN |

A node passes or fails as a whole. Each further table lists what it is about, one issue a row, and a sentence in italics
where there is none.

Source: AMD-AGI/Primus, ``primus/tools/preflight/node_smoke/aggregator/report.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TITLE = regex(r"\s{0,8}# Node-Local Smoke Test Report\s{0,8}")
_HEADER = regex(r"\s{0,8}\| Node \| Hostname \|(?: [A-Za-z %()-]{2,40} \|){1,6}\s{0,8}")
_ROW = regex(r"\s{0,8}\| ?(?P<node>\d{1,7}|\?) \| (?P<host>[A-Za-z0-9][\w.-]{0,120}) \|(?P<cells>.{0,600})\|\s{0,8}")
_SECTION = regex(r"\s{0,8}## (?P<name>[A-Z][\w /().-]{2,80}?)\s{0,8}")
_LEGEND = regex(
    r"\s{0,8}(?:\|(?:-{3,60}\|){2,8}|- \*\*(?:Expected nodes|Reported nodes|PASS)\*\*: .{1,80}"
    r"|\*[A-Z].{3,120}\.\*)\s{0,8}"
)
_STATUS = {"PASS": "pass", "FAIL": "fail"}
WHOLE = "node smoke test"
_HELD = ("Busy GPUs / leaked processes", "GPU pre-touch HBM usage outliers")
"""Tables of GPUs that somebody holds: a failure only where the report says so, for it may have been allowed."""


class PrimusSmoke:
    """Reads the tables below the title; each row names its node."""

    kind: ClassVar[str] = "primus-smoke"
    literals: ClassVar[Literals] = Literals(
        (
            *("# Node-Local Smoke Test Report", "| Node | Hostname |", "\n|0 |", "\n| 0 |", "\n|? |", "\n| ? |"),
            *("\n## ", "\n|---", "\n- **", ".*\n"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._open = False
        self._section = WHOLE
        self._columns: list[str] = []

    @staticmethod
    def wants(text: str) -> bool:
        return text.lstrip()[:1] in ("#", "|", "-", "*") and any(
            pattern.fullmatch(text) for pattern in (_TITLE, _HEADER, _ROW, _SECTION, _LEGEND)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if _TITLE.fullmatch(text):
            self._open, self._section, self._columns = True, WHOLE, []
            return Use.IGNORED
        if not self._open:
            return Use.NOT_MINE
        if (section := _SECTION.fullmatch(text)) is not None:
            self._section, self._columns = section["name"].removesuffix(" issues"), []
        elif _HEADER.fullmatch(text):
            self._columns = [cell.strip() for cell in text.strip().strip("|").split("|")][2:]
        elif (row := _ROW.fullmatch(text)) is not None and self._columns:
            return self._row(row["host"], [cell.strip() for cell in row["cells"].split("|")], line)
        elif not _LEGEND.fullmatch(text):
            return Use.NOT_MINE
        return Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, host: str, cells: list[str], line: Line) -> Use:
        told = dict(zip(self._columns, cells, strict=False))
        words = told.get("Issue") or told.get("Top fail reason") or ""
        status = _STATUS.get(told.get("Status", "").strip("*")) or ("fail" if told.get("Issue") else None)
        if status is None and self._section in _HELD:
            status, words = "warn", ", ".join(f"{name} {cell}" for name, cell in told.items())
        if status is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        part = Part("test", f"health/{self._section}")
        self._found.append(replace(reading("health-test", part, status, line), host=host))
        if words:
            self._found.append(replace(reading("health-test-detail", part, words, line), host=host))
        return Use.USED


PARSER = PrimusSmoke
