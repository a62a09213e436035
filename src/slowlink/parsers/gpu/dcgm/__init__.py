"""``dcgmi diag``, ``health``, ``nvlink -e``, ``topo``, ``group`` and ``discovery`` of NVIDIA's DCGM: boxes of rows::

    +---------------------------+------------------------------------------------+
    | Diagnostic                | Result                                         |
    +===========================+================================================+
    | Denylist                  | Pass                                           |
    | PCIe                      | Fail - GPU: 3                                  |
    | Warning: GPU 3            | PCIe replays were seen while the test ran.     |
    +---------------------------+------------------------------------------------+

The first row says what a box is about. A long text is continued in rows with an empty left cell; a diagnostic breaks
it even inside a word, all other boxes between words. The result of a test stands in its row, the failing GPUs there or
in the ``Warning`` rows below. ``grep`` often leaves a single row; it is read when its test is one of DCGM's own.

``document`` reads the same as JSON (``-j``) and gives equal readings; ``dcgm_nvlink``, ``dcgm_dmon`` and
``dcgm_exporter`` read what has no box.

Source: ``dcgmi/DcgmiOutput.cpp``, ``Diag.cpp``, ``Health.cpp`` and their neighbours of DCGM 1.7 to 4.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.dcgm.box import ROW, RULER, SECTION, TOP_RULER, WIDE_ROW, Box, kind_of
from slowlink.parsers.gpu.dcgm.document import DcgmDocument
from slowlink.parsers.gpu.dcgm.meaning import readings_of
from slowlink.parsers.gpu.dcgm.stats import OF_STATS
from slowlink.parsers.gpu.dcgm.tree import Tree
from slowlink.patterns import regex

_RESULT = regex(
    r"\s*\|[ -]{1,4}(?:Denylist|Blacklist|NVML Library|CUDA \w{4,8} Librar(?:y|ies)|Permissions and OS[\w -]{0,20}"
    r"|Persistence Mode|Environment Variables?|Page Retirement[\w/ ]{0,16}|Graphics Processes|Inforom|PCIe"
    r"|GPU Memory|Diagnostic|Pulse Test"
    r"|SM Stress|Targeted (?:Stress|Power)|Memory Bandwidth|Memtest|(?:CPU )?EUD Test|Context Create|NCCL Tests"
    r"|software|memory|diagnostic|pcie|targeted_\w{5,6}|memory_bandwidth|memtest|nvbandwidth|eud|pulse_test|sm_stress)\s*"
    r"\| (?:Pass|Fail|Warn|Skip|Not Run)(?: - [\w: ,]{1,60})?\s*\|\s*$"
)
"""A row that can only be of a diagnostic, also without its box around it: DCGM's own names of tests."""
_MORE_RESULTS = regex(r"\s*\| {20,40}\| (?:Fail|Warn) - GPUs?: [\d, ]{1,60}\|\s*$")
"""Other GPUs of a test whose name stands in a row above, which ``grep -i fail`` left out."""
_HEALTH = regex(r"\s*\| Overall Health {1,40}\| (?:Healthy|Warning|Failure)\s*\|\s*$")
"""The first row of a health report, whose header may be cut off."""
_COUNT = regex(r"(?P<count>\d{1,4}) (?P<what>GPU|NvSwitch|ConnectX|CPU)(?:e?s)? found(?: \((?:Active|All)\))?\.\s*$")
_BANNER = regex(
    r"Successfully ran diagnostic for group\.|Health monitor systems (?:report|set successfully)"
    r"|Successfully (?:created|removed) group|(?:Add to|Remove from) (?:group )?operation successful"
    r"|Note: Use -a flag to show all GPUs|Policy (?:information for group|successfully set)"
    r"|Successfully (?:retrieved statistics for|started|stopped|removed) |(?:Successfully )?(?:start|stop)ped recording"
)
_WATCHES = regex(r"Health monitor systems report\s*$")
"""Above the box of what is watched, which has no header of its own."""
_STATS_OF = regex(r"\s*\| (?P<whose>GPU ID: \d{1,4}|Summary)\s{10,120}\|\s*$")
"""Whose statistics of a job follow."""


class Dcgm:
    """Collects each box line by line, and reads it when it ends."""

    kind: ClassVar[str] = "dcgm"
    literals: ClassVar[Literals] = Literals(
        (
            *("\n|", "\n+", " found.", " found (", "\nSuccessfully ", "Health monitor systems "),
            *(" operation successful", "Note: Use -a flag", "Policy information", "Policy successfully"),
            "ped recording",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._box: Box | None = None

    @staticmethod
    def wants(text: str) -> bool:
        if "|" in text or "+-" in text or "+=" in text:
            return any(pattern.match(text) for pattern in (ROW, RULER, SECTION, WIDE_ROW))
        return ("found" in text and _COUNT.match(text) is not None) or _BANNER.match(text) is not None

    @property
    def greedy(self) -> bool:
        return self._box is not None

    def feed(self, line: Line) -> Use:
        text = line.text
        kind = kind_of(text)
        if kind:
            self._end()
            title = text.strip().strip("|").strip() if kind == "tree" or ROW.match(text) is None else ""
            self._box = Box(kind, Tree([title.rstrip("| ")] if title else [], line))
            return Use.IGNORED
        section = SECTION.match(text)
        if section is not None and section["name"] in OF_STATS and (self._box is None or self._box.kind != "stats"):
            self._end()
            self._box = Box("stats", Tree([], line), body=True)
        if self._box is None and (section or _RESULT.match(text) or _MORE_RESULTS.match(text)):
            self._box = Box("diag", Tree([], line), body=True)
        if self._box is None and _HEALTH.match(text):
            self._box = Box("tree", Tree(["Health Monitor Report"], line), body=True)
        if whose := _STATS_OF.match(text):
            self._end()
            self._box = Box("stats", Tree([whose["whose"]], line))
            return Use.IGNORED
        if self._box is not None:
            if self._box.add(line):
                return Use.USED if ROW.match(text) else Use.IGNORED
            self._end()
        return self._outside(line)

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found

    def _outside(self, line: Line) -> Use:
        counted = _COUNT.match(line.text)
        if counted is not None:
            attribute = {"GPU": "gpu-count", "NvSwitch": "nvswitch-count"}.get(counted["what"])
            if attribute is not None and MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading(attribute, NODE, int(counted["count"]), line))
            return Use.USED
        if _WATCHES.match(line.text):
            self._box = Box("quiet", Tree([], line), body=True)
        return Use.IGNORED if _BANNER.match(line.text) or TOP_RULER.match(line.text) else Use.NOT_MINE

    def _end(self) -> None:
        if self._box is not None:
            room = MAX_READINGS - len(self._found)
            self._found += list(readings_of(self._box.kind, self._box.tree))[: max(0, room)]
            self._box = None


PARSER = Dcgm
DOCUMENT = DcgmDocument
