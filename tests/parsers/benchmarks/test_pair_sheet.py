"""Sheets of results of pairs, in nobody's format."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.benchmark import PairTable
from slowlink.parsers.benchmarks.pair_sheets import pair_in
from slowlink.parsers.reading.read import read

NODES = ("hx01", "hx02", "hx03", "hx05", "hx06")
PAIRS = tuple(combinations(NODES, 2))


def tables(text: str, name: str = "sweep.txt") -> tuple[PairTable, ...]:
    return read([Input(name, None, [text.encode()])], workers=1).pair_tables


def gbs(pair: tuple[str, str]) -> float:
    return 118.5 if "hx06" in pair else 230.5


@pytest.mark.parametrize(
    ("head", "row"),
    [
        (
            "| file | test | N | G | nodes | Avg (busbw GB/s) | Peak (busbw GB/s) |\n|---|---|---|---|---|---|---|\n",
            "| run_{a}_{b}.log | sendrecv_perf | 2 | 8 | hx[{x},{y}] | {gbs} | 231.0 |",
        ),
        (
            "when;collective;server;client;size;busbw_gbs\n",
            "2026-03-01 10:02;all_reduce;{a};{b};8589934592;{gbs}",
        ),
        ("id,pair,time_us,busbw\n", '17,"{a},{b}",3500.1,{gbs}'),
        ("pair\tduration\tbandwidth GB/s\n", "{a} <-> {b}\t12\t{gbs}"),
        ("log,algbw,busbw,nodelist\n", "x.log,99.1,{gbs},hx[{x},{y}]"),
    ],
)
def test_what_is_what_shows_in_heading_and_rows(head: str, row: str) -> None:
    rows = [row.format(a=a, b=b, x=a[2:], y=b[2:], gbs=gbs((a, b))) for a, b in PAIRS]
    (table,) = tables(head + "\n".join(rows) + "\n")
    assert [(each.a, each.b, each.amount) for each in table.rows] == [(*pair, gbs(pair)) for pair in PAIRS]
    assert {each.test for each in table.rows} == {""}
    assert table.told


def test_columns_with_few_values_tell_one_test_from_another() -> None:
    rows = [
        f"{a},{b},{test},{gpus},{gbs((a, b)) / gpus}"
        for test in ("sendrecv", "alltoall")
        for gpus in (1, 8)
        for a, b in PAIRS
    ]
    (table,) = tables("node1,node2,test,gpus,busbw\n" + "\n".join(rows))
    assert {each.test for each in table.rows} == {f"{t}, gpus {g}" for t in ("sendrecv", "alltoall") for g in (1, 8)}


def test_sizes_stay_with_the_numbers_and_repeats_are_the_same_test() -> None:
    rows = [f"{a},{b},{size},{run},{gbs((a, b))}" for run in (1, 2) for size in (1024, 4096) for a, b in PAIRS]
    (table,) = tables("node1,node2,size,run,busbw\n" + "\n".join(rows))
    assert {(each.size_bytes, each.test) for each in table.rows} == {(1024, ""), (4096, "")}


@pytest.mark.parametrize("cell", ["", "-", "FAILED", "timeout", "N/A"])
def test_a_row_without_a_number_is_a_test_that_failed(cell: str) -> None:
    rows = [f"| {a} | {b} | all_reduce | {cell if 'hx03' in (a, b) else 230.5} |" for a, b in PAIRS]
    (table,) = tables("| node a | node b | test | busbw |\n|---|---|---|---|\n" + "\n".join(rows))
    assert {frozenset((each.a, each.b)) for each in table.failed} == {frozenset(p) for p in PAIRS if "hx03" in p}
    assert len(table.rows) == 6


def test_a_status_that_says_failure_is_believed() -> None:
    rows = [f"{a},{b},{'FAIL' if (a, b) == PAIRS[0] else 'PASS'},230.5" for a, b in PAIRS]
    (table,) = tables("src,dst,status,bandwidth\n" + "\n".join(rows))
    assert [(each.a, each.b) for each in table.failed] == [PAIRS[0]]


@pytest.mark.parametrize(
    "text",
    [
        "gpu,driver,bandwidth\n" + "\n".join(f"H100-{n},v5{n},23.5" for n in range(12)),
        "a,b,bw\n" + "\n".join(f"mlx5_{n},mlx5_{n + 1},23.5" for n in range(12)),
        "host,date,bandwidth\n" + "\n".join(f"hx{n},2026,23.5" for n in range(12)),
        "node1,node2,latency\n" + "\n".join(f"{a},{b},3.5" for a, b in PAIRS),
    ],
    ids=["models", "devices", "alone", "latency"],
)
def test_other_sheets_are_none(text: str) -> None:
    assert tables(text) == ()


@pytest.mark.parametrize(
    ("cell", "pair"),
    [
        ("hx[01,06]", ("hx01", "hx06")),
        ("hx[01-02]", ("hx01", "hx02")),
        ("hx01-hx06", ("hx01", "hx06")),
        ("('hx01', 'hx06')", ("hx01", "hx06")),
        ("hx01_hx06.log", ("hx01", "hx06")),
        ("hx[01-03]", None),
        ("hx[01-99999999]", None),
        ("hx01", None),
        ("hx01 hx01", None),
        ("float32 hx01", None),
    ],
)
def test_a_cell_may_name_both(cell: str, pair: tuple[str, str] | None) -> None:
    assert pair_in(cell) == pair


@given(st.lists(st.text(alphabet='hx01,|;[]-"\t bw', max_size=40), max_size=12))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    tables("node1,node2,busbw\n" + "\n".join(lines))
