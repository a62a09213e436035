"""What ``import slowlink`` promises."""

from __future__ import annotations

import subprocess
import sys
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


def test_the_import_alone_loads_nothing_heavy() -> None:
    code = "import sys, slowlink; print([m for m in ('click', 'numpy', 'rich', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
