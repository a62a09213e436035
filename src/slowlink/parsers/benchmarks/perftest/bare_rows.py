"""Rows of a bandwidth test whose heading is gone (``| tail -1``, ``| grep '^ 1048576'``)::

     1048576    467789           0.00               392.41             0.046779

or whose row a script has put a label before::

    3 mlx5_3  65536      3741801          0.00               196.18             0.374184

Five numbers may be anything. They are such a row where size times message rate is the average, in Gb/s or in 2^20
bytes a second, as exactly as its digits tell. A larger size on the next line goes on with the run; else a run begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.benchmark import BARE, TURN, PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.perftest.builder import RunBuilder
from slowlink.parsers.benchmarks.perftest.loops import Told, read_command, read_loop
from slowlink.parsers.benchmarks.perftest.table import Columns, integer, number, rate_gbit, read_row, to_gbit
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.rdma_values import RDMA_NAME
from slowlink.patterns import regex

MAX_RUNS = Limit(20_000, "rows of perftest without a heading")
_LABELLED = regex(
    r"\s{0,20}(?P<labels>(?:(?=\S{0,60}[A-Za-z])[\w.:/=()-]{1,60}|\d{1,3}:?)(?:[\s,|]{1,8}[\w.:/=()-]{1,60}){0,3}?)[\s,|]{1,20}"
    r"(?P<cells>\d{1,12}\s{1,40}\d{1,12}(?:\s{1,40}\d{1,12}\.\d{1,9}){3})\s{0,20}"
)
_DEVICE = regex(rf"(?:.{{0,20}}[=:/(])?(?P<device>{RDMA_NAME})(?:[:/]\d)?[:)]?")
_HOST = regex(r"(?=[\w.-]{0,60}[A-Za-z])(?=[\w.-]{0,60}\d)[A-Za-z0-9][\w.-]{0,60}:?")
_NUMBERED = regex(r"(?:rail|nic|port|hca|dev|gpu|plane|if|eth|ib)[\w.-]{0,8}:?", 2)
_NAMES = ("#bytes", "#iterations", "BW peak", "BW average", "MsgRate")
_LONGEST = 300
LABELS = ("\nmlx", "\nbnxt_re", "\nroce", "\nibp", "\nrail", "\nRail", "\nnode", "\nnic")
"""How labels begin, where they do not with a digit. (A line of a node's own name is read behind it.)"""
_UNITS = ("Gb/s", "MiB/s")
_VAGUE = 0.02
"""Half a unit of the message rate's last digit over the rate: with fewer digits, numbers agree by chance."""
_FINEST = 0.0001
"""Both are rounded from what the program measured; that, too, has an end."""


def bare_columns(cells: Sequence[str]) -> Columns | None:
    """The columns of a row of cells that agrees with itself; None for any other."""
    if len(cells) != len(_NAMES) or not integer(cells[0]) or not integer(cells[1]):
        return None
    peak, average, rate = (number(cell) for cell in cells[2:])
    if peak is None or not average or not rate or average < 1 or (peak and peak < 0.99 * average):
        return None
    size = int(cells[0])
    told = rate_gbit(size, rate)
    if _half_unit(cells[4]) > _VAGUE * rate:
        return None
    for unit in _UNITS:
        slack = rate_gbit(size, _half_unit(cells[4])) + to_gbit(_half_unit(cells[3]), unit) + _FINEST * told
        if abs(to_gbit(average, unit) - told) <= slack:
            return Columns(_NAMES, unit)
    return None


def _half_unit(text: str) -> float:
    """Half a unit of the last digit that is printed."""
    digits = len(text.partition(".")[2])
    return 0.5 * 10.0**-digits


class Label(Struct, frozen=True):
    """What stands before a row."""

    device: str | None
    host: str | None
    turn: str


def is_labelled(text: str) -> bool:
    """Do five numbers stand behind a label? Blind to which digits stand in them."""
    return len(text) < _LONGEST and _LABELLED.fullmatch(text) is not None


def read_labelled(text: str) -> tuple[Label, str] | None:
    """(Label, the row's own cells); None for a line of another form."""
    found = _LABELLED.fullmatch(text)
    if found is None or bare_columns(found["cells"].split()) is None:
        return None
    words = found["labels"].replace(",", " ").replace("|", " ").split()
    devices = [match["device"] for word in words if (match := _DEVICE.fullmatch(word)) is not None]
    hosts = [
        word.rstrip(":")
        for word in words
        if _DEVICE.fullmatch(word) is None and _NUMBERED.fullmatch(word) is None and _HOST.fullmatch(word) is not None
    ]
    sure = len(devices) == 1
    label = Label(devices[0] if sure else None, hosts[0] if sure and len(hosts) == 1 else None, " ".join(words))
    return label, found["cells"]


class BareRuns:
    """Runs of rows without heading, in the order of the loop above them."""

    def __init__(self) -> None:
        self._runs: list[tuple[RunBuilder, int, Told | None, Label | None]] = []
        """Each with the number of its loop."""
        self._loop: tuple[str, tuple[str, ...]] = ("", ())
        self._told: Told | None = None
        self._loops = 0
        self._last = 0

    def hear(self, text: str) -> bool:
        """Take a loop, or a command of perftest; False where the line is neither."""
        loop = read_loop(text)
        if loop is not None:
            self._loop, self._told = loop[:2], None
            text = loop[2]
        told = read_command(text, *self._loop) if "_bw" in text else None
        if loop is not None or (told is not None and not self._loop[0]):
            self._loops += 1
        if told is not None:
            self._told = told
            if loop is not None:
                self._loop = ("", ())  # it ends on its own line
        return told is not None

    def row(self, line: Line) -> bool:
        """Take a row; False where it does not show that it is one."""
        labelled = read_labelled(line.text)
        label = labelled[0] if labelled is not None else None
        cells = (labelled[1] if labelled is not None else line.text).split()
        columns = bare_columns(cells)
        row = read_row(cells, columns, line.ref()) if columns is not None else None
        if columns is None or row is None:
            return False
        run = self._runs[-1][0] if self._runs and self._runs[-1][3] == label else None
        goes_on = run is not None and line.no == self._last + 1 and run.columns == columns
        self._last = line.no
        if run is not None and goes_on and row.size_bytes > run.rows[-1].size_bytes:
            run.rows.append(row)
        elif MAX_RUNS.has_room(len(self._runs)):
            host = label.host if label is not None and label.host is not None else line.host
            begun = RunBuilder(line.ref(), line.stream, None, host, columns=columns, rows=[row], ruled=True)
            self._runs.append((begun, self._loops, self._told, label))
        return True

    def finish(self) -> list[PerftestRun]:
        """All runs; those of a loop that printed one for each of its words know which is whose."""
        of_loop: dict[int, list[int]] = {}
        for number_of_run, (_, loop, _, label) in enumerate(self._runs):
            if label is None:
                of_loop.setdefault(loop, []).append(number_of_run)
        found = []
        for at, (builder, loop, told, label) in enumerate(self._runs):
            if label is not None:
                found.append(_labelled(_built(builder, told, None), label))
                continue
            mates = of_loop[loop]
            turn = mates.index(at) if told is not None and len(mates) == len(told.turns) else None
            found.append(_built(builder, told, turn))
        return found


def _labelled(run: PerftestRun, label: Label) -> PerftestRun:
    """A label that names an HCA wins over the command; any other only tells the rows apart."""
    if label.device is not None:
        return replace(run, device=label.device)
    return replace(run, parameters={**run.parameters, TURN: label.turn})


def _built(builder: RunBuilder, told: Told | None, turn: int | None) -> PerftestRun:
    run = replace(builder.build(), without_heading=True)
    if told is None:
        return replace(run, parameters={BARE: "not known"})
    each = len(told.devices) > 1
    device = told.devices[turn] if each and turn is not None else told.devices[0] if len(told.devices) == 1 else None
    return replace(
        run,
        test=told.test,
        bidirectional=told.both_ways,
        qps=int(told.qps) if told.qps else None,
        gpu_memory=told.gpu_memory or run.gpu_memory,
        device=device,
        parameters={TURN: told.turns[turn]} if turn is not None and not each else {},
    )
