"""Collective tests of NVSHMEM's perftest: tables of latency and bandwidth by size and thread scope.

A device, the program, and its table::

    mype: 3 mype_node: 1 device name: NVIDIA GH200 bus id: 1
    #alltoall_device
    size(B)     count     type      scope     latency(us)       algbw(GB/s)   busbw(GB/s)
    64          16        32-bit    thread    50.250000         0.001         0.001
    1048576     262144    32-bit    warp      80.000000         13.107        11.469

Source: NVSHMEM's programs named ``..._device`` and ``..._on_stream``. These measure NVSHMEM and not NCCL,
on messages of one GPU thread, warp or block: no expectation of NCCL's collectives applies, so the runs carry no
collective.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import CollectiveRun, Point, RankDevice
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

COLUMNS = ("size(B)", "count", "type", "scope", "latency(us)", "algbw(GB/s)", "busbw(GB/s)")
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_HEADER = regex(r"\s*size\s?\(B\)\s+count\s+type\s+scope\s+latency\s?\(us\)\s+algbw\s?\(GB/s\)\s+busbw\s?\(GB/s\)\s*")
_ROW = regex(
    rf"\s*(?P<size>\d{{1,18}})\s+(?P<count>\d{{1,18}})\s+(?P<type>\S{{1,20}})\s+(?P<scope>thread|warp|block)\s+"
    rf"(?P<time>{_NUMBER})\s+(?P<algbw>{_NUMBER})\s+(?P<busbw>{_NUMBER})\s*"
)
_PROGRAM = regex(r"#(?P<program>[a-z][a-z_]{2,60}_(?:device|on_stream))\s*")
_DEVICE = regex(
    r"mype:\s?(?P<rank>\d{1,7}) mype_node:\s?(?P<local>\d{1,5}) device name:\s?(?P<gpu>\S.{0,100}?) "
    r"bus id:\s?(?P<bus>\w{1,12})\s*"
)
_MAX_ROWS = Limit(100_000, "rows of one table")
_MAX_TABLES, _MAX_RANKS = Limit(50_000, "tables"), Limit(100_000, "ranks")
_MAX_LISTED = Limit(500_000, "ranks of all tables")
"""Each table has all ranks: their number is a product."""


class _Table(Struct):
    header: Ref
    program: str | None
    points: list[Point] = field(default_factory=list)


class NvshmemPerftest:
    """Reads the tables of one stream. Rows of other shapes are somebody else's."""

    kind: ClassVar[str] = "nvshmem-perftest"
    literals: ClassVar[Literals] = Literals(("latency(us)", "mype_node:", "-bit", "\n#"))

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._devices: list[RankDevice] = []
        self._program: str | None = None
        self._where = ("", "")

    @staticmethod
    def wants(text: str) -> bool:
        return (
            "latency(us)" in text
            or "mype_node:" in text
            or ("-bit" in text and any(scope in text for scope in (" thread ", " warp ", " block ")))
            or (text.startswith("#") and ("_device" in text or "_on_stream" in text))
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        self._where = (line.source, line.stream)
        if (match := _DEVICE.fullmatch(text)) is not None:
            self._add_device(match, line)
            return Use.USED
        if (match := _PROGRAM.fullmatch(text)) is not None:
            self._program = match["program"]
            return Use.USED
        if _HEADER.fullmatch(text) is not None:
            if not _MAX_TABLES.has_room(len(self._tables)):
                return Use.NOT_MINE
            self._tables.append(_Table(line.ref(), self._program))
            return Use.USED
        match = _ROW.fullmatch(text) if self._tables else None
        if match is None:
            return Use.NOT_MINE
        table = self._tables[-1]
        if _MAX_ROWS.has_room(len(table.points)):
            table.points.append(_point(match, line.ref()))
        return Use.USED

    def _add_device(self, match: re.Match[str], line: Line) -> None:
        if _MAX_RANKS.has_room(len(self._devices)):
            rank, local = int(match["rank"]), int(match["local"])
            self._devices.append(RankDevice(rank, line.host, None, local, match["bus"], match["gpu"], None, line.ref()))

    def finish(self) -> Iterable[CollectiveRun]:
        source, stream = self._where
        devices, listed = tuple(self._devices), 0
        for table in self._tables:
            room = _MAX_LISTED.room_for(listed, len(devices)) == len(devices)
            listed += len(devices)
            yield CollectiveRun(
                tool="nvshmem",
                source=source,
                stream=stream,
                header=table.header,
                collective=None,
                collective_basis="a test of NVSHMEM, not of NCCL",
                program=table.program,
                devices=devices if room else (),
                devices_elided=True,
                columns=COLUMNS,
                points=tuple(table.points),
                rows=len(table.points),
                concluded=bool(table.points),
                header_only=not table.points,
                end=table.points[-1].ref if table.points else table.header,
            )


def _point(match: re.Match[str], ref: Ref) -> Point:
    return Point(
        size_bytes=int(match["size"]),
        count=int(match["count"]),
        datatype=match["type"],
        redop=None,
        root=None,
        placement="out_of_place",
        time_us=float(match["time"]),
        algbw_gbs=float(match["algbw"]),
        busbw_gbs=float(match["busbw"]),
        wrong=None,
        ref=ref,
    )


PARSER = NvshmemPerftest
