"""Plain values of point-to-point measurements: perftest and nvbandwidth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slowlink.facts.summary.tables import distinct
from slowlink.model.benchmark import BandwidthMatrix, PerftestRow, PerftestRun
from slowlink.model.facts import Matrices, Perftests
from slowlink.parting import by_key

_COLUMNS: dict[str, Callable[[PerftestRow], float | None]] = {
    "bw_average_gbit": lambda row: row.bw_average_gbit,
    "bw_peak_gbit": lambda row: row.bw_peak_gbit,
    "msg_rate_mpps": lambda row: row.msg_rate_mpps,
    "t_min_us": lambda row: row.t_min_us,
    "t_max_us": lambda row: row.t_max_us,
    "t_typical_us": lambda row: row.t_typical_us,
    "t_avg_us": lambda row: row.t_avg_us,
    "t_stdev_us": lambda row: row.t_stdev_us,
    "t_p99_us": lambda row: row.t_p99_us,
    "t_p999_us": lambda row: row.t_p999_us,
}
_MIB_PER_S_PER_GBIT = 1e9 / 8 / 1048576
_VERBS = {"write": "write", "read": "read", "send": "send", "atomic": "atomic"}


def summarise_perftests(perftests: Perftests | None) -> dict[str, object]:
    """Values of every perftest block, one a block; names begin with ``perftest_``.

    Bandwidths are Gb/s, except those under ``..._printed``: they are in the unit of ``perftest_units``.
    """
    if perftests is None:
        return {}
    runs = perftests.all
    values: dict[str, object] = {
        "perftest_blocks": len(runs),
        "perftest_tests": [run.test for run in runs],
        "perftest_programs": [program_name(run) for run in runs],
        "perftest_devices": [run.device for run in runs],
        "perftest_units": [run.printed_unit for run in runs],
        "perftest_memory": [run.gpu_memory for run in runs],
        "perftest_gpu_memory": [None if run.gpu_memory is None else run.gpu_memory != "host" for run in runs],
        "perftest_gpus": [run.gpu for run in runs],
        "perftest_link_types": [run.link_type for run in runs],
        "perftest_mtu_bytes": [run.mtu_bytes for run in runs],
        "perftest_gid_index": [run.gid_index for run in runs],
        "perftest_qps": [run.qps for run in runs],
        "perftest_bidirectional": [run.bidirectional for run in runs],
        "perftest_complete": [run.complete for run in runs],
        "perftest_header_lines": [run.header.line for run in runs],
        "perftest_errors": [ref.text.strip() for run in runs for ref in run.errors],
        "perftest_parameters": _parameters(runs),
    }
    values.update(_rows(runs))
    return values


def program_name(run: PerftestRun) -> str | None:
    """``ib_write_bw`` from the title ``RDMA_Write BW Test``; None when the block has no title."""
    words = run.test.lower().replace("_", " ").split()
    verb = next((_VERBS[word] for word in words if word in _VERBS), None)
    if verb is None:
        return None
    return f"ib_{verb}_{'lat' if run.kind == 'latency' else 'bw'}"


def _parameters(runs: Sequence[PerftestRun]) -> dict[str, list[str]]:
    found = by_key(((name, value) for run in runs for name, value in run.parameters.items()), lambda each: each[0])
    return {name: distinct(value for _, value in each) for name, each in found.items()}


def _rows(runs: Sequence[PerftestRun]) -> dict[str, object]:
    values: dict[str, object] = {
        "perftest_rows": [len(run.rows) for run in runs],
        "perftest_rows_total": sum(len(run.rows) for run in runs),
        "perftest_first_size_bytes": [run.rows[0].size_bytes if run.rows else None for run in runs],
        "perftest_last_size_bytes": [run.rows[-1].size_bytes if run.rows else None for run in runs],
        "perftest_iterations": distinct(row.iterations for run in runs for row in run.rows),
    }
    for name, read in _COLUMNS.items():
        values.update(_column(name, read, runs))
    return values


def _column(name: str, read: Callable[[PerftestRow], float | None], runs: Sequence[PerftestRun]) -> dict[str, object]:
    """The last value, the largest one, and all by size; nothing when no block measures such a thing."""
    columns = [[value for row in run.rows if (value := read(row)) is not None] for run in runs]
    if not any(columns) and not (name.startswith("bw_") and any(run.kind == "bandwidth" for run in runs)):
        return {}
    values: dict[str, object] = {
        f"perftest_{name}": [column[-1] if column else None for column in columns],
        f"perftest_{name}_max": [max(column, default=None) for column in columns],
        f"perftest_{name}_min": [min(column, default=None) for column in columns],
        f"perftest_{name}_by_size": _by_size(read, runs, printed=False),
    }
    if name in ("bw_average_gbit", "bw_peak_gbit") and any(_in_mib(run) for run in runs):
        printed = name.replace("_gbit", "_printed")
        values[f"perftest_{printed}_by_size"] = _by_size(read, runs, printed=True)
        values[f"perftest_{printed}_max"] = [
            max(column) * (_MIB_PER_S_PER_GBIT if _in_mib(run) else 1.0) if column else None
            for run, column in zip(runs, columns, strict=True)
        ]
    return values


def _in_mib(run: PerftestRun) -> bool:
    return run.printed_unit == "MiB/s"


def _by_size(
    read: Callable[[PerftestRow], float | None], runs: Sequence[PerftestRun], *, printed: bool
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for run in runs:
        factor = _MIB_PER_S_PER_GBIT if printed and _in_mib(run) else 1.0
        for row in run.rows:
            value = read(row)
            if value is not None:
                found.setdefault(str(row.size_bytes), []).append(value * factor)
    return found


def summarise_matrices(matrices: Matrices | None) -> dict[str, object]:
    """Values of tests by their name: status, unit, sum, smallest and largest cell. Those of nvbandwidth, and under
    ``gpu_copies`` those of CUDA's samples and of ROCm's bandwidth test."""
    if matrices is None:
        return {}
    named = [matrix for matrix in matrices.all if matrix.tool == "nvbandwidth"]
    others = [matrix for matrix in matrices.all if matrix.tool != "nvbandwidth"]
    values: dict[str, object] = {"gpu_copies": _tests(others)[0]} if others else {}
    if named:
        tests, totals = _tests(named)
        values.update({"nvbandwidth_tests": len(named), "nvbandwidth": tests, "nvbandwidth_totals": totals})
    return values


def _tests(matrices: Sequence[BandwidthMatrix]) -> tuple[dict[str, object], dict[str, float | None]]:
    tests: dict[str, object] = {}
    totals: dict[str, float | None] = {}
    for matrix in matrices:
        totals[matrix.name] = matrix.total
        cells = [cell for row in matrix.matrix for cell in row if cell is not None]
        tests[matrix.name] = {
            "status": matrix.status,
            "unit": matrix.unit,
            "total": matrix.total,
            "lowest": min(cells, default=None),
            "highest": max(cells, default=None),
            "rows": len(matrix.matrix),
            "columns": max((len(row) for row in matrix.matrix), default=0),
        }
    return tests, totals
