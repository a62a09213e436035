"""Copies between GPUs and hosts as CUDA's samples and ROCm's bandwidth test measure them::

    [P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
    Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 7, pciDeviceID: 0, pciDomainID:0
    Device=0 CAN Access Peer Device=1
    Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
       D\\D     0      1
         0 1290.10 274.50
         1 274.30 1291.70
    P2P=Enabled Latency (P2P Writes) Matrix (us)
       GPU     0      1
         0   2.20   2.61
         1   2.58   2.23

     Host to Device Bandwidth, 1 Device(s)
     PINNED Memory Transfers
       Transfer Size (Bytes)        Bandwidth(GB/s)
       32000000                     25.3

          Unidirectional copy peak bandwidth GB/s
          D/D       0           1
          0         N/A         27.910
          1         28.102      1187.402

p2pBandwidthLatencyTest prints GB of 10^9 bytes, and bandwidthTest since CUDA 10.1; older ones print MB of 2^20.
rocm-bandwidth-test counts processors as devices, too: its numbers are no numbers of GPUs.

Source: CUDA samples 9 to 12.9 (``p2pBandwidthLatencyTest.cu``, ``bandwidthTest.cu``), rocm_bandwidth_test 2.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import BandwidthMatrix
from slowlink.model.source import Line, Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import reading
from slowlink.patterns import regex

MAX_TESTS = Limit(50_000, "tests")
MAX_SIDE = Limit(512, "rows of one matrix")
MAX_PAIRS = Limit(1_000_000, "pairs")
GAP = 12
"""Lines (blank ones, notes) that may stand within a table."""
_MIB = 1 << 20

_TITLE = regex(
    r"\s{0,20}(?P<name>(?:(?:Uni|Bi)directional )?P\dP=(?:Enabled|Disabled) (?:Bandwidth|Latency)"
    r"(?: \(P\dP (?:Writes|Reads)\))?) Matrix \((?P<unit>GB/s|us)\)\s*"
)
_ROCM = regex(r"\s{0,20}(?P<name>(?:Uni|Bi)directional copy (?:peak|average) bandwidth) (?P<unit>GB/s)\s*")
_OTHER = regex(r"\s{0,20}(?:P\dP Connectivity Matrix|Inter-Device (?:Access|Numa Distance)|Data Path Validation)\s*")
_COLUMNS = regex(r"\s{0,20}(?P<corner>D[\\/]D|GPU|CPU)(?P<columns>(?:\s{1,20}\d{1,3}){1,512})\s*")
_ROW = regex(r"\s{0,20}\d{1,3}(?P<cells>(?:\s{1,20}(?:\d{1,9}(?:\.\d{1,6})?|N/A|FAIL|PASS)){1,512})\s*")
_DEVICE = regex(
    r"\s{0,20}Device: (?P<gpu>\d{1,4}), (?P<name>[^,]{2,100}), pciBusID: (?P<bus>[0-9a-f]{1,2}), "
    r"pciDeviceID: (?P<device>[0-9a-f]{1,2}), pciDomainID: ?(?P<domain>[0-9a-f]{1,8})\s*"
)
_PEER = regex(r"\s{0,20}Device=(?P<one>\d{1,4}) (?P<can>CAN|CANNOT) Access Peer Device=(?P<other>\d{1,4})\s*")
_COPY = regex(r"\s{0,20}(?P<name>(?:Host|Device) to (?:Host|Device)) Bandwidth, \d{1,4} Device\(s\)\s*")
_MEMORY = regex(r"\s{0,20}(?P<memory>PINNED|PAGEABLE) Memory Transfers\s*")
_SIZES = regex(r"\s{0,20}Transfer Size \(Bytes\)\s{1,20}Bandwidth ?\((?P<unit>[GM]B/s)\)\s*")
_SIZE_ROW = regex(r"\s{0,20}\d{3,15}\s{1,40}(?P<rate>\d{1,9}\.\d{1,4})\s*")
_LEGEND = regex(
    r"\s{0,20}(?:\[(?:CUDA Bandwidth Test|P\dP \(Peer-to-Peer\) GPU Bandwidth Latency Test)\].{0,40}|Running on\.\.\."
    r"|(?:Quick|Shmoo|Range) Mode|\*{3}NOTE: In case a device doesn't have P\dP access .{0,120}"
    r"|So you can see lesser Bandwidth .{0,120}|NOTE: The CUDA Samples are not meant for performance .{0,120}"
    r"|RocmBandwidthTest Version: .{1,60}|Launch Command is: .{1,200}|Device: \d{1,3}, {2}.{1,160}"
    r"| ?Write-Combined Memory Writes are Enabled)\s*"
)
_ROCM_DEVICE = regex(r"\s{0,20}Device: (?P<number>\d{1,3}), {2}(?P<name>.{1,160})")
_RUNNING_ON = regex(r"\s{0,4}Device (?P<gpu>\d{1,4}): (?P<name>\S.{2,100})")
_VALIDATION = "Data Path Validation"
_PATTERNS = (_RUNNING_ON, _TITLE, _ROCM, _OTHER, _COLUMNS, _DEVICE, _PEER, _COPY, _MEMORY, _SIZES, _LEGEND)


class _Table(Struct):
    name: str
    """"" for a table that is known and not read."""
    unit: str
    ref: Ref
    columns: int = 0
    rows: list[tuple[float | None, ...]] = field(default_factory=list)
    tool: str = "cuda-samples"
    scale: float = 1.0
    lines: list[Ref] = field(default_factory=list)
    host: str | None = None


class GpuCopies:
    """Gives a ``BandwidthMatrix`` for each table, and readings of what peers can reach."""

    kind: ClassVar[str] = "gpu-copies"
    literals: ClassVar[Literals] = Literals(
        (
            *("\n0", " Matrix (", "directional copy ", " Connectivity Matrix", "Inter-Device "),
            *("Data Path Validation", "\nD\\D", "\nD/D", "\nGPU", "\nCPU", "\nDevice", "\nHost to "),
            *(" Memory Transfers", "Transfer Size (Bytes)", "[CUDA Bandwidth Test]", "GPU Bandwidth Latency Test]"),
            *("Running on...", "\nQuick Mode", "\nShmoo Mode", "\nRange Mode", "***NOTE: ", "So you can see lesser"),
            *("NOTE: The CUDA Samples", "Launch Command is: ", "RocmBandwidthTest Version: "),
            "Write-Combined Memory",
        )
    )

    def __init__(self) -> None:
        self._done: list[BandwidthMatrix] = []
        self._state: list[Reading] = []
        self._table: _Table | None = None
        self._last = 0
        self._devices: dict[int, str] = {}
        """ROCm's numbers of devices: ``cpu 0``, ``gpu 2``."""
        self._running = 0
        """The GPU that bandwidthTest names."""

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > 4_000:
            return False
        return _ROW.fullmatch(text) is not None or _SIZE_ROW.fullmatch(text) is not None or _is_marked(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        for take in (self._begins, self._below):
            use = take(text, line)
            if use is not Use.NOT_MINE:
                self._last = line.no
                return use
        return self._device(text, line)

    def finish(self) -> Iterable[BandwidthMatrix | Reading]:
        self._close()
        return [*self._done, *self._state]

    def _begins(self, text: str, line: Line) -> Use:
        title = _TITLE.fullmatch(text) or _ROCM.fullmatch(text)
        if title is not None:
            self._close()
            tool = "cuda-samples" if "P2P" in title["name"] else "rocm-bandwidth-test"
            self._table = _Table(title["name"], title["unit"], line.ref(), tool=tool, host=line.host)
            return Use.USED
        copy = _COPY.fullmatch(text)
        if copy is not None:
            self._close()
            self._table = _Table(copy["name"], "GB/s", line.ref(), host=line.host)
            return Use.USED
        if (other := _OTHER.fullmatch(text)) is not None:
            self._close()
            self._table = _Table(_VALIDATION if "Validation" in other[0] else "", "", line.ref())
            return Use.IGNORED
        return Use.NOT_MINE

    def _below(self, text: str, line: Line) -> Use:
        """What follows a title: a header, rows, the kind of memory."""
        table = self._table
        if table is None or line.no - self._last > GAP:
            return Use.NOT_MINE
        columns = _COLUMNS.fullmatch(text)
        if columns is not None:
            if table.rows:  # latency as the processor sees it has the title of the GPU's
                self._close()
                table = self._table = _Table(table.name, table.unit, line.ref(), tool=table.tool, host=line.host)
            if columns["corner"] == "CPU":
                table.name = f"{table.name}, seen by the CPU"
            table.columns = len(columns["columns"].split())
            return Use.IGNORED
        if " to " in table.name and (memory := _MEMORY.fullmatch(text)) is not None:
            table.name = f"{table.name}, {memory['memory'].lower()}"
            return Use.USED
        if " to " in table.name and (sizes := _SIZES.fullmatch(text)) is not None:
            table.scale, table.columns = (_MIB / 1e9 if sizes["unit"] == "MB/s" else 1.0), -1
            return Use.IGNORED
        return self._row(table, text, line)

    def _row(self, table: _Table, text: str, line: Line) -> Use:
        if table.columns < 0 and (one := _SIZE_ROW.fullmatch(text)) is not None:
            table.rows.append((round(float(one["rate"]) * table.scale, 6),))
            table.lines.append(line.ref())
            return Use.USED
        row = _ROW.fullmatch(text)
        cells = row["cells"].split() if row is not None else []
        if not cells or len(cells) != table.columns or not MAX_SIDE.has_room(len(table.rows)):
            return Use.NOT_MINE
        if table.name == _VALIDATION:
            return self._validated(len(table.rows), cells, table, line)
        table.rows.append(tuple(float(cell) if cell[0].isdecimal() else None for cell in cells))
        table.lines.append(line.ref())
        return Use.USED if table.name else Use.IGNORED

    def _validated(self, number: int, cells: list[str], table: _Table, line: Line) -> Use:
        """Did the data of each copy arrive as they were sent?"""
        table.rows.append(())
        for other, cell in enumerate(cells):
            if cell in ("PASS", "FAIL") and MAX_PAIRS.has_room(len(self._state)):
                names = (self._devices.get(each, f"device {each}") for each in (number, other))
                part = Part("test", f"copies/data path {' to '.join(names)}")
                self._state.append(reading("health-test", part, cell.lower(), line))
        return Use.USED

    def _device(self, text: str, line: Line) -> Use:
        peer, device = _PEER.fullmatch(text), _DEVICE.fullmatch(text)
        if not MAX_PAIRS.has_room(len(self._state)):
            return Use.NOT_MINE
        if peer is not None:
            if int(peer["one"]) < int(peer["other"]) or peer["can"] == "CANNOT":
                first, second = sorted((int(peer["one"]), int(peer["other"])))
                can = peer["can"] == "CAN"
                self._state.append(reading("gpu-pair-access", Part("gpu-pair", f"{first}-{second}"), can, line))
            return Use.USED
        if device is not None:
            gpu = Part("gpu", str(int(device["gpu"])))
            domain, bus, slot = (int(device[part], 16) for part in ("domain", "bus", "device"))
            self._state.append(reading("gpu-name", gpu, device["name"], line))
            self._state.append(reading("gpu-bus-id", gpu, f"{domain:04x}:{bus:02x}:{slot:02x}.0", line))
            return Use.USED
        return self._legend(text, line)

    def _legend(self, text: str, line: Line) -> Use:
        rocm, running = _ROCM_DEVICE.fullmatch(text), _RUNNING_ON.fullmatch(text)
        if rocm is not None:
            kind = "gpu" if ",  " in rocm["name"] else "cpu"  # a GPU has its UUID and its address behind its name
            count = sum(name.startswith(kind) for name in self._devices.values())
            self._devices[int(rocm["number"])] = f"{kind} {count}"
            return Use.IGNORED
        if running is not None and line.no - self._last <= 2:
            self._running = int(running["gpu"])
            if MAX_PAIRS.has_room(len(self._state)):
                self._state.append(reading("gpu-name", Part("gpu", str(self._running)), running["name"].strip(), line))
            return Use.USED
        if _LEGEND.fullmatch(text):
            self._last = line.no
            return Use.IGNORED
        return Use.NOT_MINE

    def _axes(self, table: _Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the rows and the columns of a table stand for."""
        if table.columns < 0:
            ends = [
                f"gpu {self._running}" if end == "Device" else "cpu" for end in table.name.split(",")[0].split(" to ")
            ]
            return (ends[0],) * len(table.rows), (ends[1],)
        names = tuple(self._devices.get(number, f"gpu {number}") for number in range(table.columns))
        return names[: len(table.rows)], names

    def _close(self) -> None:
        table, self._table = self._table, None
        if table is None or table.name in ("", _VALIDATION) or not table.rows:
            return
        if MAX_TESTS.has_room(len(self._done)):
            rows, columns = self._axes(table)
            self._done.append(
                BandwidthMatrix(
                    source=table.ref.source,
                    name=table.name,
                    description="",
                    unit=table.unit,
                    status="Passed",
                    matrix=tuple(table.rows),
                    total=None,
                    ref=table.ref,
                    tool=table.tool,
                    rows=rows,
                    columns=columns,
                    lines=tuple(table.lines),
                    host=table.host,
                )
            )


def _is_marked(text: str) -> bool:
    return any(pattern.fullmatch(text) is not None for pattern in _PATTERNS)


PARSER = GpuCopies
