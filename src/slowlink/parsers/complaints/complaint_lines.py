"""Complaints of health checks, wrappers and people, in words that no list will ever hold.

A part, a state, and which one::

    FAIL: port mlx5_3/1 is DOWN
    GPU count mismatch on node gpu07: expected 8, got 7

Asked last of all: a line that any parser reads stays that parser's. Words and meanings are data
(``catalog/complaints.toml``); ``said.py`` reads a line by them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.catalog.complaints import state_words
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.complaints.amounts import COMPARISONS
from slowlink.parsers.complaints.said import SOURCE_PLACE, may_complain, read_complaint
from slowlink.parsers.complaints.which import node_in
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import Folded, is_library_line
from slowlink.parsers.forms.rows import NOT_MINE, Row

KIND = "complaint"
MAX_COMPLAINTS = Limit(20_000, "different complaints")
MAX_READ = Limit(20_000, "lines that may complain")
"""Lines of one stream that are read closely."""
_PARTS = (
    *("gpu", "nvlink", "nv-link", "nv link", "xgmi", "infinity", "pci", "hca", "nic", "mlx", "bnxt", "irdma", "ionic"),
    *("port", "link", "fabric", "subnet", "opensm", "imex", "persist", "peer", "gdr", "governor", "numa", "acs"),
    *("access control", "iommu", "vt-d", "dmar", "lock", "ulimit", "file", "descriptor", "shm", "shared mem", "rom"),
    *(
        "remap",
        "retire",
        "correct",
        "double",
        "dbe",
        "vram",
        "hbm",
        "ecc",
        "dimm",
        "machine check",
        "mce",
        "edac",
        "ddr",
    ),
    *("memory", "throttl", "slowdown", "brake", "clock", "psu", "power", "fan", "gid", "roce", "pkey", "p_key"),
    *("partition", "symbol", "crc", "ber", "errors", "uverbs", "infiniband", "rdma", "adapter", "network card"),
    *("connectx", "accelerator", "gcd", "cuda dev", "health", "nhc", "verdict", "diag", "burn", "check", "test"),
    *("lnksta", "lanes", "ib0", "ibp", "cx0", "master sm", "graphics", "nvswitch"),
)
_STATES = (
    *("down", "inactive", "not ", "n't", "missing", "absent", "undetected", "appeared", "vanished", "gone", "lost"),
    *(
        "fell",
        "fallen",
        "no ",
        "no-",
        "without",
        "dead",
        "disconn",
        "unplug",
        "offline",
        "stopped",
        "crashed",
        "exited",
    ),
    *("unloaded", "disabled", "off", "enabled", " on", "=on", "active", "detected", "fail", "fault", "bad", "broken"),
    *("unhealthy", "unusable", "defect", "damage", "corrupt", "evict", "quarantin", "abnormal", "error", "degraded"),
    *("critical", "nok", "pending", "retired", "remapp", "reset", "hung", "hang", "stuck", "timed out", "frozen"),
    *("wedged", "unresponsive", "too ", "insuff", "must be", "should", "need", "has to", "below", "exhaust", "flap"),
    *("bounc", "unstable", "went", "throttl", "assert", "engaged", "trigger", "slowed", "held", "heat", "save"),
    *("ondemand", "schedutil", "conservative", "strict", "translating", "lazy", "only", "instead", "rather", "expect"),
    *(
        "reduced",
        "half",
        "lower",
        "limited",
        "wrong",
        "max",
        "capab",
        "nominal",
        "required",
        "vs",
        "of 0",
        "/0",
        "= 0",
        "unable",
    ),
    *("cannot", "mismatch", "downgraded", "high", "rising", "excessive", "ber", "supposed"),
)
"""Parts of words; each word of the catalogue holds one (tested). What has none of them is no complaint."""


_NAMED, _STATED = Literals(_PARTS, fold=True), Literals(_STATES, fold=True)


class ComplaintLines:
    """One event for each part, state and name that is complained of; its groups name the cause."""

    kind: ClassVar[str] = "complaints"
    digits_alike: ClassVar[bool] = True
    lone: ClassVar[bool] = True
    last_resort: ClassVar[int] = 4
    literals: ClassVar[Literals] = _NAMED
    """After the forms of programs, and after lines that are marked as errors."""

    def __init__(self) -> None:
        self._folded: Folded[JobEvent] = Folded(MAX_COMPLAINTS)
        self._read = 0

    @staticmethod
    def gate() -> Gate:
        states = rf"(?i)(?:^|[^a-z])(?:{state_words()})(?:[^a-z]|$)"
        return ((anywhere(states),), (anywhere(SOURCE_PLACE),), *((anywhere(f"(?i){each}"),) for each in COMPARISONS))

    @staticmethod
    def wants(text: str) -> bool:
        """Does the line name something like a part, and something like a state?"""
        return _NAMED.in_(text) and _STATED.in_(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if is_library_line(line.text):
            return Use.NOT_MINE
        if not may_complain(line.text):
            return Use.NOT_MINE
        if not MAX_READ.has_room(self._read):
            return Use.NOT_MINE
        self._read += 1
        said = read_complaint(line.text)
        if said is None:
            return Use.NOT_MINE
        host = line.host or node_in(line.text)
        key = (said, host or line.place)
        if not self._folded.counts_again(key, line) and self._folded.has_room():
            groups = {"cause": said.cause, "part": said.part, "state": said.state, "which": said.which}
            if said.guessed:
                groups["guessed"] = "yes"
            ref = line.ref()
            event = JobEvent(KIND, "complaint", ref.text.strip(), groups, ref, host, line.rank)
            self._folded.keep(key, event)
        return Use.USED

    @staticmethod
    def row(text: str) -> Row | None:
        return None if may_complain(text) else NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        return self._folded.records()


PARSER = ComplaintLines
