"""Tables of busbw by size that nccl-tests did not print: of DeepSpeed, of anybody's script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.benchmark import CollectiveRun
from slowlink.parsers.benchmarks.size_columns import columns_of, labelled, measured
from slowlink.parsers.benchmarks.size_tables import PARSER
from slowlink.parsers.reading.read import read

GIB = 1 << 30


def runs(text: str) -> tuple[CollectiveRun, ...]:
    return read([Input("bench.log", None, [text.encode()])], workers=1).runs


def points(text: str) -> list[tuple[int, float | None, float | None, float | None]]:
    """(bytes, us, algbw, busbw) of the only table."""
    (run,) = runs(text)
    return [(p.size_bytes, p.time_us, p.algbw_gbs and round(p.algbw_gbs, 3), p.busbw_gbs) for p in run.points]


def test_deepspeed_prints_bits() -> None:
    text = """
---- Performance of all_reduce on 16 devices ---------------------------------------------------------
Size (Bytes)         Description                    Duration             Throughput (Gbps)    BusBW (Gbps)
----------------------------------------------------------------------------------------------------
4.0 GB               [67108864x16]                  17.3 ms              1986.0               3723.75
8.0 GB               [134217728x16]                 34.2 ms              2009.3               3767.2
"""
    (run,) = runs(text)
    assert points(text) == snapshot([(4294967296, 17300.0, 248.25, 465.46875), (8589934592, 34200.0, 251.162, 470.9)])
    assert (run.collective, run.nranks_printed, run.nnodes_printed) == ("all_reduce", 16, None)


def test_markdown_with_busbw_before_algbw() -> None:
    text = """
| payload |    busbw   |    algbw   |
| ------: | ---------: | ---------: |
|   64KiB |   1.75GBps |   1.00GBps |
|    1GiB | 350.00GBps | 200.00GBps |
"""
    assert points(text) == [(65536, None, 1.0, 1.75), (GIB, None, 200.0, 350.0)]


def test_units_below_the_names() -> None:
    text = """
           size    time   algbw   busbw
            (B)    (us)  (GB/s)  (GB/s)
        1048_576   104.9   10.00   17.50
 17_179_869_184  85899.3  200.00  350.00
"""
    assert points(text) == [(1 << 20, 104.9, 10.0, 17.5), (1 << 34, 85899.3, 200.0, 350.0)]


def test_the_title_says_who_took_part() -> None:
    text = """# banc maison: dist.all_reduce, 2 noeuds x 8 H200, bf16
taille        temps_ms    algbw_GB/s   busbw_GB/s
    1 GiB        4.655        230.7        432.5
    8 GiB       34.210        251.1        470.8
