"""Rows of perftest whose heading was cut off by ``tail`` or ``grep``: which numbers are such rows, and whose they are."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from whole_inputs import checked

from slowlink.model.benchmark import BARE, TURN, PerftestRun
from slowlink.parsers.benchmarks.perftest import PARSER
from slowlink.parsers.benchmarks.perftest.bare_rows import bare_columns

LOOP = "for d in {words}; do ib_write_bw -d mlx5_$d -s 1048576 -q 4 --report_gbits -F n2 | tail -1; done\n"
HEALTHY = (193.4, 193.1, 193.6, 193.2)


def row(gbit: float, size: int = 1 << 20) -> str:
    return (
        f" {size}    {round(gbit * 1000)}           0.00               {gbit:.2f} \t\t     {gbit / size / 8e-3:.6f}\n"
    )


def rows(*gbit: float) -> str:
    return "".join(map(row, gbit))


def runs(text: str) -> list[PerftestRun]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, PerftestRun)]


def said(text: str) -> list[tuple[str, str, str, list[str]]]:
    return [
        (each.cause, each.confidence, each.message, [one.name for one in each.suspects])
        for each in checked(text).findings
    ]


def test_rows_of_a_loop_are_of_its_devices_in_order() -> None:
    found = runs(LOOP.format(words="0 1 4 5") + rows(*HEALTHY))
    assert [run.device for run in found] == ["mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5"]
    assert {(run.test, run.qps, run.bidirectional, run.printed_unit) for run in found} == {
        ("RDMA_Write BW", 4, False, "Gb/s")
    }
    assert [run.rows[0].bw_average_gbit for run in found] == [*HEALTHY]


def test_where_a_row_is_missing_nobody_knows_whose_the_others_are() -> None:
    found = runs(LOOP.format(words="0 1 4 5") + rows(*HEALTHY[:3]))
    assert [run.device for run in found] == [None] * 3


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (
            LOOP.format(words="0 1 2 3 4"),
            ("straggler-nic", "likely", "mlx5_2 gives 97.2 Gb/s in RDMA_Write BW, 4 other HCAs give 193.2", ["mlx5_2"]),
        ),
        (
            "for h in k1 k2 k3 k4 k5; do ib_read_bw -d mlx5_0 -s 1048576 --report_gbits $h | tail -1; done\n",
            (
                "straggler-nic",
                "likely",
                "the test in the turn of k3 gives 97.2 Gb/s in RDMA_Read BW, 4 other tests give 193.2",
                [],
            ),
        ),
        (
            "",
            (
                "straggler-nic",
                "possible",
                "the test of line 3 gives 97.2 Gb/s in perftest, 4 other tests give 193.2",
                [],
            ),
        ),
    ],
    ids=["devices", "partners", "no loop"],
)
def test_one_far_below_its_like_is_named_as_well_as_can_be(
    above: str, expected: tuple[str, str, str, list[str]]
) -> None:
    found = said(above + rows(*HEALTHY[:2], 97.2, *HEALTHY[2:]))
    assert [each for each in found if each[0] != "hardware-unknown"] == [expected]  # nothing tells the rate of a port


@pytest.mark.parametrize("gbit", [HEALTHY, (393.1, 393.4, 392.9, 393.0), (193.4, 97.2, 393.0, 48.0, 193.1)])
def test_rows_alone_are_no_health_and_no_odd_one_where_they_agree_or_nothing_does(gbit: tuple[float, ...]) -> None:
    found = checked(rows(*gbit))
    assert (found.findings, found.proofs) == ((), ())


def test_without_a_command_rows_may_be_of_both_ways() -> None:
    (alone,) = runs(row(390.0))
    (told,) = runs("$ ib_write_bw -d mlx5_3 -b --report_gbits n2 | tail -1\n" + row(390.0))
    assert (set(alone.parameters), alone.device) == ({BARE}, None)
    assert ({*told.parameters} & {BARE, TURN}, told.device, told.bidirectional) == (set(), "mlx5_3", True)


def test_growing_sizes_are_one_run() -> None:
    (run,) = runs("".join(row(size * 1e-4, size) for size in (65536, 131072, 262144, 1048576)))
    assert [each.size_bytes for each in run.rows] == [65536, 131072, 262144, 1048576]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        ("1048576 467789 0.00 392.41 0.046779", "Gb/s"),
        ("65536 500000 11690.11 11680.20 0.186883", "MiB/s"),
        ("1 2 3 4 5", None),
        ("65536 1000 97.70 97.66 0.19", None),  # two digits of a rate agree with anything
        ("1048576 467789 0.00 392.41 0.036779", None),
        ("1048576 467789 12.00 392.41 0.046779", None),
        ("1048576 467789 0.00 392.41", None),
        ("0 467789 0.00 0.00 0.000000", None),
    ],
)
def test_only_five_numbers_that_agree_are_a_row(cells: str, unit: str | None) -> None:
    columns = bare_columns(cells.split())
    assert (columns.unit if columns is not None else None) == unit


def test_a_row_below_a_whole_table_is_no_other_run() -> None:
    table = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    assert len(runs(table + row(193.4) + "-" * 80 + "\n" + row(193.4))) == 1


@given(st.floats(50, 800), st.sampled_from([1 << 16, 1 << 20, 1 << 23]), st.floats(1.02, 40))
def test_a_row_agrees_with_itself_and_no_more_when_its_average_changes(gbit: float, size: int, times: float) -> None:
    cells = row(gbit, size).split()
    assert bare_columns(cells) is not None
    assert bare_columns([*cells[:3], f"{gbit * times:.2f}", cells[4]]) is None
