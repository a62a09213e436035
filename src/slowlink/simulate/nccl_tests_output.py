"""Text as nccl-tests and its relatives print it, version by version: the inverse of the parser.

Written from the layouts of each release (column widths, number formats, preamble and footer lines); the numbers are the
caller's. ``render`` gives the lines of one run, ``render_rows`` those of its table alone.
"""

from __future__ import annotations

import math

from msgspec import Struct, field

TYPE_BYTES = {
    "int8": 1,
    "uint8": 1,
    "f8e4m3": 1,
    "f8e5m2": 1,
    "half": 2,
    "bfloat16": 2,
    "float": 4,
    "int32": 4,
    "double": 8,
    "int64": 8,
}
_PER_RANK = frozenset({"all_gather", "reduce_scatter", "alltoall", "gather", "scatter", "hypercube"})
_SHARED = frozenset({"all_gather", "reduce_scatter", "alltoall", "gather", "scatter"})
_ROOTED = frozenset({"broadcast", "reduce", "gather", "scatter"})
_REDUCING = frozenset({"all_reduce", "reduce_scatter", "reduce"})
_UNCHECKED_IN_PLACE = frozenset({"alltoall", "sendrecv"})
_OLD_COLUMNS = {
    "all_reduce": ("type", "redop"),
    "reduce_scatter": ("type", "redop"),
    "alltoall": ("type", "redop"),
    "reduce": ("type", "redop", "root"),
    "broadcast": ("type", "root"),
    "scatter": ("type", "root"),
    "gather": ("type", "root"),
}
LAYOUTS: dict[str, tuple[int, int, int]] = {
    "1.0": (1, 0, 0),
    "2.0": (2, 0, 0),
    "2.9": (2, 9, 0),
    "2.13.0": (2, 13, 0),
    "2.13.4": (2, 13, 4),
    "2.14.1": (2, 14, 1),
    "2.17.0": (2, 17, 0),
    "2.17.9": (2, 17, 9),
    "2.19.6": (2, 19, 6),
    "rccl": (2, 13, 4),
    "metax-2.32": (2, 13, 0),
    "metax-3.8": (2, 13, 0),
}
"""Layout names and the nccl-tests version whose table they print."""


class Measured(Struct, frozen=True):
    """One placement of one size, as measured: microseconds and the number of wrong elements (None: not checked)."""

    time_us: float
    wrong: int | None = 0
    min_us: float = 0.0
    max_us: float = 0.0
    p99_us: float = 0.0
    cv_pct: float = 0.0


class Step(Struct, frozen=True):
    """One row: a size in bytes, out of place and in place."""

    size_bytes: int
    out_of_place: Measured
    in_place: Measured | None


class Node(Struct, frozen=True):
    """A host and the processes on it, one GPU each."""

    host: str
    first_pid: int
    gpus: int


class Run(Struct, frozen=True):
    """What was run where, and what came out; ``-I``, ``-S`` and ``-C`` add their columns."""

    collective: str
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    datatype: str = "float"
    redop: str = "sum"
    root: int = 0
    gpu: str = "NVIDIA H100 80GB HBM3"
    cycles: int = 1
    per_iteration: bool = False
    timestamps: bool = False
    cpu_time: bool = False
    out_of_bounds: int = 0
    library_code: int = 22907
    notices: tuple[str, ...] = field(default=())

    @property
    def nranks(self) -> int:
        return sum(node.gpus for node in self.nodes)


def factor(collective: str, nranks: int) -> float:
    """busbw/algbw (nccl-tests, PERFORMANCE.md).

    Not that of `slowlink.collectives`, on purpose: this text tests the parser, which checks it by that one, and a
    mistake that both shared would show in no test.
    """
    if collective == "all_reduce":
        return 2.0 * (nranks - 1) / nranks
    return (nranks - 1) / nranks if collective in _SHARED else 1.0


def algbw_gbs(run: Run, size_bytes: int, time_us: float) -> float:
    """GB/s of 1e9 bytes; hypercube does not count a rank's own part."""
    share = (run.nranks - 1) / run.nranks if run.collective == "hypercube" else 1.0
    return size_bytes * share / time_us / 1e3 if time_us > 0 else 0.0


def render(run: Run, layout: str) -> list[str]:
    """All lines of ``run`` as ``layout`` (a key of ``LAYOUTS``) prints them."""
    return [*_preamble(run, layout), *render_header(run, layout), *render_rows(run, layout), *_footer(run, layout)]