"""
    (run,) = runs(text)
    assert points(text) == [(GIB, 4655.0, 230.7, 432.5), (8 * GIB, 34210.0, 251.1, 470.8)]
    assert (run.collective, run.nranks_printed, run.nnodes_printed, run.concluded) == ("all_reduce", 16, 2, True)


def test_bits_or_bytes_by_the_row_itself() -> None:
    head = "size_bytes,time_us,algbw_gbps,busbw_gbps\n"
    in_bytes, in_bits = "8589934592,34210,251.1,470.8\n", "8589934592,34210,2008.8,3766.4\n"
    assert points(head + in_bytes) == points(head + in_bits) == [(8 * GIB, 34210.0, 251.1, 470.8)]
    assert runs("size_bytes,busbw_gbps\n8589934592,470.8\n") == ()


def test_a_column_of_collectives_parts_a_table() -> None:
    found = runs(
        "collective,size (B),time (us),busbw (GB/s)\n"
        "all_reduce,8589934592,34210,470.8\nall_gather,8589934592,17100,470.9\n"
    )
    assert [(run.collective, [p.busbw_gbs for p in run.points]) for run in found] == snapshot(
        [("all_reduce", [470.8]), ("all_gather", [470.9])]
    )


def test_rows_that_name_their_amounts() -> None:
    text = "".join(
        f"0: all_reduce size={size} time={time} ms algbw={alg} GB/s busbw={bus} GB/s\n"
        for size, time, alg, bus in (("1 GiB", 4.655, 230.7, 432.5), ("8 GiB", 34.21, 251.1, 470.8))
    )
    assert points(text) == [(GIB, 4655.0, 230.7, 432.5), (8 * GIB, 34210.0, 251.1, 470.8)]


def test_a_size_that_comes_again_is_another_cycle() -> None:
    (run,) = runs("size (MB)  busbw (GB/s)\n" + "1024  430.5\n" * 3)
    assert [point.cycle for point in run.points] == [0, 1, 2]


def test_a_row_that_contradicts_itself_is_in_doubt() -> None:
    (run,) = runs("size  time (us)  algbw (GB/s)  busbw (GB/s)\n1G  4655.0  99.0  185.6\n")
    assert [point.doubt for point in run.points] == snapshot(["size / time is 230.7 GB/s, and algbw says 99"])


@pytest.mark.parametrize(
    "head",
    [
        "host1  host2  size  latency(us)  busbw(GB/s)",
        "rank size busbw",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong",
        "busbw of the run",
        "the size and the busbw of all that was measured here are in the sheet",
    ],
)
def test_tables_of_parts_and_of_nccl_tests_are_none(head: str) -> None:
    assert columns_of(head) is None


def test_a_table_without_rows_is_nothing() -> None:
    assert runs("size  time(ms)  algbw(GB/s)  busbw(GB/s)\nnothing came of it\n") == ()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_gives_an_answer(head: str, row: str) -> None:
    for columns in (columns_of(head), columns_of("size (MB) | time | busbw (GB/s)")):
        if columns is not None:
            measured(row, columns)
    labelled(row)


@given(st.integers(1, 1 << 40), st.floats(0.01, 2000), st.sampled_from(("  ", " | ", "\t", ",")))
def test_what_is_printed_is_read(size: int, busbw: float, between: str) -> None:
    columns = columns_of(between.join(("size (B)", "busbw (GB/s)")))
    assert columns is not None
    row = measured(between.join((str(size), f"{busbw:.2f}")), columns)
    assert row is not None
    assert (row.size_bytes, row.busbw_gbs) == (size, round(busbw, 2))


@pytest.mark.parametrize(
    "line",
    [
        "[PG ID 0 Rank 2] ProcessGroupNCCL broadcast unique ID through store took 0.75 ms",
        "time (ms) | fwd: 51.2 | bwd: 102.1 | bwd_allreduce: 20.4 | step: 3.1",
        "Rank 2: broadcast of weights",
    ],
)
def test_what_is_printed_all_day_is_kept_in_mind_as_no_title(line: str) -> None:
    assert not PARSER.wants(line)
    assert PARSER.wants("all_reduce over 16 ranks")


@pytest.mark.parametrize(
    ("title", "known"),
    [
        ("all_reduce, 2 nodes x 8 H100", (2, 16)),
        ("all_reduce over 16 ranks", (None, 16)),
        ("all_reduce on 2 nodes, 16 GPUs", (2, 16)),
        ("all_reduce: 4 nodes were asked for, 2 nodes came", (None, None)),
        ("all_reduce, world_size=32", (None, 32)),
    ],
)
def test_words_that_say_two_numbers_say_none(title: str, known: tuple[int | None, int | None]) -> None:
    (run,) = runs(f"{title}\nsize (MB)  busbw (GB/s)\n1024  430.5\n")
    assert (run.nnodes_printed, run.nranks_printed) == known


def test_the_line_above_is_a_title_without_a_count_too() -> None:
    (run,) = runs("reduce_scatter, bf16:\nsize (MB)  busbw (GB/s)\n1024  430.5\n")
    assert (run.collective, run.nranks_printed) == ("reduce_scatter", None)


def test_rows_by_nodes_are_runs_of_their_own() -> None:
    text = """
# all_reduce, H100
# nodes  #size        time(us)   algbw   busbw
    4   8589934592      43341  198.19  384.00
   16   8589934592      64081  134.05  266.00
"""
    assert [(run.collective, run.nnodes_printed, run.nranks_printed) for run in runs(text)] == [
        ("all_reduce", 4, None),
        ("all_reduce", 16, None),
    ]
    assert [point.busbw_gbs for run in runs(text) for point in run.points] == [384.0, 266.0]


def test_rows_by_gpus() -> None:
    text = """
| #gpus | message | busbw (GB/s) |
| ----: | ------: | -----------: |
|    16 |    8GiB |        371.2 |
|    64 |    8GiB |        365.0 |
"""
    assert [(run.nranks_printed, run.points[0].busbw_gbs) for run in runs(text)] == [(16, 371.2), (64, 365.0)]


@pytest.mark.parametrize(
    "header",
    ["node  size  busbw", "nodes  gpus  src  size  busbw", "gpu  size  time(us)  busbw"],
)
def test_columns_that_name_parts_are_other_tables(header: str) -> None:
    assert columns_of(header) is None


@pytest.mark.parametrize("cell", ["gx[01-04]", "0", "-4", "4.0"])
def test_what_is_no_number_of_nodes(cell: str) -> None:
    columns = columns_of("nodes  size  busbw")
    assert columns is not None
    assert measured(f"{cell}  8589934592  371.0", columns) is None
