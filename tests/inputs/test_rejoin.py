"""Lines that a terminal wrapped are whole again, and keep their numbers; tables that are as wide as themselves stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs.disguise import undisguised
from slowlink.inputs.rejoin import MOST_LINES, rejoined, wrapped_at
from slowlink.simulate.job import SimulatedJob, job_log

LOG = job_log(SimulatedJob(plateau_gbs=9.4))


def wrapped(text: str, width: int) -> str:
    """As a terminal of so many columns shows it."""
    pieces = []
    for line in text.split("\n"):
        pieces += [line[at : at + width] for at in range(0, max(len(line), 1), width)]
    return "\n".join(pieces)


def undone(text: str) -> str:
    data = text.encode()
    return b"".join(undisguised([data], data[:65536])).decode()


@pytest.mark.parametrize("width", [80, 91, 100, 120, 132])
def test_a_job_log_that_a_terminal_wrapped(width: int) -> None:
    shown = wrapped(LOG, width)
    found = undone(shown)
    assert found != shown
    assert [line for line in found.split("\n") if line] == [line for line in LOG.split("\n") if line]
    assert found.count("\n") == shown.count("\n")


SHORT = [f"node0{rank // 4}:{4000 + rank}:4100 [{rank}] NCCL INFO cudaDriverVersion 12040" for rank in range(8)]
WARNS = [
    f"node0{node}:4000:4100 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.1.2.3<40123> "
    "with status=12 opcode=0 len=0 vendor err 129 (Recv)"
    for node in (0, 0, 1, 1)
]


@pytest.mark.parametrize("width", [80, 100])
def test_a_few_lines_that_break_at_one_place_in_a_log_whose_lines_begin_alike(width: int) -> None:
    text = "\n".join([*SHORT, *WARNS, *SHORT, ""])
    found = undone(wrapped(text, width))
    assert [line for line in found.split("\n") if line] == [*SHORT, *WARNS, *SHORT]


def test_the_same_lines_cut_there_stay() -> None:
    cut = "\n".join(line[:80] for line in [*SHORT, *WARNS, *SHORT, ""])
    assert undone(cut) == cut


def test_a_log_as_it_is_stays() -> None:
    assert undone(LOG) == LOG


def test_a_log_that_was_cut_at_a_width_is_not_one_that_was_wrapped() -> None:
    cut = "\n".join(line[:100] for line in LOG.split("\n"))
    assert undone(cut) == cut


@pytest.mark.parametrize(
    "row",
    [
        "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |",
        "0:      1048576        262144     float     sum      -1    123.2    8.51   15.95      0",
        "GPU 0          412.3         71.0         98          80559       1980       2619      0",
    ],
)
def test_rows_of_a_table_are_not_put_together(row: str) -> None:
    table = "\n".join(["what was printed", *[row.replace("0", str(number), 1) for number in range(9)], "the end", ""])
    assert undone(table) == table


def test_a_small_table_whose_last_cells_are_as_wide_as_each_other_stays() -> None:
    table = """\
NAME                 READY   STATUS             RESTARTS      AGE
bench-worker-0       1/1     Running            0             12m
bench-worker-1       0/1     CrashLoopBackOff   6 (30s ago)   12m
bench-worker-2       0/1     OOMKilled          0             12m
bench-launcher-x7    0/1     Pending            0             12m
"""
    assert undone(table) == table


def test_cells_of_a_page_are_one_row() -> None:
    page = "<table>\n<tr>\n<td>8</td>\n<td>2.5</td>\n</tr>\n<tr><td>16</td>\n<td>5.0</td></tr>\n</table>\n"
    assert undone(page) == "\n8  2.5  \n\n\n\n16  5.0  \n\n\n"


@given(st.lists(st.text("ab 01", max_size=9), max_size=200))
def test_as_many_lines_come_out_and_all_of_the_text(lines: list[str]) -> None:
    found = list(rejoined(lines, lambda before, _: before.endswith("a")))
    assert len(found) == len(lines)
    assert "".join(found) == "".join(lines)


def test_a_run_without_end_is_cut() -> None:
    found = list(rejoined(["x"] * (3 * MOST_LINES), lambda _, __: True))
    assert max(map(len, found)) == MOST_LINES


@given(st.lists(st.text(max_size=450), max_size=40))
def test_any_lines_give_an_answer(lines: list[str]) -> None:
    goes_on = wrapped_at(lines)
    assert goes_on is None or len(list(rejoined(lines, goes_on))) == len(lines)
