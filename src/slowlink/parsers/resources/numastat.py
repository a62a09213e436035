"""Where memory was taken from: ``numastat``, and ``numastat -p PID`` for one process::

                               node0           node1
    numa_hit             91823712222      1823712222
    numa_miss                      0     42382371222

    Per-node process memory usage (in MBs) for PID 23412 (python)
                               Node 0          Node 1           Total
    Total                       45.21        92330.78        92375.99

A page that was wanted from one node and came from another is a miss there. Both count from the start of the machine,
and pages of files count, too: they are facts, to be compared with other nodes and with where a rank's GPU is.

Source: numactl 2.0.9 to 2.0.19, ``numastat.c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TITLE = regex(
    r"Per-node (?:process|system) memory usage \(in MBs\)(?: for PID (?P<pid>\d{1,9}) \(.{0,80}\))?:?\s*"
    r"|Per-node numastat info \(in MBs\):\s*"
)
_NODES = regex(r"\s{4,60}(?:(?:node|Node )\d{1,3}\s{1,20}){0,63}(?:(?:node|Node )\d{1,3}|Total)\s*")
_NODE = regex(r"(?:node|Node )(?P<node>\d{1,3})")
_ROW = regex(
    r"(?P<name>numa_hit|numa_miss|numa_foreign|interleave_hit|local_node|other_node|Huge|Heap|Stack|Private|Total)"
    r"(?P<cells>(?:\s{1,30}\d{1,20}(?:\.\d{1,3})?){1,65})\s*"
)
_RULER = regex(r"\s{0,60}-{8,24}(?:\s{1,4}-{8,20}){0,64}\s*")
_COUNTERS = {"numa_hit": "numa-hits", "numa_miss": "numa-misses"}


class Numastat:
    """Rows below a heading of nodes."""

    kind: ClassVar[str] = "numastat"
    literals: ClassVar[Literals] = Literals(
        (
            *("Per-node ", "node0", "Node 0", "\nTotal", "\nnuma_", "\ninterleave_hit", "\nlocal_node", "\nother_node"),
            *("\nHuge ", "\nHeap ", "\nStack ", "\nPrivate ", "\n--------"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._nodes: list[str] = []
        self._pid = ""

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_TITLE, _NODES, _ROW, _RULER),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_TITLE, _NODES, _ROW, _RULER))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (title := _TITLE.fullmatch(line.text)) is not None:
            self._pid, self._nodes = title["pid"] or "", []
            return Use.IGNORED
        if _NODES.fullmatch(line.text) and "ode" in line.text:
            self._nodes = [found["node"] for found in _NODE.finditer(line.text)]
            return Use.IGNORED
        row = _ROW.fullmatch(line.text) if self._nodes else None
        if row is None:
            return Use.IGNORED if self._nodes and _RULER.fullmatch(line.text) else Use.NOT_MINE
        return self._row(row["name"], row["cells"].split(), line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, name: str, cells: list[str], line: Line) -> Use:
        of_process = name == "Total" and bool(self._pid)
        attribute = "process-numa-memory" if of_process else _COUNTERS.get(name)
        if attribute is None or len(cells) < len(self._nodes):
            return Use.IGNORED
        for node, cell in zip(self._nodes, cells, strict=False):
            if MAX_READINGS.has_room(len(self._found)):
                part = Part("process", f"{self._pid} on NUMA node {node}") if of_process else Part("numa", node)
                self._found.append(reading(attribute, part, float(cell), line))
        return Use.USED


PARSER = Numastat
