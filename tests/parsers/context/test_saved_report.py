"""A report that slowlink wrote is no evidence; what stands around it is."""

from __future__ import annotations

from pathlib import Path

from slowlink import analyze, render
from slowlink.parsers.context.saved_report import SavedReport

DOWN = "gpu01:1:2 [0] NCCL WARN NET/IB : Got async event : port error on mlx5_0\n"


def saved(directory: Path) -> str:
    log = directory / "job.log"
    log.write_text("nothing that anybody knows\n")
    return render(analyze(log), "json")


def test_its_rules_are_no_faults(tmp_path: Path) -> None:
    text = saved(tmp_path)
    assert '"rule": "port-down"' in text, "rules are named after faults"
    (tmp_path / "report.json").write_text(text)
    report = analyze(tmp_path / "report.json")
    assert (report.verdict, report.findings) == ("inconclusive", ())


def test_what_stands_around_it_is_read(tmp_path: Path) -> None:
    text = saved(tmp_path)
    for name, whole in (("before.log", DOWN + text), ("behind.log", f"{text}\n{DOWN}")):
        (tmp_path / name).write_text(whole)
        assert [found.rule for found in analyze(tmp_path / name).findings] == ["port-down"]


def test_it_is_one_by_all_its_parts() -> None:
    whole = {"schema": "slowlink.report/1", "slowlink": "0.1", "verdict": "healthy", "headline": "", "outcomes": []}
    assert SavedReport.wants_document(whole)
    assert not any(SavedReport.wants_document({k: v for k, v in whole.items() if k != gone}) for gone in whole)
    assert not SavedReport.wants_document({**whole, "schema": "slowlink.bundle/1"})
    assert not SavedReport.wants_document([whole])
