"""What one test gave with each of several settings, as people write it in a table or a list::

    run                         busbw (GB/s)
    baseline                    381.2
    NCCL_NET_GDR_LEVEL=LOC      152.6

    without NCCL_IB_GID_INDEX: 18.2 GB/s
    with NCCL_IB_GID_INDEX=3: 187.5 GB/s

    ACS on : all_reduce busbw 61 GB/s
    ACS off: all_reduce busbw 362 GB/s

Rows that stand together are one comparison. A row, or the heading, must say that its number is a bandwidth. Whole
tables of a benchmark under such headings are ``context/setting_headings``'.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from slowlink.catalog.words.trials import switch_in
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.carried_variables import is_carried
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

KIND, ORIGIN = "trial-result", "benchmark"
_LONGEST = 300
_GAP = 3
_UNIT = r"G(?:i?B|b|bit)(?:/s(?:ec)?|ps)"
_ROW = regex(
    r"\s{0,12}(?:[|*#-] ?|\d{1,2}[.)] )?(?P<label>[A-Za-z][^|\t]{1,180}?)"
    r"(?P<apart>\s{0,20}[|\t]\s{0,20}|\s{0,4}(?:->|=>|:|\u2192)\s{0,20}|\s{2,80})"
    r"(?P<words>[A-Za-z][A-Za-z _()/,-]{0,40}? ?[=:]? ?)?(?<![\w.])(?P<value>\d{1,5}(?:\.\d{1,4})?)"
    rf"\s?(?P<unit>{_UNIT})?(?P<tail>(?:\s?[|(\[].{{0,60}}|\s(?:busbw|avg|average|peak))?)\s{{0,8}}"
)
_NAME = r"[A-Z][A-Z\d]{1,10}_[A-Z\d_]{1,60}"
_SET = regex(rf"(?<!\w)(?P<name>{_NAME})\s?=\s?(?P<value>[\w.:,^/+-]{{1,120}})")
_UNSET = regex(
    rf"(?:without|no|unset|w/o)\s{{1,3}}(?P<name>{_NAME})|(?P<left>{_NAME})\s{{1,3}}(?:unset|not set|default|empty)"
)
_BASELINE = regex(
    r"(?i)(?:run \w{1,2}[:.)]? )?(?:as (?:shipped|is)|stock|vanilla|baseline|(?:the )?defaults?(?: settings| env)?"
    r"|nothing(?: set)?|no (?:tuning|settings|variables|env)|untuned|plain|none|before|original)(?: \(.{0,60}\))?"
)
_SAYS = regex(r"(?i)bus ?_?bw|bandwidth|\bbw\b|g(?:i?b|bit)/s|gbps")
_HEADING = regex(
    r"(?i)\s{0,12}\|?\s{0,8}(?:setting|settings|run|env|environment|variable|variables|config(?:uration)?|case|test"
    r"|option|options|variant)s?\s{0,20}(?:\||\t|\s{2,80}|,).{0,120}"
)
_TIME = regex(r"(?i)\btime\b|latency|\bms\b|\bus\b")
MAX_RESULTS = Limit(2_000, "results of trials")


class _Trial(NamedTuple):
    label: str
    names: str
    """Variables with their values, joined by blanks; "" for the baseline and for switches."""
    baseline: bool


class TrialResults:
    """One event for each row; its group says which rows are compared."""

    kind: ClassVar[str] = "trial-results"
    literals: ClassVar[Literals] = Literals(
        ("0", "busbw", "bus_bw", "bus bw", "bandwidth", "bw", "gb/s", "gib/s", "gbit", "gbps"), fold=True
    )
    last_resort: ClassVar[int] = 1

    def __init__(self) -> None:
        self._found: list[JobEvent] = []
        self._open: list[JobEvent] = []
        self._last = -_GAP - 1
        self._headed = False
        self._group = 0

    @staticmethod
    def gate() -> Gate:
        heading = r"(?i)^\s*\|?\s*(?:setting|run|env|variable|config|case|test|option|variant)"
        named = (
            r"[A-Z]_[A-Z]|(?i:default|baseline|stock|vanilla|as is|shipped|untuned|nothing|none|before|original|plain)"
        )
        switch = r"(?i:acs|iommu|vt-?d|gdr|gpu ?direct|peermem|peer_mem|numa|nvls|pfc|ecn|dcqcn|lossless|persistence)"
        return (
            (anywhere(heading),),
            (anywhere(named),),
            (anywhere(switch),),
            (anywhere("(?i:plug-?in|dcgm|profiling|monitoring|exporter)"),),
        )

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > _LONGEST:
            return False
        if _heads(text):
            return True
        row = _ROW.fullmatch(text)
        return row is not None and _trial(row["label"]) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _heads(line.text[:_LONGEST]):
            self._close()
            self._headed, self._last = True, line.no
            return Use.IGNORED
        row = _ROW.fullmatch(line.text[:_LONGEST])
        trial = _trial(row["label"]) if row is not None else None
        if row is None or trial is None or not MAX_RESULTS.has_room(len(self._found) + len(self._open)):
            return Use.NOT_MINE
        if line.no - self._last > _GAP:
            self._close()
            above = line.before
            self._headed = _SAYS.search(above) is not None and _TIME.search(above) is None
        said = row["unit"] or _SAYS.search(f"{row['words'] or ''} {row['tail'] or ''} {row['label']}")
        if not (said or self._headed):
            return Use.NOT_MINE
        self._last = line.no
        bits = (row["unit"] or "").lower().startswith(("gbit", "gbps")) or "b/s" in (row["unit"] or "")[1:2]
        groups = {"label": trial.label, "settings": trial.names, "gbs": row["value"], "group": str(self._group)}
        groups |= {"baseline": "yes"} if trial.baseline else {}
        groups |= {"unit": row["unit"]} if bits and row["unit"] else {}
        ref = line.ref()
        self._open.append(JobEvent(KIND, ORIGIN, ref.text.strip(), groups, ref, line.host, line.rank))
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        self._close()
        return self._found

    def _close(self) -> None:
        """Keep rows that can be compared: two at least, one of them without a setting, or switches."""
        if len(self._open) > 1:
            self._found += self._open
        self._open, self._group = [], self._group + 1


def _heads(text: str) -> bool:
    """A heading of settings and of a bandwidth."""
    return _HEADING.fullmatch(text) is not None and _SAYS.search(text) is not None and _TIME.search(text) is None


def _trial(label: str) -> _Trial | None:
    """What a row was measured with; None where its label says nothing of that."""
    text = label.strip(" `*\"'-:")
    if _BASELINE.fullmatch(text) is not None:
        return _Trial(text, "", True)
    left = _UNSET.search(text)
    if left is not None and is_carried(left["name"] or left["left"]):
        return _Trial(text, "", True)
    found = [(m["name"], m["value"]) for m in _SET.finditer(text) if is_carried(m["name"])]
    if found:
        return _Trial(text, " ".join(f"{name}={value.rstrip('.,:;')}" for name, value in found), False)
    return _Trial(text, "", False) if switch_in(text) is not None else None


PARSER = TrialResults
