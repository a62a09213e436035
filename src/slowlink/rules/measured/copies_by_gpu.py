"""Copies between the GPUs and the processors of one node, as one test measured them: by GPU and by pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.benchmark import BandwidthMatrix
from slowlink.model.source import Ref

UNEVEN = 0.75
"""What falls below this share of its peers is slow: sound GPUs of one node copy within a few per cent."""
BEYOND_PCIE = 60.0
"""GB/s between two GPUs that PCIe up to generation 5 does not carry: then they have links."""
_UNEVEN_BY_LINK = 0.9
_SPREAD = 0.95
"""Pairs over links that are alike stay above the second of their median (within 1 % in NVIDIA's own samples of
nvbandwidth); where all others do, what falls below the first stands apart."""
FEWEST = 4
"""Of fewer GPUs none is the odd one."""
_BOTH = 2


class Copies(Struct, frozen=True):
    """One test: what each GPU, or each pair of GPUs, reached."""

    matrix: BandwidthMatrix
    of: str
    """``host``: between a GPU and a processor; ``pairs``: between two GPUs; ``gpus``: each GPU by itself."""
    values: Mapping[tuple[int, ...], float]
    """GB/s by GPU, or by pair of GPUs in ascending order; of two sockets the better, of two directions the worse."""
    lines: Mapping[int, Ref]
    """The line of a GPU's row."""

    @property
    def gpus(self) -> tuple[int, ...]:
        return tuple(sorted({gpu for key in self.values for gpu in key}))

    @property
    def usual(self) -> float:
        return median(self.values.values())

    @property
    def both_ways(self) -> bool:
        """Does it count what goes in both directions?"""
        return "bidirectional" in self.matrix.name.lower()

    @property
    def through_host(self) -> bool:
        """Was peer-to-peer switched off on purpose?"""
        return "P2P=Disabled" in self.matrix.name


def copies_of(matrices: Sequence[BandwidthMatrix]) -> tuple[Copies, ...]:
    """Every test of bandwidth that says which GPU each cell is of."""
    return tuple(
        copies for matrix in matrices if matrix.unit == "GB/s" for copies in _read(matrix) if len(copies.values) > 0
    )


def by_gpu(copies: Copies) -> dict[int, float]:
    """What each GPU reaches: by itself, or with its peers in the middle."""
    if copies.of != "pairs":
        return {key[0]: value for key, value in copies.values.items()}
    reached: dict[int, list[float]] = {gpu: [] for gpu in copies.gpus}
    for pair, value in copies.values.items():
        for gpu in pair:
            reached[gpu].append(value)
    return {gpu: median(values) for gpu, values in reached.items()}


def slow_gpus(copies: Copies) -> tuple[int, ...]:
    """The few GPUs that are slow although the others are alike; none where the others differ, too."""
    levels = by_gpu(copies)
    if len(levels) < FEWEST:
        return ()
    enough = _enough(copies, levels.values())
    slow = {gpu: value for gpu, value in levels.items() if value < enough}
    rest = [value for key, value in copies.values.items() if slow.keys().isdisjoint(key)]
    return tuple(slow) if 0 < len(slow) <= len(levels) // FEWEST and rest and _alike(rest) else ()


def slow_pairs(copies: Copies) -> tuple[tuple[int, ...], ...]:
    """One or two pairs that are slow although both GPUs are fast with all others."""
    if copies.of != "pairs" or len(copies.gpus) < FEWEST or slow_gpus(copies):
        return ()
    enough = _enough(copies, copies.values.values())
    slow = tuple(pair for pair, value in copies.values.items() if value < enough)
    rest = [value for value in copies.values.values() if value >= enough]
    return slow if 0 < len(slow) <= _BOTH and _alike(rest) else ()


def alike(copies: Copies) -> bool:
    """Do all GPUs and pairs reach about the same?"""
    least = _UNEVEN_BY_LINK if _is_linked(copies) else UNEVEN
    return min(copies.values.values()) >= least * copies.usual


def _enough(copies: Copies, values: Collection[float]) -> float:
    """GB/s below which one stands apart: pairs over links differ so little that a smaller distance tells."""
    middle = median(values)
    apart = not any(_UNEVEN_BY_LINK * middle <= value < _SPREAD * middle for value in values)
    return (_UNEVEN_BY_LINK if apart and _is_linked(copies) else UNEVEN) * middle


def _is_linked(copies: Copies) -> bool:
    """Do the GPUs reach each other with more than PCIe carries?"""
    return copies.of == "pairs" and copies.usual >= BEYOND_PCIE * (_BOTH if copies.both_ways else 1)


def _alike(values: Collection[float]) -> bool:
    return min(values) >= UNEVEN * median(values)


def _read(matrix: BandwidthMatrix) -> list[Copies]:
    host: dict[tuple[int, ...], float] = {}
    pairs: dict[tuple[int, ...], float] = {}
    alone: dict[tuple[int, ...], float] = {}
    lines: dict[int, Ref] = {}
    for number, row in enumerate(matrix.matrix):
        one = matrix.rows[number] if number < len(matrix.rows) else ""
        if number < len(matrix.lines):
            lines.update(dict.fromkeys(_gpu(one), matrix.lines[number]))
            for gpu in () if _gpu(one) else (gpu for end in matrix.columns for gpu in _gpu(end)):
                lines.setdefault(gpu, matrix.lines[number])
        for column, value in enumerate(row):
            other = matrix.columns[column] if column < len(matrix.columns) else ""
            if value is None or value <= 0:
                continue
            ends = (*_gpu(one), *_gpu(other))
            if len(ends) == _BOTH and ends[0] != ends[1]:
                key = tuple(sorted(ends))
                pairs[key] = min(value, pairs.get(key, value))
            elif len(ends) == 1 and (one.startswith("cpu") or other.startswith("cpu")):
                host[ends] = max(value, host.get(ends, 0.0))
            elif len(ends) == 1 and not one:
                alone[ends] = value
            elif len(ends) == _BOTH and len(matrix.columns) == 1:
                alone[ends[:1]] = max(value, alone.get(ends[:1], 0.0))  # bandwidthTest's own memory, by size
    of_host = "host" in matrix.name.lower()
    parts = (("host", host), ("pairs", pairs), ("host" if of_host else "gpus", alone))
    return [Copies(matrix, kind, values, lines) for kind, values in parts if values]


def _gpu(end: str) -> tuple[int, ...]:
    kind, _, number = end.partition(" ")
    return (int(number),) if kind == "gpu" and number.isdecimal() else ()
