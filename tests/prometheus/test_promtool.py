"""What promtool says of the metrics, the alerts and the configuration; skipped where it is not installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from prometheus_server import program
from prometheus_situation import kept_history, sick_node
from slowlink.cli.main import cli
from slowlink.report.metrics.text import metrics_text

FILES = Path(__file__).parents[2] / "docs" / "prometheus"


def promtool(*words: str, given: str = "") -> None:
    done = subprocess.run([program("promtool"), *words], input=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("FAILED") + done.stderr.count("FAILED")) == (0, 0), done
    if given:
        assert done.stdout + done.stderr == ""  # what it would have otherwise, it says there


def test_the_metrics_are_as_they_should_be(tmp_path: Path) -> None:
    place = kept_history(tmp_path)
    printed = CliRunner().invoke(cli, ["exporter", "--once", "--store", str(place)], standalone_mode=False)
    assert "slowlink_baseline_gain_high_ratio{" in printed.stdout
    promtool("check", "metrics", given=printed.stdout)
    promtool("check", "metrics", given=metrics_text(sick_node()))


def test_promtool_would_say_what_is_wrong() -> None:
    with pytest.raises(AssertionError):
        promtool("check", "metrics", given="# TYPE slowlink_x_total gauge\nslowlink_x_total 1\n")


def test_the_alerts_and_the_configuration_are_taken() -> None:
    promtool("check", "config", str(FILES / "prometheus.yml"))
    promtool("check", "rules", str(FILES / "alerts.yml"))


def test_alerts_begin_and_end_when_they_should() -> None:
    promtool("test", "rules", str(Path(__file__).with_name("alerts_test.yml")))
