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
