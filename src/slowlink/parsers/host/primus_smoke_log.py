"""AMD Primus: what its smoke test logs on each node, in front of the report::

    [10:11:40][node-smoke][gpu01] gpu0: PASS (12.1s)
    [10:12:40][node-smoke][gpu01] wrote smoke/gpu01.json status=FAIL duration=88.1s
    [10:12:40][node-smoke][gpu01] WARN: nic: rdma3:1 state=DOWN (expected ACTIVE)

The result of a node stands in the line with ``status=``; the warnings behind it are the reasons, five at most. Warnings
before it are notes: what is missing there may be covered by another tool; only processes that hold a GPU are told. A
GPU that passes is a part of a test that has not ended.

Source: AMD-AGI/Primus, ``primus/tools/preflight/node_smoke/cli.py``, ``orchestrator.py`` and ``logging_utils.py``.
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
from slowlink.parsers.host.primus_smoke import WHOLE
from slowlink.patterns import regex

_LINE = regex(
    r"\s{0,4}\[\d\d:\d\d:\d\d\]\[node-smoke\]\[(?P<host>[\w.-]{1,120})\] (?P<warn>WARN: )?(?P<text>\S.{0,1500})"
)
_GPU = regex(r"(?P<name>gpu\d{1,3}): (?P<status>PASS|FAIL|TIMEOUT) \([\d.]{1,12}s\)(?: -- (?P<words>.{1,400}))?")
_WROTE = regex(r"wrote \S{1,400} status=(?P<status>PASS|FAIL) duration=[\d.]{1,12}s")
_REASON = regex(r"(?P<name>[A-Za-z][\w]{1,30})(?: \(\d{1,6} match[^)]{0,30}\))?: (?P<words>.{1,1400})")
_FOREIGN = regex(r"foreign process on gpu\d{1,3}: ")
_OF_GPU = regex(r"gpu\d{1,3}")
_MOST_REASONS = 5


class PrimusSmokeLog:
    """Reads the result of each GPU and node, and why a node fails."""

    kind: ClassVar[str] = "primus-smoke-log"
    literals: ClassVar[Literals] = Literals(("][node-smoke][",))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._reasons: dict[str, int] = {}
        """Node that failed -> reasons that may still follow."""

    @staticmethod
    def wants(text: str) -> bool:
        return "][node-smoke][" in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _LINE.match(line.text)
        if found is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        host, text = found["host"], found["text"]
        if (wrote := _WROTE.match(text)) is not None:
            self._reasons[host] = _MOST_REASONS if wrote["status"] == "FAIL" else 0
            self._note(WHOLE, wrote["status"].lower(), "", line, host)
        elif found["warn"]:
            return self._warning(text, line, host)
        elif (gpu := _GPU.match(text)) is not None and gpu["status"] != "PASS":
            self._note(gpu["name"], "fail", gpu["words"] or "", line, host)
        else:
            return Use.IGNORED
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _warning(self, text: str, line: Line, host: str) -> Use:
        if _FOREIGN.match(text):
            self._note("gpu_processes", "warn", text, line, host)
            return Use.USED
        reason = _REASON.match(text) if self._reasons.get(host, 0) > 0 else None
        if reason is None:
            return Use.IGNORED
        self._reasons[host] -= 1
        if _OF_GPU.fullmatch(reason["name"]) and reason["words"].startswith(("FAIL", "TIMEOUT")):
            return Use.IGNORED  # its own line said so
        self._note(reason["name"], "fail", reason["words"], line, host)
        return Use.USED

    def _note(self, name: str, status: str, words: str, line: Line, host: str) -> None:
        part = Part("test", f"health/{name}")
        self._found.append(replace(reading("health-test", part, status, line), host=host))
        if words:
            self._found.append(replace(reading("health-test-detail", part, words, line), host=host))


PARSER = PrimusSmokeLog
