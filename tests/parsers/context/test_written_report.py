"""What slowlink wrote lies beside the logs when they are read again, and quotes every fault that it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from accept import records
from slowlink import analyze, render
from slowlink.comparison.compare import compare
from slowlink.parsers.context.written_report import WrittenReport
from slowlink.report.acceptance import table
from slowlink.report.comparison_text import comparison_markdown
from slowlink.report.history import runs, series

DOWN = "gpu01:1:2 [0] NCCL WARN NET/IB : Got async event : port error on mlx5_0\n"
KIND = "written by slowlink: what it was made of is the evidence"


@pytest.mark.parametrize("suffix", ["html", "md", "xml"])
def test_a_report_beside_its_log_adds_nothing(suffix: str, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(DOWN)
    alone = analyze(tmp_path)
    name = {"md": "markdown", "xml": "junit"}.get(suffix, suffix)
    (tmp_path / f"answer.{suffix}").write_text(render(alone, name))
    both = analyze(tmp_path)
    assert both.findings == alone.findings
    assert both.headline == alone.headline
    assert [each.problem for each in both.inputs if each.path.endswith(suffix)] == [KIND]


def test_it_alone_says_nothing(tmp_path: Path) -> None:
    log, page = tmp_path / "job.log", tmp_path / "answer.html"
    log.write_text(DOWN)
    page.write_text(render(analyze(log), "html"))
    report = analyze(page)
    assert (report.verdict, report.findings) == ("inconclusive", ())


def test_tables_and_comparisons_are_known_by_how_they_begin(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(DOWN)
    compared = comparison_markdown(compare(analyze(log), analyze(log)))
    written = (compared, table.table_text(records.record()), runs.runs_csv([], 0), series.series_csv([]))
    assert all(WrittenReport.wants_start(text.encode()[:64]) for text in written)


@pytest.mark.parametrize(
    "text", ["<!doctype html>\n<html>", '<?xml version="1.0"?>\n<testsuites name="pytest">', "id,at\n"]
)
def test_what_others_wrote_is_read(text: str) -> None:
    assert not WrittenReport.wants_start(text.encode())


@pytest.mark.parametrize("name", ["html", "markdown", "junit"])
def test_what_stands_behind_a_page_makes_nothing_healthy(name: str, tmp_path: Path) -> None:
    (tmp_path / "steps.log").write_text("".join(f"step {no} step_time 1.2 s loss 2.5\n" for no in range(2_000)))
    page = tmp_path / "answer.txt"
    page.write_text(render(analyze(tmp_path), name))
    assert analyze(tmp_path).verdict == "healthy"
    page.write_text(page.read_text() + DOWN * 2)
    both = analyze(tmp_path)
    lines = page.read_text().count("\n")
    assert both.verdict == "inconclusive"
    assert [each.problem for each in both.inputs if each.path.endswith("answer.txt")] == [
        f"written by slowlink, but 2 lines in it are none of that (the first is line {lines - 1}), and "
        "nothing of it was read: take them out"
    ]


def test_rows_that_are_none_of_the_table_are_named() -> None:
    table = b'id,at,at_basis,command,verdict,why\r\n1,2,log,"a ""b""\nc, d",healthy,x\r\n'
    whole = WrittenReport().read(iter([table, table[:20], table[20:]]), "runs.csv")
    assert whole == ([], None)
    with_log = WrittenReport().read(iter([table + DOWN.encode()]), "runs.csv")
    assert with_log[1] is not None
    assert "(the first is line 4)" in with_log[1]


def test_pages_one_behind_the_other_are_ours() -> None:
    page = "<!-- written by slowlink -->\n## BROKEN: x\n\n<sub>slowlink 0.1.0</sub>\n"
    assert WrittenReport().read(iter([(page * 3).encode()]), "all.md") == ([], None)
    assert not WrittenReport.wants_start(b"<!-- written by slowlink -->\n" + DOWN.encode()[:30])


@pytest.mark.parametrize("suffix", ["html", "md", "xml"])
def test_a_page_without_an_end_makes_nothing_healthy(suffix: str, tmp_path: Path) -> None:
    """Behind its first lines, or those of a second page, may stand a log."""
    log = tmp_path / "job.log"
    log.write_text(DOWN)
    page = render(analyze(log), {"md": "markdown", "xml": "junit"}.get(suffix, suffix))
    log.unlink()
    for text in (page[:600] + "\n" + DOWN, page + "\n" + page[:600] + "\n" + DOWN):
        (tmp_path / f"answer.{suffix}").write_text(text)
        report = analyze(tmp_path)
        assert [each.partial for each in report.inputs] == [True]
        assert report.verdict == "inconclusive"
