"""The state of nodes as Slurm's controller sees it: ``sinfo`` with any columns, ``sinfo -R``, ``scontrol show node``::

    PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
    gpu*         up   infinite      1  down* gpu02
    gpu*         up   infinite     31   idle gpu[01,03-32]

    NodeName=gpu02 Arch=x86_64 CoresPerSocket=64
       State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1
       Reason=Not responding [slurm@2026-11-20T10:00:00]

A reason is somebody's sentence: it is read like one, and belongs to the node. Facts: Slurm's sinfo(1) and scontrol(1).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from slowlink.catalog.vocabulary import Message, vocabulary
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.nodes import NodeLists
from slowlink.parsers.complaints.said import read_complaint
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

DOWN, REASON = "slurm-node-state-down", "slurm-node-reason"
MAX_EVENTS = Limit(100_000, "nodes out of use")
_MOST_NODES = 20_000
"""In all rows of an input: a list that is printed again and again names its nodes each time."""
_NAMES = ("NODELIST", "HOSTNAMES", "NODEHOST", "NODE_ADDR")
_COLUMNS = frozenset(
    (
        *("PARTITION", "AVAIL", "TIMELIMIT", "NODES", "STATE", "STATECOMPACT", "REASON", "USER", "TIMESTAMP", "CPUS"),
        *("S:C:T", "MEMORY", "TMP_DISK", "WEIGHT", "AVAIL_FE", "JOB_SIZE", "ROOT", "OVERSUBS", "GROUPS", "RESERVATION"),
        *("FREE_MEM", "CPU_LOAD", "GRES", "GRES_USED", "FEATURES", "ACTIVE_FEATURES", "CPUS(A/I/O/T)", "NODES(A/I)"),
        *("NODES(A/I/O/T)", "VERSION", "PORT", "PRIO_TIER", "SOCKETS", "CORES", "THREADS", "ALLOCMEM", "CLUSTER"),
        *("COMMENT", *_NAMES),
    )
)
_PLAIN = ("PARTITION", "AVAIL", "TIMELIMIT", "NODES", "STATE", "NODELIST")
_STATES = (
    *("down", "drain", "drng", "fail", "idle", "alloc", "mix", "comp", "maint", "unk", "inval", "no_respond", "boot"),
    *("resv", "reserved", "planned", "plnd", "pow", "block", "reboot", "future"),
)
"""How they begin."""
_STATE = (
    r"(?:down|drain(?:ed|ing)?|drng|fail(?:ing)?|failg|idle|alloc(?:ated)?|mix(?:ed)?|comp(?:leting)?|maint|unk(?:nown)?"
    r"|inval|no_respond|boot|resv|reserved|planned|plnd|power(?:ing)?_?\w{0,5}|pow_?\w{2}|block(?:ed)?|reboot\S{0,10}|future)"
    r"[*~#!%$@^+-]{0,2}"
)
_ROW = regex(rf"(?=.{{0,400}}\d)(?:.{{0,400}} )?{_STATE}(?: .{{0,400}})?")
_REASON_ROW = regex(r".{1,300} \d{1,4}-\d{1,2}-\d{1,2}T\d{1,2}:\d{1,2}:\d{1,2} +\S{1,400}")
_WHOLE_ROW = regex(
    rf"\S{{1,60}} +(?:up|down|drain|inact) +(?:infinite|[\d:-]{{1,14}}) +\d{{1,6}} +{_STATE} +\S{{1,400}}"
)
_OF_NODE = regex(r"NodeName=(?P<node>[\w.-]{1,120}) ")
_STATE_OF_NODE = regex(r"(?:^|\s)State=(?P<state>[A-Z_*+~#!%$@^-]{2,120})")
_REASON_OF_NODE = regex(r"(?:^|\s)Reason=(?P<reason>.{1,300}?)(?: \[[\w.-]{1,64}@[\dT:-]{10,25}\])?\s*$")
_ELSE = ("PartitionName=", "ReservationName=", "JobId=")
"""What other things ``scontrol show`` prints begin with; they have states of their own."""
_A_TIME = regex(r"\d{1,4}-\d{1,2}-\d{1,2}T\d{1,2}:\d{1,2}:\d{1,2}|(?i:unknown|none|n/a)")
_NODES = regex(r"[\w.,:\[\]-]{1,100000}")
_IN_MAINTENANCE = "$"
"""Behind a state: the node is in a reservation for maintenance, so it is down or drained as somebody planned it."""
_IS_DOWN = regex(r"(?i)down|fail|not?_?respond|\*$")
_IS_OUT = regex(r"(?i)down|drain|drng|fail|inval|not?_?respond|\*$")


_SILENT = "not responding"
"""What Slurm itself notes down."""


class _Node(Struct):
    """The block of one node, as far as it was read."""

    name: str
    state: str = ""


class SlurmNodes:
    """One event for each node that is down, and for each reason that says what is wrong with it."""

    kind: ClassVar[str] = "slurm-nodes"
    literals: ClassVar[Literals] = Literals(
        (
            *_NAMES,
            "0-0-0T0:0:0 ",
            "NodeName=",
            *(f"\n{name}" for name in _ELSE),
            "State=",
            "Reason=",
            *(f"{edge}{state}" for edge in " \n" for state in _STATES),
        )
    )

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = ()
        self._node: _Node | None = None
        self._events: dict[tuple[str, str, str], JobEvent] = {}
        self._sets = NodeLists(_MOST_NODES, MAX_EVENTS)
        self._left = _MOST_NODES

    @staticmethod
    def wants(text: str) -> bool:
        bare = text.strip()
        return (
            _is_header(bare)
            or _ROW.fullmatch(bare) is not None
            or _REASON_ROW.fullmatch(bare) is not None
            or "NodeName=" in text
            or "State=" in text
            or "Reason=" in text
            or bare.startswith(_ELSE)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        bare = line.text.strip()
        if _is_header(bare):
            self._columns, self._node = tuple(bare.split()), None
            return Use.USED
        if "=" in bare and (use := self._block(bare, line)) is not Use.NOT_MINE:
            return use
        columns = self._columns or (_PLAIN if _WHOLE_ROW.fullmatch(bare) else ())
        values = _cells(columns, bare)
        if not values:
            self._columns = ()
            return Use.NOT_MINE
        state = values.get("STATE", values.get("STATECOMPACT", ""))
        if not state or _IS_OUT.search(state):
            for node in self._nodes(next(values[name] for name in _NAMES if name in values)):
                self._take(node, state, values.get("REASON", ""), line)
        return Use.USED

    def _nodes(self, text: str) -> tuple[str, ...]:
        """The nodes of a list; one that is cut (``gpu[01-``), no list or one too many is one name."""
        names = self._sets.names(text) or (text,)
        if len(names) > self._left:
            return (text,)
        self._left -= len(names)
        return names

    def _block(self, text: str, line: Line) -> Use:
        """A line of ``scontrol show node``; with ``-o`` it is the whole block."""
        if text.startswith(_ELSE):
            self._node, self._columns = None, ()
        named = _OF_NODE.search(text + " ")
        if named is not None:
            self._node = _Node(named["node"])
        if self._node is None:
            return Use.NOT_MINE
        state, reason = _STATE_OF_NODE.search(text), _REASON_OF_NODE.search(text)
        if state is not None:
            self._node.state = state["state"]
        if state is not None or reason is not None:
            self._take(self._node.name, self._node.state, reason["reason"] if reason is not None else "", line)
        return Use.USED if named is not None or state is not None or reason is not None else Use.NOT_MINE

    def _take(self, node: str, state: str, reason: str, line: Line) -> None:
        """What Slurm says of one node. Where no state stands beside a reason, the list is one of nodes out of use."""
        planned = state.endswith(_IN_MAINTENANCE) and not reason
        if planned or (state and not _IS_OUT.search(state)):
            return
        ref = line.ref()
        down = _IS_DOWN.search(state) is not None or (not state and reason.lower().startswith(_SILENT))
        if down:
            self._keep(JobEvent(DOWN, "slurm", ref.text.strip(), {"state": state, "reason": reason}, ref, node))
        if reason.lower() in ("", "none", "unknown", "n/a"):
            return
        known = vocabulary("slurm").find(Message(reason))
        if known is not None and known[0].cause:
            meaning, values = known
            self._keep(JobEvent(meaning.kind, "slurm", ref.text.strip(), values, ref, node))
        elif (said := read_complaint(reason)) is not None:
            groups = {"cause": said.cause, "part": said.part, "state": said.state, "which": said.which}
            self._keep(JobEvent("complaint", "complaint", f"{node}: {reason}", groups, ref, node))
        elif not down:
            self._keep(JobEvent(REASON, "slurm", ref.text.strip(), {"state": state, "reason": reason}, ref, node))

    def _keep(self, event: JobEvent) -> None:
        key = (event.kind, event.host or "", event.groups.get("cause", ""))
        old = self._events.get(key)
        if old is not None and (old.groups.get("reason") or not event.groups.get("reason")):
            return
        if old is not None or MAX_EVENTS.has_room(len(self._events)):
            self._events[key] = event

    def finish(self) -> Iterable[JobEvent]:
        return self._events.values()


def _is_header(text: str) -> bool:
    words = text.split()
    return (
        len(words) > 1
        and _COLUMNS.issuperset(words)
        and any(name in words for name in _NAMES)
        and any(name in words for name in ("STATE", "STATECOMPACT", "REASON"))
    )


def _cells(columns: tuple[str, ...], text: str) -> dict[str, str]:
    """The cells of one row by column. A reason has blanks: it takes what the columns around it leave."""
    words = text.split()
    if not columns or len(words) < len(columns):
        return {}
    at = columns.index("REASON") if "REASON" in columns else len(columns) - 1
    after = len(columns) - at - 1
    if at == len(columns) - 1 and columns[at] != "REASON" and len(words) != len(columns):
        return {}
    end = len(words) - after
    cells = dict(zip(columns, (*words[:at], " ".join(words[at:end]), *words[end:]), strict=True))
    return cells if _are_of_nodes(cells) else {}


def _are_of_nodes(cells: dict[str, str]) -> bool:
    """Do the cells hold what their columns are for? What stands below a table may be of another command."""
    return all(
        _A_TIME.fullmatch(cell) is not None if name == "TIMESTAMP" else name not in _NAMES or _NODES.fullmatch(cell)
        for name, cell in cells.items()
    )


PARSER = SlurmNodes