def _preamble(run: Run, layout: str) -> list[str]:
    version = LAYOUTS[layout]
    lines = []
    program = f"{run.collective}_perf"
    if layout.startswith("metax"):
        maca = "2.32.0" if layout == "metax-2.32" else "3.8.1"
        lines += [f"The test is {program}, the maca version is /opt/maca-{maca}", "main_process = 4711", "=" * 31]
    if version >= (2, 17, 4):
        name = ".".join(map(str, version))
        lines.append(f"# nccl-tests version {name} nccl-headers={run.library_code} nccl-library={run.library_code}")
    if version >= (2, 16, 7):
        lines.append(f"# Collective test starting: {program}")
    lines.append(_parameters(run, version))
    lines.append("#" if version >= (2, 0, 0) else "# NCCL Tests compiled with NCCL 2.2")
    if layout == "rccl":
        lines.append("rccl-tests: Version develop:1234abc")
    lines.append("# Using devices")
    rank = 0
    for node in run.nodes:
        for index in range(node.gpus):
            lines.append(_device(run, layout, rank, node, index))
            rank += 1
    return [*lines, *run.notices]


def _parameters(run: Run, version: tuple[int, int, int]) -> str:
    sizes = [step.size_bytes for step in run.steps] or [33554432]
    step = sizes[1] // sizes[0] if len(sizes) > 1 and sizes[0] else 1
    text = f"nThread 1 nGpus 1 minBytes {sizes[0]} maxBytes {sizes[-1]} step: {max(step, 2)}(factor) "
    text += "warmup iters: 5 iters: 20 "
    if version >= (2, 13, 0):
        text += "agg iters: 1 "
    text += "validation: 1 "
    if version >= (2, 13, 0):
        text += "graph: 0"
    if version >= (2, 18, 2):
        text += " unalign: 0"
    return text if version < (2, 0, 0) else "# " + text


def _device(run: Run, layout: str, rank: int, node: Node, index: int) -> str:
    version = LAYOUTS[layout]
    pid = f"Pid {node.first_pid + index:6d} "
    where = f"on {node.host:>10s} device {index:2d}"
    if version < (2, 0, 0):
        return f"#   Rank {rank:2d} {where} [0x{index + 6:02x}] {run.gpu}"
    if layout == "rccl":
        return f"#   Rank {rank:2d} {pid}{where} [0000:{index + 6:02x}:00.0] {run.gpu}"
    if version < (2, 13, 4):
        return f"#   Rank {rank:2d} {pid}{where} [0x{index + 6:02x}] {run.gpu}"
    bus = f"[0000:{index + 6:02x}:00]" if version >= (2, 14, 1) else f"[0x{index + 6:02x}]"
    return f"#  Rank {rank:2d} Group  0 {pid}{where} {bus} {run.gpu}"


def _side_names(run: Run, version: tuple[int, int, int]) -> list[str]:
    last = "res" if version < (2, 0, 0) else "error" if version < (2, 13, 0) else "#wrong"
    names = ["cputime" if run.cpu_time else "time", "algbw", "busbw", last]
    return [*names, "i_min", "i_max", "i_p99", "i_cv%"] if run.per_iteration else names


def _front_names(run: Run, version: tuple[int, int, int]) -> list[str]:
    if version >= (2, 13, 0):
        return ["size", "count", "type", "redop", "root"]
    old = list(_OLD_COLUMNS.get(run.collective, ("type",)))
    if version < (2, 0, 0):
        return ["bytes", "N", *("op" if name == "redop" else name for name in old)]
    return ["size", "count", *old]


def render_header(run: Run, layout: str) -> list[str]:
    """Title, names and units of the columns."""
    version = LAYOUTS[layout]
    front = _front_names(run, version)
    names = [*front, *_side_names(run, version) * 2, *(["timestamp"] if run.timestamps else [])]
    units = {"size": "(B)", "count": "(elements)", "time": "(us)", "cputime": "(us)"}
    units |= {"algbw": "(GB/s)", "busbw": "(GB/s)", "i_min": "(us)", "i_max": "(us)", "i_p99": "(us)", "i_cv%": "(%)"}
    title = "out-of-place" + " " * 23 + "in-place"
    if layout.startswith("metax"):
        title = "┌----- out-of-place ------┐       ┌------ in-place -------┐"
    lines = ["#", "#" + " " * 55 + title, "# " + "  ".join(f"{name:>10s}" for name in names)]
    if version >= (2, 0, 0):
        lines.append("# " + "  ".join(f"{units.get(name, ''):>10s}" for name in names))
    if layout == "rccl":
        lines.append("# Testing 1 cycle.")
    return lines


def render_rows(run: Run, layout: str) -> list[str]:
    """The data rows, ``run.cycles`` times over."""
    return [render_row(run, layout, step) for _ in range(run.cycles) for step in run.steps]


