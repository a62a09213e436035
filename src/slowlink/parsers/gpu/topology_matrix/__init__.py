"""Topology matrices: which path joins each GPU with each other GPU and each network adapter of its node::

            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
    GPU0     X      NV18    PIX     0-47            0
    GPU1    NV18     X      SYS     48-95           1
    NIC0    PIX     SYS      X

    NIC Legend:
      NIC0: mlx5_0

``nvidia-smi topo -m`` and ``-p2p``, ``mx-smi topo -n``, ``rocm-smi --showtopo`` and ``amd-smi topology`` print them.
The header decides the columns. Terminals wrap it and its rows, copies lose tabs, and the legend that names the adapters
comes last or is missing. Cells stay as printed (``NV12``, ``PIX``, ``MX``, ``XGMI``). What a matrix is about (paths,
access, hops, peer-to-peer states) is said by a title or the command above it, else by its first row.

Source: nvidia-smi of drivers 384 to 580, mx-smi 2.x, rocm-smi 5 to 7, amd-smi 24 to 26.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.gpu.topology_matrix.cells import (
    COMMAND,
    HCA_ROW,
    HEADER,
    LEGEND,
    LOCATION,
    MARKS,
    NIC_NAME,
    P2P,
    P2P_COMMAND,
    ROW,
    TITLE,
    TITLES,
    is_mine,
    plain,
)
from slowlink.parsers.gpu.topology_matrix.matrix import Matrix

_P2P_CELLS = frozenset({"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"})
MAX_TEXT = 200_000


class TopologyMatrix:
    """Collects a matrix from its header to the next one or a title, wrapped lines included, and reads it then."""

    kind: ClassVar[str] = "topology-matrix"
    literals: ClassVar[Literals] = Literals(MARKS)

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._matrix: Matrix | None = None
        self._title: str | None = ""
        """What the cells of the next matrix mean; see ``Matrix.attribute``."""
        self._p2p = ""
        self._broken = False
        """Did a line of something else come since the last line of the matrix? Then no rest of a row is expected."""

    @staticmethod
    def wants(text: str) -> bool:
        return is_mine(plain(text).strip())

    @property
    def greedy(self) -> bool:
        matrix = self._matrix
        return matrix is not None and not self._broken and (not matrix.rows or matrix.row_is_short or matrix.row_waits)

    def feed(self, line: Line) -> Use:
        text = plain(line.text)
        for take in (self._row, self._header, self._around):
            use = take(text, line)
            if use is not Use.NOT_MINE:
                self._broken = False
                return use
        use = self._rest(text)
        self._broken = use is Use.NOT_MINE
        return use

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found

    def _header(self, text: str, line: Line) -> Use:
        if HEADER.match(text) is None:
            return Use.NOT_MINE
        if self._matrix is not None and not self._matrix.rows and self._matrix.add_header(text):
            return Use.IGNORED  # the terminal broke the header between two GPUs
        matrix = Matrix(line, self._title)
        if not matrix.add_header(text):
            return Use.NOT_MINE
        self._end()
        self._matrix = matrix
        return Use.IGNORED

    def _row(self, text: str, line: Line) -> Use:
        matrix = self._matrix
        found = ROW.match(text) or HCA_ROW.match(text)
        if found is None or matrix is None or found["label"] not in matrix.columns:
            return Use.NOT_MINE
        matrix.add_row(found["label"], text[found.end("label") :], line)
        if matrix.attribute == "" and matrix.rows[0] is matrix.rows[-1]:
            self._decide(matrix)
        return Use.USED

    def _decide(self, matrix: Matrix) -> None:
        """The first row shows whether an untitled matrix is about paths or peer-to-peer states."""
        cells = set(matrix.rows[0].cells) - {"X"}
        if cells and cells <= _P2P_CELLS:
            matrix.attribute = f"gpu-pair-p2p-{self._p2p}" if self._p2p else "gpu-pair-p2p"

    def _rest(self, text: str) -> Use:
        """The rest of a wrapped header or row."""
        matrix = self._matrix
        if matrix is None or not text.strip():
            return Use.NOT_MINE
        if not matrix.rows:
            return Use.IGNORED if matrix.add_header(text) else Use.NOT_MINE
        if (matrix.row_is_short or matrix.row_waits) and matrix.more(text):
            return Use.USED
        return Use.NOT_MINE

    def _around(self, text: str, line: Line) -> Use:
        command = P2P_COMMAND.search(text)
        if command is not None:
            self._end()
            self._p2p = P2P[command["what"]]
        title = TITLE.match(text)
        if title is not None:
            self._end()
            self._title = TITLES.get(title["rocm"] or title["amd"])
            return Use.IGNORED
        name = NIC_NAME.match(text)
        if name is not None and self._matrix is not None:
            self._matrix.add_name(name["nic"], name["name"])
            return Use.IGNORED
        place = LOCATION.match(text)
        if place is not None:
            if place["what"] == "Node" and MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading("gpu-numa-node", Part("gpu", place["gpu"]), int(place["value"]), line))
            return Use.USED
        return Use.IGNORED if LEGEND.match(text) or COMMAND.match(text) else Use.NOT_MINE

    def _end(self) -> None:
        if self._matrix is not None:
            for each in self._matrix.readings():
                if not MAX_READINGS.has_room(len(self._found)):
                    break
                self._found.append(each)
            self._matrix, self._title = None, ""


def matrix_in(text: str, source: str, line: int) -> Iterable[Reading]:
    """Readings of a matrix that is one text value inside a document, at ``line`` of ``source``."""
    parser = TopologyMatrix()
    for row in text[:MAX_TEXT].splitlines():
        cleaned = row.replace("\x1b[4m", "").replace("\x1b[0m", "")
        parser.feed(Line(source, line, cleaned))
    return parser.finish()


PARSER = TopologyMatrix
