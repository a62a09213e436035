from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import UsageError
from click.testing import CliRunner

from slowlink.cli.report import command
from slowlink.errors import SlowlinkError
from slowlink.report import render
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.workflows.analyze import analyze


def run(*words: str) -> str:
    result = CliRunner().invoke(command, words, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, str]:
    """A report as JSON, and the terminal's text of it."""
    (tmp_path / "job.log").write_text(job_log(SimulatedJob()))
    report = analyze(tmp_path / "job.log")
    (tmp_path / "report.json").write_text(render(report, "json"))
    return tmp_path / "report.json", render(report, "terminal")


def test_a_saved_report_reads_as_the_first_time(saved: tuple[Path, str]) -> None:
    path, text = saved
    assert run(str(path)).rstrip() == text.rstrip()
    assert json.loads(run(str(path), "--format", "json")) == json.loads(path.read_text())


def test_the_schema() -> None:
    assert json.loads(run("--schema"))["title"]


def test_nothing_to_do() -> None:
    with pytest.raises(UsageError, match="--schema"):
        run()


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (b"", "report-unreadable"),
        (b"\xff\xfe", "report-unreadable"),
        (b"{", "report-unreadable"),
        (b"[" * 100_000, "report-unreadable"),
        (b"[]", "report-unknown"),
        (b'{"schema": "other/1"}', "report-unknown"),
        (b'{"schema": "slowlink.report/99"}', "report-too-new"),
        (b'{"schema": "slowlink.report/1", "verdict": 7}', "report-invalid"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: bytes, slug: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text)
    with pytest.raises(SlowlinkError) as error:
        run(str(file))
    assert error.value.slug == slug


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError, match=r"absent\.json"):
        run(str(tmp_path / "absent.json"))


def test_a_report_without_end_is_an_error_with_words(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    result = CliRunner().invoke(command, [str(path)], standalone_mode=False)
    assert isinstance(result.exception, SlowlinkError)
    assert "it holds more than 64 MiB" in result.exception.message