def render_row(run: Run, layout: str, step: Step) -> str:
    """One data row."""
    version = LAYOUTS[layout]
    cells = {
        "size": f"{step.size_bytes:12d}",
        "count": f"{count_of(run, step.size_bytes):12d}",
        "type": f"{run.datatype:>8s}",
        "redop": f"{_redop(run, version):>6s}",
        "root": f"{run.root if run.collective in _ROOTED else -1:6d}",
    }
    cells |= {"bytes": cells["size"], "N": cells["count"], "op": cells["redop"]}
    text = "  ".join(cells[name] for name in _front_names(run, version))
    text += _side(run, layout, step.size_bytes, step.out_of_place, checked=True)
    if step.in_place is not None:
        checked = version < (2, 13, 1) or run.collective not in _UNCHECKED_IN_PLACE
        text += _side(run, layout, step.size_bytes, step.in_place, checked=checked)
    if run.timestamps:
        text += "  2026-05-05 06:16:47"
    return "# " + text if layout == "metax-2.32" else text


def count_of(run: Run, size_bytes: int) -> int:
    """The count column: the parameter of the NCCL call, which is a rank's part for all_gather and its like."""
    elements = size_bytes // TYPE_BYTES[run.datatype]
    return elements // run.nranks if run.collective in _PER_RANK else elements


def _redop(run: Run, version: tuple[int, int, int]) -> str:
    if run.collective in _REDUCING or run.collective == "sendrecv":
        return run.redop
    # Up to 2.13.3 tests without a reduction print an empty cell; hypercube still does.
    return "" if version < (2, 13, 4) or run.collective == "hypercube" else "none"


def _side(run: Run, layout: str, size_bytes: int, side: Measured, *, checked: bool) -> str:
    version = LAYOUTS[layout]
    algbw = algbw_gbs(run, size_bytes, side.time_us)
    busbw = algbw * factor(run.collective, run.nranks)
    shown = side.time_us * 0.25 if run.cpu_time else side.time_us
    if version < (2, 0, 0):
        return f"  {shown / 1e3:7.3f}  {algbw:5.2f}  {busbw:5.2f}  {_wrong(side, version, checked)}"
    adaptive = version >= (2, 17, 3)
    time = _adaptive(shown, 7, "1") if adaptive else _time(shown)
    if layout.startswith("metax"):
        time = f"{shown:7.2f}"
    rates = [_adaptive(rate, 6, "0") if adaptive else f"{rate:6.2f}" for rate in (algbw, busbw)]
    text = f"  {time:>7s}  {rates[0]:>6s}  {rates[1]:>6s}  {_wrong(side, version, checked):>6s}"
    if run.per_iteration:
        stats = (side.min_us, side.max_us, side.p99_us, side.cv_pct)
        text += "".join(f"  {_adaptive(value, 7, '1'):>7s}" for value in stats)
    return text


def _wrong(side: Measured, version: tuple[int, int, int], checked: bool) -> str:
    if side.wrong is None or not checked:
        return "N/A"
    return "0e+00" if version < (2, 13, 0) else f"{side.wrong:g}"


def _time(time_us: float) -> str:
    if time_us >= 10000:
        return f"{time_us:7.0f}"
    return f"{time_us:7.1f}" if time_us >= 100 else f"{time_us:7.2f}"


def _adaptive(value: float, width: int, exponent_digits: str) -> str:
    """The first of .2f, .1f, .0f and an exponent that fits the column (2.17.3 and later)."""
    for digits in ("2", "1", "0"):
        text = f"{value:.{digits}f}"
        if len(text) <= width:
            return text
    return f"{value:.{exponent_digits}e}"


def _footer(run: Run, layout: str) -> list[str]:
    version = LAYOUTS[layout]
    rates = [
        algbw_gbs(run, step.size_bytes, side.time_us) * factor(run.collective, run.nranks)
        for step in run.steps
        for side in (step.out_of_place, step.in_place)
        if side is not None
    ]
    average = math.fsum(rates) / len(rates) if rates else math.nan
    mark = "" if version < (2, 0, 0) else "#"
    lines = (
        ["# Errors with asterisks indicate errors that have exceeded the maximum threshold."]
        if layout == "rccl"
        else []
    )
    lines.append(f"{mark} Out of bounds values : {run.out_of_bounds} {'FAILED' if run.out_of_bounds else 'OK'}")
    lines.append(f"{mark} Avg bus bandwidth    : {average:g} ")
    lines.append(mark)
    if version >= (2, 16, 7):
        lines += [f"# Collective test concluded: {run.collective}_perf", "#", ""]
    return lines
