"""Rows of perftest behind a label that a script wrote: a rail, an HCA, a node."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from whole_inputs import checked

from slowlink.model.benchmark import TURN, PerftestRun
from slowlink.parsers.benchmarks.perftest import PARSER
from slowlink.parsers.benchmarks.perftest.bare_rows import is_labelled, read_labelled

COMMAND = "# ib_write_bw -F --report_gbits -D 10 -s 65536, rail by rail\n"
HEALTHY = (392.3, 392.1, 392.4, 392.2)
SLOW = (392.3, 196.1, 392.4, 392.2)


def row(gbit: float, size: int = 65536) -> str:
    return f"{size}      {round(gbit * 10000)}          0.00               {gbit:.2f} \t\t   {gbit / size / 8e-3:.6f}"


def rows(form: str, *gbit: float) -> str:
    return "".join(f"{form.format(n=n)} {row(each)}\n" for n, each in enumerate(gbit))


def runs(text: str) -> list[PerftestRun]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, PerftestRun)]


def said(text: str) -> list[tuple[str, str, str]]:
    return [(each.cause, each.confidence, each.message) for each in checked(text).findings]


@pytest.mark.parametrize(
    "form",
    [
        "{n} mlx5_{n}",
        "mlx5_{n}",
        "mlx5_{n}:",
        "rail{n} mlx5_{n}",
        "mlx5_{n}/1",
        "rail {n} (mlx5_{n})",
        "nic=mlx5_{n} |",
    ],
)
def test_a_label_that_names_the_hca(form: str) -> None:
    assert [run.device for run in runs(COMMAND + rows(form, *HEALTHY))] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert "straggler-nic" in [each[0] for each in said(COMMAND + rows(form, *SLOW))]
    assert said(COMMAND + rows(form, *HEALTHY)) == []


def test_a_table_of_a_script_with_its_own_heading() -> None:
    heading = "rail dev     #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    assert said(COMMAND + heading + rows("{n} mlx5_{n}", *SLOW)) == snapshot(
        [
            (
                "hardware-unknown",
                "certain",
                "mlx5_1: 196.1 Gb/s is 49% of what a port of 400 Gb/s carries, 98% of one of 200; to settle it, say which it is (--nics)",
            ),
            ("straggler-nic", "likely", "mlx5_1 gives 196.1 Gb/s in RDMA_Write BW, 3 other HCAs give 392.2"),
        ]
    )


def test_names_of_other_makers_and_of_nodes() -> None:
    assert [(run.host, run.device) for run in runs(rows("gx{n} bnxt_re0", 97.1, 97.2))] == [
        ("gx0", "bnxt_re0"),
        ("gx1", "bnxt_re0"),
    ]
    assert [run.device for run in runs(rows("rocep{n}s0", 97.1, 97.2))] == ["rocep0s0", "rocep1s0"]


@pytest.mark.parametrize("form", ["{n}", "rail{n}:", "nic {n}", "node-{n}"])
def test_any_other_label_only_tells_rows_apart(form: str) -> None:
    found = runs(COMMAND + rows(form, *SLOW))
    assert [run.device for run in found] == [None] * 4
    assert len({run.parameters[TURN] for run in found}) == 4
    assert "straggler-nic" in [each[0] for each in said(COMMAND + rows(form, *SLOW))]


def test_larger_sizes_under_one_label_are_one_run() -> None:
    both = "".join(f"mlx5_{n} {row(190.0, size)}\n" for n in (0, 1) for size in (65536, 131072))
    assert [len(run.rows) for run in runs(both)] == [2, 2]


@given(st.text(alphabet=" 0123456789.mlx5_:/", max_size=80))
def test_what_does_not_agree_with_itself_is_no_row(text: str) -> None:
    found = read_labelled(text)
    assert found is None or is_labelled(text)
    assert all(run.rows for run in runs(text))
