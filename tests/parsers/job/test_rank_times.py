"""Rows and tables of ranks; what follows from them is tested with the rule (straggler_step)."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.rank_times import RankTimes
from slowlink.workflows.analyze import analyze

ROWS = "rank  3 host gpu07  data  1.8  fwd  148.9  bwd  297.3  allreduce  167.2\n"


def _middles(text: str) -> list[tuple[int | None, str | None, str, str, str | None]]:
    found = feed(RankTimes, text.splitlines())
    return [(e.rank, e.host, e.groups["part"], f"{float(e.groups['middle']):.4g}", e.groups.get("unit")) for e in found]


def test_rows_below_a_heading_with_the_unit() -> None:
    assert _middles("# times of all ranks (ms)\n" + ("---- step 50 ----\n" + ROWS) * 8) == [
        (3, "gpu07", "data", "0.0018", None),
        (3, "gpu07", "fwd", "0.1489", None),
        (3, "gpu07", "bwd", "0.2973", None),
    ]


def test_without_a_unit_the_numbers_only_compare() -> None:
    assert _middles(ROWS * 8)[1:] == [(3, "gpu07", "fwd", "148.9", "unknown"), (3, "gpu07", "bwd", "297.3", "unknown")]


def test_records_with_the_unit_in_the_name() -> None:
    record = '{"rank": 3, "host": "gpu07", "fwd_ms": 148.9, "bwd_ms": 297.3}\n'
    assert _middles(record * 8) == [(3, "gpu07", "fwd", "0.1489", None), (3, "gpu07", "bwd", "0.2973", None)]


def test_timers_of_megatron() -> None:
    report = "times across ranks (ms):\n  forward-compute:\n     rank  0: 148.90\n     rank  1: 149.10\n"
    for times in (3, 8):  # each is an average
        assert _middles(report * times) == [
            (0, None, "forward-compute", "0.1489", None),
            (1, None, "forward-compute", "0.1491", None),
        ]
    assert _middles(report * 2) == []


@pytest.mark.parametrize("text", ["[rank 3] loss 2.31 lr 0.0003", "rank 3 joined after 4.2 s", "  forward-compute:"])
def test_other_lines_are_not_taken(text: str) -> None:
    assert RankTimes().feed(Line("job.log", 1, text)) is not Use.USED


@given(st.lists(st.sampled_from([ROWS, "times (ms) of ranks", "  a-b:", "  rank 1: 2.5", "x"]), max_size=30))
def test_any_order_gives_a_result(lines: list[str]) -> None:
    assert all(int(event.groups["steps"]) >= 6 for event in feed(RankTimes, lines))


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    feed(RankTimes, text.splitlines())


TABLES = {
    "commas": ("rank,step,host,fwd_ms,bwd_ms,allreduce_ms\n", "3,{step},gpu07,148.9,297.3,167.2\n"),
    "blanks": ("step  rank  host   forward (ms)  backward (ms)\n", "{step}  3  gpu07  148.9  297.3\n"),
    "bars": ("| rank | host | fwd_ms | bwd_ms |\n|---|---|---|---|\n", "| 3 | gpu07 | 148.9 | 297.3 |\n"),
}


@pytest.mark.parametrize("form", TABLES)
def test_columns_by_their_heading(form: str) -> None:
    heading, row = TABLES[form]
    found = feed(RankTimes, (heading + "".join(row.format(step=10 * n) for n in range(8))).splitlines())
    assert [(e.rank, e.host, e.groups["middle"], "unit" in e.groups) for e in found] == [
        (3, "gpu07", "0.1489", False),
        (3, "gpu07", "0.2973", False),
    ]


def test_a_part_without_a_unit() -> None:
    found = feed(RankTimes, ["rank host fwd lr", *["3 gpu07 148.9 0.001"] * 8])
    assert [(e.groups["part"], e.groups["middle"], e.groups["unit"]) for e in found] == [("fwd", "148.9", "unknown")]


@pytest.mark.parametrize("heading", ["rank,name,score", "rank  size  algbw  busbw", "step,fwd_ms,bwd_ms"])
def test_other_tables_are_none(heading: str) -> None:
    assert feed(RankTimes, [heading, *["3,148.9,297.3"] * 8]) == []


@given(st.lists(st.sampled_from(["rank host fwd lr", "3 gpu07 148.9 0.001", "|---|", "1,2", ROWS]), max_size=20))
def test_any_table_gives_a_result(lines: list[str]) -> None:
    feed(RankTimes, lines)


def _averages(told: str, slow: float = 559.7) -> str:
    rows = "".join(f"  {rank}  n4  {slow if rank == 3 else 412 + rank / 10:.1f}  840.2\n" for rank in range(8))
    return f"{told}\nrank  node  fwd_ms  bwd_ms\n{rows}"


@pytest.mark.parametrize(
    ("told", "ranks"),
    [
        ("Section timing report, 8 ranks, interval 500 steps", 8),
        ("times of each rank, averaged over 200 iterations", 8),
        ("mean of 50 steps on each rank:", 8),
        ("times of each rank, averaged over 2 iterations", 0),
        ("times of each rank in step 500", 0),
        ("rank 3 was lost after 500 steps", 0),
    ],
)
def test_a_row_that_is_the_average_of_many_steps_stands_for_them(told: str, ranks: int) -> None:
    assert len({rank for rank, *_ in _middles(_averages(told))}) == ranks


def test_averages_show_the_rank_that_is_late_and_no_other() -> None:
    told = "Section timing report, 8 ranks, interval 500 steps"
    late, well = (analyze(_averages(told, slow).encode()) for slow in (559.7, 412.3))
    assert [(d.cause, [s.name for s in d.suspects]) for d in late.diagnoses] == [("straggler-gpu", ["3", "n4"])]
    assert well.diagnoses == ()
