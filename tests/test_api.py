"""What ``import slowlink`` promises."""

from __future__ import annotations

import json
import pydoc
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import slowlink
from slowlink.catalog.given import given_hardware
from slowlink.simulate.job import SimulatedJob, job_log


def test_the_example_of_the_docstring(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(job_log(SimulatedJob(plateau_gbs=186.0)))
    report = slowlink.analyze(log)
    assert isinstance(report, slowlink.Report)
    assert report.verdict == "healthy"
    assert report == slowlink.analyze(str(log)) == slowlink.analyze([log])
    frame = slowlink.points_frame(report)
    assert len(frame) == sum(len(sweep.points) for sweep in report.sweeps)
    assert "<html" in slowlink.render(report, "html")


def test_a_path_that_is_not_there_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(slowlink.SlowlinkError) as error:
        slowlink.analyze(tmp_path / "absent.log")
    assert error.value.slug == "input-not-found"
    assert "absent.log" in str(error.value)


def test_tolerances_reach_the_rules(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(job_log(SimulatedJob(plateau_gbs=46.0, shape={1 << 30: 0.64})))
    hardware = given_hardware(nics="2x200")
    assert not slowlink.analyze(log, hardware=hardware).findings
    strict = slowlink.analyze(log, hardware=hardware, tolerances={"bandwidth-shape": {"dip_share": 0.9}})
    assert [finding.cause for finding in strict.findings] == ["bandwidth-unstable"]


@pytest.mark.parametrize(
    ("tolerances", "slug"),
    [
        ({"bandwidth-shap": {}}, "unknown-rule"),
        ({"bandwidth-shape": {"dip": 0.9}}, "unknown-tolerance"),
        ({"bandwidth-shape": {"dip_share": "0.9"}}, "config-invalid"),
        ({"pair-survey": {"fewest_pairs": 2.5}}, "config-invalid"),
    ],
)
def test_tolerances_that_no_rule_has(tmp_path: Path, tolerances: dict[str, dict[str, object]], slug: str) -> None:
    """Also where the rule itself has nothing to look at."""
    log = tmp_path / "job.log"
    log.write_text("nothing of interest\n")
    with pytest.raises(slowlink.SlowlinkError) as error:
        slowlink.analyze(log, tolerances=tolerances)
    assert error.value.slug == slug


def test_everything_public_is_there_and_nothing_else() -> None:
    for name in slowlink.__all__:
        assert getattr(slowlink, name) is not None
    assert set(dir(slowlink)) == {*slowlink.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        _ = slowlink.analyse


def test_help_knows_everything_public() -> None:
    """The annotation of one name could not be resolved: help(slowlink) ended with a NameError."""
    shown = pydoc.plain(pydoc.render_doc(slowlink))
    assert all(name in shown for name in slowlink.__all__)
    assert [name for name in slowlink.__all__ if not (getattr(slowlink, name).__doc__ or "").strip()] == []


def test_lines_come_in_a_list_or_as_they_come() -> None:
    text = job_log(SimulatedJob(plateau_gbs=186.0))
    whole = slowlink.analyze(text.encode())
    assert whole.verdict == "healthy"
    assert slowlink.analyze(text.splitlines(keepends=True)) == whole
    assert slowlink.analyze(iter(text.splitlines())) == whole
    with pytest.raises(slowlink.SlowlinkError) as error:
        slowlink.analyze(text.splitlines())
    assert (error.value.slug, error.value.hint) == (
        "input-not-found",
        "a list holds paths; lines of a log come as an iterator: iter(lines)",
    )


@pytest.mark.parametrize("given", [3, None, {}, {"job.log": 1}])
def test_what_is_no_log_is_refused(given: object) -> None:
    with pytest.raises(slowlink.SlowlinkError, match="cannot read a"):
        slowlink.analyze(given)  # type: ignore[arg-type]


def test_a_report_shows_itself_in_a_line_and_in_a_notebook() -> None:
    report = slowlink.analyze(job_log(SimulatedJob(plateau_gbs=9.4)).encode(), hardware="hgx_h100")
    assert repr(report).startswith("<Report degraded: ")
    assert "; causes: " in repr(report)
    assert len(repr(report)) < 600
    shown = report._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert shown.count("<") == 2  # the frame and its end: nothing of the page stands outside


def test_a_report_comes_back_from_json() -> None:
    report = slowlink.analyze(job_log(SimulatedJob(plateau_gbs=9.4)).encode(), hardware="hgx_h100")
    text = slowlink.render(report, "json")
    assert slowlink.Report.from_json(text) == slowlink.Report.from_json(text.encode()) == report
    assert slowlink.Report.from_json(json.loads(text)) == slowlink.report_from_json(text) == report
    no_reports: list[str | bytes | dict[str, object]] = ["job.log", "[1]", {}, b"\xff"]
    for wrong in no_reports:
        with pytest.raises(slowlink.SlowlinkError) as error:
            slowlink.Report.from_json(wrong)
        assert error.value.slug == "report-unknown"


def test_reports_and_logs_are_compared(tmp_path: Path) -> None:
    slow, fast = (job_log(SimulatedJob(plateau_gbs=plateau)) for plateau in (93.0, 186.0))
    (tmp_path / "old.log").write_text(fast)
    found = slowlink.compare(tmp_path / "old.log", slowlink.analyze(slow.encode()))
    assert isinstance(found, slowlink.Comparison)
    assert (found.outcome, found.new.name, found.old.name) == ("slower", "new", str(tmp_path / "old.log"))
    assert slowlink.compare(slow.encode(), slow.encode()).outcome == "same"
    barely = job_log(SimulatedJob(plateau_gbs=179.0)).encode()
    assert slowlink.compare(fast.encode(), barely).outcome == "same"
    assert slowlink.compare(fast.encode(), barely, busbw_tolerance=0.01).outcome == "slower"


def test_what_hardware_should_give() -> None:
    found = slowlink.expected("hgx_h200", nodes=4, collective="AllReduce")
    assert (found.collective, found.nranks, found.nnodes, found.algorithm) == ("all_reduce", 32, 4, "ring")
    assert found.degraded_below_gbs < found.busbw_gbs < found.bound_gbs == pytest.approx(392.4, abs=0.1)
    assert "8 x 400 Gb/s" in found.basis
    assert found.reaches(380.0)[0]
    assert not found.reaches(450.0)[0]
    assert {"busbw", "half_peak_size"} <= {each.quantity for each in found.expectations}
    with pytest.raises(slowlink.SlowlinkError) as error:
        slowlink.expected("hgx_h10")
    assert error.value.slug == "unknown-system"
    with pytest.raises(slowlink.SlowlinkError) as error:
        slowlink.expected(slowlink.hardware(gpu="a100-sxm", gpus_per_node=8), nodes=2)
    assert error.value.slug == "no-hardware"


def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/python.md, word by word."""
    monkeypatch.chdir(tmp_path)
    log = job_log(SimulatedJob(plateau_gbs=9.4))
    for name in ("node07.log", "bench/run.log", "before.log", "after.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(log)
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text()
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M)
    code = "\n".join(textwrap.dedent(block) for block in blocks)
    assert "import slowlink" in code
    exec(compile(code, "docs/python.md", "exec"), {})
    assert (tmp_path / "report.html").exists()


def test_the_import_alone_loads_nothing_heavy() -> None:
    code = "import sys, slowlink; print([m for m in ('click', 'numpy', 'rich', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
