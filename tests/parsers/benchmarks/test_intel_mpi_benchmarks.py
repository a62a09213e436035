"""Tables of the Intel MPI Benchmarks."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.benchmark import MpiTable
from slowlink.parsers.benchmarks.intel_mpi_benchmarks import PARSER

OUTPUT = """\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Date                  : Mon Mar  3 09:00:00 2025
# Machine               : x86_64
# MPI Version           : 3.1
# MPI Thread Environment:
# Calling sequence was:
# ./IMB-MPI1 Sendrecv Barrier
# Minimum message length in bytes:   0
# MPI_Datatype                   :   MPI_BYTE
#
# List of Benchmarks to run:
# Sendrecv
#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            0         1000         2.10         2.30         2.20         0.00
      1048576           40        90.00       100.00        95.00     20971.52
    134217728 out-of-mem.; needed X=   1.250 GB; use flag "-mem X"
#---------------------------------------------------
# Benchmarking Barrier
# #processes = 8
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         5.50         5.60         5.55
# All processes entering MPI_Finalize
"""


def tables(text: str) -> list[MpiTable]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, MpiTable)]


def test_tables_are_read_by_their_header() -> None:
    assert [
        (
            f"{t.test}: {t.kind}, ranks {t.nranks}, both ways {t.bidirectional}",
            [(r.size_bytes, r.iterations, r.time_us, r.t_min_us, r.t_max_us, r.bandwidth_gbs) for r in t.rows],
        )
        for t in tables(OUTPUT)
    ] == snapshot(
        [
            (
                "Sendrecv: latency, ranks 2, both ways True",
                [(0, 1000, 2.2, 2.1, 2.3, 0.0), (1048576, 40, 95.0, 90.0, 100.0, 20.97152)],
            ),
            ("Barrier: collective, ranks 8, both ways False", [(None, 1000, 5.55, 5.5, 5.6, None)]),
        ]
    )


def test_old_versions_count_megabytes_of_two_to_the_twentieth() -> None:
    text = """\
#    Intel (R) MPI Benchmarks 4.1 Update 1, MPI-1 part
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
      4194304           10       400.00     10000.00
"""
    (table,) = tables(text)
    assert [(row.time_us, row.bandwidth_gbs) for row in table.rows] == [(400.0, 10.48576)]
    assert table.kind == "latency"


def test_rows_with_other_columns_are_somebody_elses() -> None:
    assert tables("       #bytes #repetitions      t[usec]   Mbytes/sec\n  0  1000  1.5\n")[0].rows == ()


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in OUTPUT.splitlines())


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(row.ref.line > table.ref.line for table in tables("\n".join(lines)) for row in table.rows)
