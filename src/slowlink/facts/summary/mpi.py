"""Plain values of benchmarks of MPI: the OSU micro-benchmarks and the Intel MPI Benchmarks."""

from __future__ import annotations

from collections.abc import Callable

from slowlink.model.benchmark import MpiRow, MpiTable, MpiTables


def summarise_mpi(tables: MpiTables | None) -> dict[str, object]:
    """Lists with one value a table; names begin with ``mpi_``. ``..._by_size`` has the sizes in bytes as keys."""
    if tables is None:
        return {}
    return {
        "mpi_tests": [f"{table.library} {table.test}".strip() for table in tables.all],
        "mpi_tools": [table.tool for table in tables.all],
        "mpi_memory": [table.gpu_memory for table in tables.all],
        "mpi_nranks": [table.nranks for table in tables.all],
        "mpi_rows": [len(table.rows) for table in tables.all],
        "mpi_time_us_min": [min(_values(table, lambda row: row.time_us), default=None) for table in tables.all],
        "mpi_bandwidth_gbs_max": [
            max(_values(table, lambda row: row.bandwidth_gbs), default=None) for table in tables.all
        ],
        "mpi_time_us_by_size": [_by_size(table, lambda row: row.time_us) for table in tables.all],
        "mpi_bandwidth_gbs_by_size": [_by_size(table, lambda row: row.bandwidth_gbs) for table in tables.all],
    }


def _values(table: MpiTable, read: Callable[[MpiRow], float | None]) -> list[float]:
    return [value for row in table.rows if (value := read(row)) is not None]


def _by_size(table: MpiTable, read: Callable[[MpiRow], float | None]) -> dict[str, float]:
    return {
        str(row.size_bytes): value
        for row in table.rows
        if row.size_bytes is not None and (value := read(row)) is not None
    }
