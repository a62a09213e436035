"""perftest's JSON (``--out_json``): it has no unit, so the unit is taken from the row itself, or from nothing.

Source: perftest since May 2021. ``BW_average`` is Gb/s with ``--report_gbits`` and units of 2^20 bytes a second
without; size times message rate shows which.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.benchmark import PerftestRow, PerftestRun
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.perftest.builder import MAX_ROWS
from slowlink.parsers.benchmarks.perftest.header import memory_of
from slowlink.parsers.benchmarks.perftest.table import build_row, integer, rate_gbit, to_gbit
from slowlink.parsers.forms.limit import Limit

_COLUMNS = {
    "BW_peak": "BW peak",
    "BW_average": "BW average",
    "MsgRate": "MsgRate",
    "CPU_util": "CPU_Util",
    "t_min": "t_min",
    "t_max": "t_max",
    "t_typical": "t_typical",
    "t_avg": "t_avg",
    "t_stdev": "t_stdev",
    "percentile_99": "99% percentile",
    "percentile_99.9": "99.9% percentile",
}
MAX_MEMBERS = Limit(200, "members of one result")
_UNKNOWN = "unknown: the document has no unit and no message rate to derive it from"


class PerftestDocument:
    """Gives the ``PerftestRun`` of ``{"test_info": {...}, "results": {...}}``."""

    kind: ClassVar[str] = "perftest"

    @staticmethod
    def wants_document(value: object) -> bool:
        return isinstance(value, dict) and "test_info" in value and "results" in value

    def read(self, value: object, source: str, line: int) -> Iterable[PerftestRun]:
        if not self.wants_document(value):
            return []
        info = _texts(value["test_info"]) if isinstance(value, dict) else {}
        results = value["results"] if isinstance(value, dict) else None
        entries = results if isinstance(results, list) else [results]
        ref = Ref(source, line)
        rows = [_texts(entry) for entry in MAX_ROWS.first(entries)]
        return [_run(info, [row for row in rows if row], ref)]


def _run(info: dict[str, str], results: list[dict[str, str]], ref: Ref) -> PerftestRun:
    test = info.get("test", "").removesuffix(" Test").strip()
    latency = any("t_avg" in row or "t_typical" in row for row in results) or "Latency" in test
    unit, basis = ("usec", "latency is printed in microseconds") if latency else _unit(results)
    pairs = {key.replace("_", " "): text for key, text in info.items()}
    gpu = integer(info.get("cuda_device", ""))
    return PerftestRun(
        source=ref.source,
        stream="",
        header=ref,
        test=test,
        kind="latency" if latency else "bandwidth",
        printed_unit="usec" if latency else "",
        device=info.get("Device") or None,
        gpu_memory="cuda" if gpu is not None else memory_of(pairs),
        gpu=gpu,
        link_type=info.get("Link_type") or None,
        mtu_bytes=integer(info.get("Mtu", "").split("[")[0]),
        gid_index=integer(info.get("GID_index", "")),
        qps=integer(info.get("Number_of_qps", "")),
        bidirectional="Bidirectional" in test,
        parameters={**info, "unit_basis": basis},
        rows=tuple(row for entry in results if (row := _row(entry, unit, ref)) is not None),
        complete=bool(results),
    )


def _row(entry: Mapping[str, str], unit: str, ref: Ref) -> PerftestRow | None:
    size = integer(entry.get("MsgSize", ""))
    if not size:
        return None
    values = {_COLUMNS[key]: text for key, text in entry.items() if key in _COLUMNS}
    if not unit:
        values = {name: text for name, text in values.items() if not name.startswith("BW ")}
    return build_row(size, integer(entry.get("n_iterations", "")), values, unit, ref)


def _unit(results: list[dict[str, str]]) -> tuple[str, str]:
    """The unit under which the averages agree with the message rates; "" where nothing shows it."""
    for entry in results:
        size, average, rate = (_finite(entry.get(key)) for key in ("MsgSize", "BW_average", "MsgRate"))
        if not size or not average or not rate:
            continue
        expected = rate_gbit(int(size), rate)
        for unit in ("Gb/s", "MiB/s"):
            if abs(to_gbit(average, unit) - expected) <= 0.1 * expected:
                return unit, f"{unit}: the only unit in which BW_average follows from MsgRate"
    return "", _UNKNOWN


def _finite(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < 1e18 else None


def _texts(value: object) -> dict[str, str]:
    """The scalar members of an object, as text."""
    if not isinstance(value, dict):
        return {}
    return {
        str(key): str(item).strip()
        for key, item in MAX_MEMBERS.first(value.items())
        if isinstance(item, (str, int, float)) and not isinstance(item, bool)
    }
