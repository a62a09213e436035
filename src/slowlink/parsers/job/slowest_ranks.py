"""Which rank took least and which most, as Megatron-LM's straggler detector reports it.

One line for each report, of the averages since the last one, each with the rank that has it::

    INFO:megatron.core.utils:[2025-05-06 03:14:32] | MnRtt/Rnk: 735.8ms/12 | MxRtt/Rnk: 1166.6ms/43 | MnPwr/Rnk: 268441W/43 | MxPwr/Rnk: 671833W/30 | MnTmp/Rnk: 44C/8 | MxTmp/Rnk: 89C/43 | MnUtl/Rnk: 98%/8 | MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1155MHz/43 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 1.2ms/15 | MxDRtt/Rnk: 13.3ms/23 | MnEtpt/Rnk: 260.8TF/43 | MxEtpt/Rnk: 408.8TF/13

Rtt is the time that a rank's own operations took, DRtt the time for its batch of data.

Source: Megatron-LM core 0.6 to 0.14 (``megatron/core/utils.py``, StragglerDetector; ``README_STRAGGLER.md``).
"""  # noqa: E501  (a line of the log is one line)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

KIND, ORIGIN = "slowest-rank", "training"
_MARK = "MxRtt/Rnk: "
_MOST_REPORTS = Limit(100_000, "reports of Megatron's straggler detector that name one rank")
_EXTREME = regex(
    r"\b(?P<end>Mn|Mx)(?P<what>Rtt|DRtt|Clk|Tmp|Pwr)/Rnk: (?P<value>\d{1,12}(?:\.\d{1,6})?)\w{1,3}/(?P<rank>\d{1,7})\b"
)


class _Report(Struct, frozen=True):
    """One line: ``MxRtt`` and its kin -> value and rank."""

    line: Line
    least_ms: float
    most_ms: float
    extremes: dict[str, tuple[float, int]]


class SlowestRanks:
    """One event for the rank that was the slowest in most reports on end: how many, by how much, and its clock."""

    kind: ClassVar[str] = "slowest-ranks"
    literals: ClassVar[Literals] = Literals((_MARK,))

    def __init__(self) -> None:
        self._streak: list[_Report] = []
        """The last reports that name the same rank."""
        self._longest: list[_Report] = []
        self._count = 0

    @staticmethod
    def wants(text: str) -> bool:
        return _MARK in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = {m["end"] + m["what"]: (float(m["value"]), int(m["rank"])) for m in _EXTREME.finditer(line.text)}
        if "MnRtt" not in found or "MxRtt" not in found:
            return Use.NOT_MINE
        self._count += 1
        if self._streak and self._streak[0].extremes["MxRtt"][1] != found["MxRtt"][1]:
            self._streak = []
        if _MOST_REPORTS.has_room(len(self._streak)):
            self._streak.append(_Report(line, found["MnRtt"][0], found["MxRtt"][0], found))
        if len(self._streak) > len(self._longest):
            self._longest = self._streak
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        if self._longest:
            yield self._event(self._longest)

    def _event(self, reports: list[_Report]) -> JobEvent:
        rank = reports[0].extremes["MxRtt"][1]
        worst = max(reports, key=lambda report: report.most_ms - report.least_ms)
        groups = {
            "reports": str(len(reports)),
            "of": str(self._count),
            "least": repr(median(report.least_ms for report in reports)),
            "most": repr(median(report.most_ms for report in reports)),
            **_beside(reports, rank),
        }
        ref = worst.line.ref()
        return JobEvent(KIND, ORIGIN, ref.text.strip(), groups, ref, None, rank)


def _beside(reports: list[_Report], rank: int) -> dict[str, str]:
    """Clock, temperature and wait for data, where this rank has the worst of all ranks in most reports."""
    found = {}
    for name, group, other in (("MnClk", "clock", "MxClk"), ("MxTmp", "temperature", ""), ("MxDRtt", "data", "MnDRtt")):
        ranks = Counter(report.extremes[name][1] for report in reports if name in report.extremes)
        if 2 * ranks[rank] > len(reports):
            mine = [report.extremes[name][0] for report in reports if report.extremes.get(name, (0, -1))[1] == rank]
            found[group] = repr(median(mine))
            best = [report.extremes[other][0] for report in reports if other in report.extremes]
            found |= {f"{group}_best": repr(median(best))} if best else {}
    return found


PARSER = SlowestRanks
