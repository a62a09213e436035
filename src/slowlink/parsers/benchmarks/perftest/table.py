"""perftest's table: the header decides the columns and their unit, a row gives one record in Gb/s and microseconds.

Source: perftest 4.4 to 25.x. Bandwidth without ``--report_gbits`` is in units of 2^20 bytes whether the label says
``MB/sec`` (before March 2024) or ``MiB/sec``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.model.benchmark import PerftestRow
from slowlink.model.source import Ref
from slowlink.patterns import regex
from slowlink.units import gbs_to_gbit, mib_per_s_to_gbs

_COLUMN = regex(
    r"(?P<name>#bytes|#iterations|#sl|BW peak|BW average|BW Port\d|MsgRate Port\d|MsgRate|CPU_Util|t_min|t_max"
    r"|t_typical|t_avg|t_stdev|99\.9\d?% percentile|99% percentile|tps average)(?:\[(?P<unit>[^\]\n]{0,20})\])?"
    r"|(?P<other>\S+)"
)
_ROW = regex(r"[ \t]*\d[\d.eE+ \t-]*$")
_UNITS = {"gb/sec": "Gb/s", "mb/sec": "MiB/s", "mib/sec": "MiB/s"}

_RATE_TOLERANCE = 0.03
"""A printed bandwidth may differ from size times message rate by rounding, not by more."""


class Columns(Struct, frozen=True):
    """The columns of one table, in order."""

    names: tuple[str, ...]
    unit: str
    """``Gb/s``, ``MiB/s`` or ``usec``."""

    @property
    def kind(self) -> str:
        return "latency" if self.unit == "usec" else "bandwidth"


def is_header(text: str) -> bool:
    """Cheap test for a table header."""
    return "#bytes" in text and "#iterations" in text


def is_row(text: str) -> bool:
    """Does the line consist of numbers only, at least three of them? Blind to which digits stand in it."""
    return _ROW.match(text) is not None and len(text.split()) >= 3


def read_header(text: str) -> Columns | None:
    """`` #bytes #iterations BW peak[Gb/sec] ...``; None when no bandwidth or latency column is there."""
    names: list[str] = []
    unit = ""
    for match in _COLUMN.finditer(text):
        names.append(match["name"] or match["other"])
        printed = (match["unit"] or "").strip().lower()
        if names[-1].startswith("BW ") and not unit:
            unit = _UNITS.get(printed, "")
        elif names[-1].startswith("t_") and not unit:
            unit = "usec"
    return Columns(tuple(names), unit) if unit and names[:1] == ["#bytes"] else None


def number(text: str) -> float | None:
    """A finite decimal number; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def integer(text: str) -> int | None:
    """A plain decimal integer; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def to_gbit(value: float, unit: str) -> float:
    """A printed bandwidth in Gb/s."""
    return gbs_to_gbit(mib_per_s_to_gbs(value)) if unit == "MiB/s" else value


def read_row(cells: Sequence[str], columns: Columns, ref: Ref) -> PerftestRow | None:
    """One row; None when it cannot be a row of this table. A row cut short keeps the cells that are there."""
    if len(cells) > len(columns.names) or len(cells) < min(3, len(columns.names)):
        return None
    values = dict(zip(columns.names, cells, strict=False))
    size = integer(values["#bytes"])
    iterations = integer(values.get("#iterations", ""))
    if size is None or size == 0 or iterations is None:
        return None
    return build_row(size, iterations, values, columns.unit, ref)


def build_row(size: int, iterations: int | None, values: Mapping[str, str], unit: str, ref: Ref) -> PerftestRow:
    """A row from printed values by column name."""
    average = _bandwidth(values, "BW average", unit)
    peak = _bandwidth(values, "BW peak", unit)
    rate = _value(values, "MsgRate")
    ports = [name for name in values if name.startswith("BW Port")]
    return PerftestRow(
        size_bytes=size,
        iterations=iterations,
        bw_peak_gbit=None if peak == 0 and average else peak,
        bw_average_gbit=average,
        msg_rate_mpps=rate,
        t_min_us=_value(values, "t_min"),
        t_max_us=_value(values, "t_max"),
        t_typical_us=_value(values, "t_typical"),
        t_avg_us=_value(values, "t_avg"),
        t_stdev_us=_value(values, "t_stdev"),
        t_p99_us=_value(values, "99% percentile"),
        t_p999_us=next((_value(values, name) for name in values if name.startswith("99.9")), None),
        ref=ref,
        cpu_util_percent=_value(values, "CPU_Util"),
        ports_gbit=tuple(found for name in ports if (found := _bandwidth(values, name, unit)) is not None),
        doubt=_doubt(size, average, rate),
    )


def _value(values: Mapping[str, str], name: str) -> float | None:
    return number(values[name]) if name in values else None


def _bandwidth(values: Mapping[str, str], name: str, unit: str) -> float | None:
    value = _value(values, name)
    return None if value is None else to_gbit(value, unit)


def rate_gbit(size: int, rate_mpps: float) -> float:
    """Bandwidth in Gb/s that follows from a message rate in millions a second."""
    return size * rate_mpps * 8e-3


def _doubt(size: int, average_gbit: float | None, rate_mpps: float | None) -> str | None:
    """The row against itself: the average must be size times message rate, as far as its digits tell."""
    if average_gbit is None or not rate_mpps:
        return None
    expected = rate_gbit(size, rate_mpps)
    slack = _RATE_TOLERANCE * expected + 0.0051 + rate_gbit(size, 1e-6)
    if abs(average_gbit - expected) <= slack:
        return None
    return f"average of {average_gbit:.4g} Gb/s does not follow from {rate_mpps:.6g} Mpps of {size} bytes"
