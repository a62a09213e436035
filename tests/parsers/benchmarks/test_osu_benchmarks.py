"""Tables of the OSU micro-benchmarks."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.benchmark import MpiTable
from slowlink.parsers.benchmarks.osu_benchmarks import PARSER

OUTPUT = """\
# OSU MPI-ROCM All-to-All Personalized Exchange Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                      15.50             14.00             17.25        1000
4096                  120.00            110.50            131.00         100
# OSU MPI-CUDA Bi-Directional Bandwidth Test v5.9
# Send Buffer on HOST (H) and Receive Buffer on HOST (H)
# Size      Bandwidth (MB/s)
2                       3.10
4194304             46800.00
# OSU MPI Latency Test v5.3.2
# Size          Latency (us)
0                       1.50
# OSU MPI Multiple Bandwidth / Message Rate Test v7.3
# [ pairs: 4 ] [ window size: 64 ]
# Datatype: MPI_CHAR.
# Size                  MB/s        Messages/s
1                      12.00       12000000.00
# OSU MPI Barrier Latency Test v7.3
# Avg Latency(us)
             3.41
# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.3
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
4                      60.10             30.00             29.00             10.50
# OSU NCCL-CUDA Allreduce Latency Test v7.3
# Size       Avg Latency(us)        Validation
4                      33.00              Pass
"""


def tables(text: str) -> list[MpiTable]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, MpiTable)]


def test_every_kind_of_table_is_read_by_its_header() -> None:
    assert [
        (
            f"{t.library} {t.test}: {t.kind}, {t.gpu_memory}, ranks {t.nranks}, both ways {t.bidirectional}",
            [(r.size_bytes, r.time_us, r.t_min_us, r.t_max_us, r.bandwidth_gbs, r.messages_per_s) for r in t.rows],
        )
        for t in tables(OUTPUT)
    ] == snapshot(
        [
            (
                "MPI All-to-All Personalized Exchange Latency: collective, rocm, ranks None, both ways False",
                [(1, 15.5, 14.0, 17.25, None, None), (4096, 120.0, 110.5, 131.0, None, None)],
            ),
            (
                "MPI Bi-Directional Bandwidth: bandwidth, host, ranks None, both ways True",
                [(2, None, None, None, 0.0031, None), (4194304, None, None, None, 46.8, None)],
            ),
            ("MPI Latency: latency, None, ranks None, both ways False", [(0, 1.5, None, None, None, None)]),
            (
                "MPI Multiple Bandwidth / Message Rate: bandwidth, None, ranks 8, both ways False",
                [(1, None, None, None, 0.012, 12000000.0)],
            ),
            (
                "MPI Barrier Latency: collective, None, ranks None, both ways False",
                [(None, 3.41, None, None, None, None)],
            ),
            (
                "MPI Non-blocking Allreduce Latency: collective, cuda, ranks None, both ways False",
                [(4, 60.1, None, None, None, None)],
            ),
            (
                "NCCL Allreduce Latency: collective, cuda, ranks None, both ways False",
                [(4, 33.0, None, None, None, None)],
            ),
        ]
    )


def test_a_header_alone_tells_a_table_by_size_and_its_rows_end_with_its_columns() -> None:
    (table,) = tables("# Size      Bandwidth (MB/s)\n8   40.10\n8   40.10   3.00\nnothing\n16  80.20\n")
    assert [(row.size_bytes, row.bandwidth_gbs) for row in table.rows] == [(8, 0.0401), (16, 0.0802)]
    assert (table.test, table.kind) == ("", "bandwidth")


def test_numbers_far_below_a_table_are_somebody_elses() -> None:
    (table,) = tables("# OSU MPI Latency Test\n# Size          Latency (us)\n0  1.50\n" + "\n" * 200 + "8  9.99\n")
    assert [row.time_us for row in table.rows] == [1.5]


def test_rows_need_their_header() -> None:
    assert tables("4                      15.50\n") == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in OUTPUT.splitlines())


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    found = tables("\n".join(lines))
    assert all(row.ref.line > table.ref.line for table in found for row in table.rows)
