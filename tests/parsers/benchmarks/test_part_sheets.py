"""Sheets of users with a GPU or an HCA in each row: what they measured, and which part is the odd one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

import slowlink
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.part_quantities import quantities_of
from slowlink.parsers.benchmarks.part_rows import rows_of

RAILS = """# sendrecv_perf, one GPU and one HCA at a time, r1 against two peers
HCA      r1-r2   r1-r3
mlx5_0   48.5    48.4
mlx5_1   48.5    48.5
mlx5_2   48.4    48.5
mlx5_3   21.9    22.0
mlx5_4   48.5    48.5
"""
MARKDOWN = """| rail | HCA | busbw (GB/s) | run 2 |
|---|---|---|---|
| 0 | bnxt_re0 | 48.59 | 48.66 |
| 1 | bnxt_re1 | 48.55 | 48.93 |
| 2 | bnxt_re2 | 19.79 | 18.62 |
| 3 | bnxt_re3 | 48.42 | 48.52 |
"""
TIMES = """GEMM of each rank (8192^3 bf16, ms, mean of 200):
  rank  0  node hv-1  gpu 0   1.616
  rank  1  node hv-1  gpu 1   1.612
  rank  2  node hv-1  gpu 2   1.610
  rank  3  node hv-1  gpu 3   2.401
"""
ONE_LINE = """$ ./gemm_bf16 8192   # TFLOP/s
gpu0 712  gpu1 714  gpu2 711  gpu3 483
"""
WITH_UNITS = """gpu 0: 391.2 GB/s
gpu 1: 390.8 GB/s
gpu 2: 201.7 GB/s
gpu 3: 391.0 GB/s
"""
LOOP = """$ for i in 0 1 2 3; do echo -n "mlx5_$i "; ib_write_bw -d mlx5_$i -F --report_gbits --output=bandwidth n2; done
mlx5_0 394.1
mlx5_1 394.3
mlx5_2 197.2
mlx5_3 394.2
"""


def said(text: str) -> tuple[str, list[tuple[str, str]]]:
    report = slowlink.analyze(text.encode())
    return str(report.verdict), [(found.cause, found.message) for found in report.findings if found.severity == "error"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RAILS, snapshot(("degraded", [("straggler-nic", "mlx5_3 gives 21.95 GB/s where 4 other HCAs give 48.45")]))),
        (
            MARKDOWN,
            snapshot(("degraded", [("straggler-nic", "bnxt_re2 gives 19.2 GB/s where 3 other HCAs give 48.55")])),
        ),
        (TIMES, snapshot(("degraded", [("straggler-gpu", "hv-1: GPU 3 takes 2.401 ms, the others 1.614")]))),
        (ONE_LINE, snapshot(("degraded", [("straggler-gpu", "GPU 3 computes at 483 TFLOP/s, the others 711.5")]))),
        (WITH_UNITS, snapshot(("degraded", [("straggler-gpu", "GPU 2 gives 201.7 GB/s, the others 390.9")]))),
        (LOOP, snapshot(("degraded", [("straggler-nic", "mlx5_2 gives 24.65 GB/s where 3 other HCAs give 49.27")]))),
    ],
)
def test_the_odd_one_is_named_with_what_it_gave(text: str, expected: object) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        RAILS.replace("sendrecv_perf, ", ""),  # numbers of nobody knows what
        WITH_UNITS.replace("GB/s", "C"),
        WITH_UNITS.replace("GB/s", "MiB"),
        MARKDOWN.replace("busbw (GB/s)", "rx traffic (GB/s)"),  # what is sent at a moment
        WITH_UNITS.replace("201.7", "389.9"),  # all alike
        "\n".join(WITH_UNITS.splitlines()[:3]),  # of three none is the odd one
        RAILS.replace("mlx5_2   48.4    48.5", "mlx5_2   40.4    40.5"),  # the others differ, too
        "gpu  util  GB/s\n" + "".join(f"gpu{i}  {90 + i}  {9 * i}.5 x\n" for i in range(5)),
    ],
)
def test_other_tables_accuse_nobody(text: str) -> None:
    assert said(text)[1] == []


def test_the_column_that_the_heading_calls_so_is_read() -> None:
    text = "gpu  temp  TFLOP/s\n" + "".join(f"gpu{i}    {60 + i}    {700 - 300 * (i == 2)}\n" for i in range(5))
    assert said(text)[1] == snapshot([("straggler-gpu", "GPU 2 computes at 400 TFLOP/s, the others 700")])


UNITS = st.sampled_from(["GB/s", "Gb/s", "TFLOPS", "ms", "us", "MB/s", ""])
NAMES = st.sampled_from(["gpu0", "GPU 1", "mlx5_0", "bnxt_re1", "rank 3", "node a1", "hca", "|", "7", "x"])


@given(st.lists(st.tuples(NAMES, st.floats(0, 1e9, width=32), UNITS), max_size=8))
def test_any_row_is_read_or_refused(words: list[tuple[str, float, str]]) -> None:
    text = " ".join(f"{name} {number:.2f} {unit}" for name, number, unit in words)
    for row in rows_of(Line("log", 1, text)):
        assert row.part.kind in ("gpu", "hca")
        assert row.amounts
    assert len(set(quantities_of(text))) == len(quantities_of(text))
