"""Metrics: their names and labels, what is bounded in them, and the text that the official parser reads back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from history_records import KEY, START
from slowlink.model.baseline import JudgedSeries, Judgement
from slowlink.model.metrics import BesideBaseline, CauseCount, HistoryNow, MetricFamily, NewestRun, NewestValues
from slowlink.model.report import Diagnosis, Report
from slowlink.report.escape import terminal_safe
from slowlink.report.metrics.families import family
from slowlink.report.metrics.history import history_families
from slowlink.report.metrics.labels import LONGEST, by_cause, by_severity, command_label, label
from slowlink.report.metrics.node_check import node_check_families
from slowlink.report.metrics.text import metrics_text

PAGE = (Path(__file__).parents[2] / "docs" / "prometheus.md").read_text(encoding="utf-8")
HOSTILE = 'gpu01"} 1\n# HELP up x\\\x1b[31m\u202e'
RUN = NewestRun(7, START, "run", "hgx_h100", "gpu[01-04]", "degraded", (CauseCount("port-down", "error", 2),))
VALUES = NewestValues(KEY, 7, START, 3, 350.5, 25.0, 330.0, None)
JUDGED = JudgedSeries(KEY, "worse", (Judgement("plateau", None, "GB/s", 350.0, 300.0, 0.86, 0.85, None, "worse", ""),))
NOW = HistoryNow(
    9, (RUN,), (VALUES,), (BesideBaseline("handover", 2, KEY, "worse", JUDGED),), (("runs", 0), ("series", 4))
)


def node_check() -> tuple[MetricFamily, ...]:
    found = Diagnosis("port-down", "a port is down", "mlx5_3", "fabric", "error", "certain")
    report = Report("slowlink.report/1", "0.1.0", "degraded", "degraded", diagnoses=(found, found))
    return node_check_families(report, 1, at=START, took_s=1.5)


def all_families() -> tuple[MetricFamily, ...]:
    """Where everything is known."""
    judged = replace(JUDGED, judgements=(replace(JUDGED.judgements[0], high=0.87),))
    baselines = (replace(NOW.baselines[0], judged=judged),)
    now = replace(NOW, series=(replace(VALUES, expected_high_gbs=380.0),), baselines=baselines)
    return (*history_families(now, "0.1.0", 0.25), *node_check())


def read_back(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """By the official parser."""
    parser = pytest.importorskip("prometheus_client.parser")
    samples = [sample for found in parser.text_string_to_metric_families(text) for sample in found.samples]
    named = {(each.name, tuple(sorted(each.labels.items()))): each.value for each in samples}
    assert len(named) == len(samples)
    return named


def test_the_metrics_of_a_history() -> None:
    lines = metrics_text(history_families(NOW, "0.1.0", 0.25)).splitlines()
    assert [line for line in lines if not line.startswith("#")] == snapshot(
        [
            'slowlink_history_info{version="0.1.0"} 1.0',
            "slowlink_history_readable 1.0",
            "slowlink_history_read_seconds 0.25",
            "slowlink_history_runs 9.0",
            'slowlink_history_left_out{what="runs"} 0.0',
            'slowlink_history_left_out{what="series"} 4.0',
            'slowlink_run_timestamp_seconds{command="run",system="hgx_h100",nodes="gpu[01-04]"} 1700000000.0',
            'slowlink_run_verdict{command="run",system="hgx_h100",nodes="gpu[01-04]",verdict="healthy"} 0.0',
            'slowlink_run_verdict{command="run",system="hgx_h100",nodes="gpu[01-04]",verdict="degraded"} 1.0',
            'slowlink_run_verdict{command="run",system="hgx_h100",nodes="gpu[01-04]",verdict="broken"} 0.0',
            'slowlink_run_verdict{command="run",system="hgx_h100",nodes="gpu[01-04]",verdict="inconclusive"} 0.0',
            'slowlink_run_findings{command="run",system="hgx_h100",nodes="gpu[01-04]",severity="info"} 0.0',
            'slowlink_run_findings{command="run",system="hgx_h100",nodes="gpu[01-04]",severity="warning"} 0.0',
            'slowlink_run_findings{command="run",system="hgx_h100",nodes="gpu[01-04]",severity="error"} 2.0',
            'slowlink_run_findings{command="run",system="hgx_h100",nodes="gpu[01-04]",severity="critical"} 0.0',
            'slowlink_run_cause_findings{command="run",system="hgx_h100",nodes="gpu[01-04]",cause="port-down",severity="error"} 2.0',
            'slowlink_series_info{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",gpu="NVIDIA H100 80GB HBM3",datatype="float",redop="sum",engine="nccl-tests",largest_bytes="8589934592"} 1.0',
            'slowlink_series_runs{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 3.0',
            'slowlink_series_timestamp_seconds{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 1700000000.0',
            'slowlink_series_bus_bandwidth_bytes_per_second{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 350500000000.0',
            'slowlink_series_expected_low_bytes_per_second{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 330000000000.0',
            'slowlink_series_latency_seconds{series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 2.5e-05',
            'slowlink_baseline_version{baseline="handover"} 2.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="worse"} 1.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="broken"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="unread"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="open"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="incomparable"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="same"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="better"} 0.0',
            'slowlink_baseline_outcome{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32",outcome="unmeasured"} 0.0',
            'slowlink_baseline_gain_ratio{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 0.86',
            'slowlink_baseline_gain_low_ratio{baseline="handover",series="a7731d06ab75",system="hgx_h100",nodes="gpu[01-04]",collective="all_reduce",ranks="32"} 0.85',
        ]
    )


def test_the_metrics_of_a_node() -> None:
    assert metrics_text(node_check()) == snapshot("""\
# HELP slowlink_node_check_info The slowlink that checked the node.
# TYPE slowlink_node_check_info gauge
slowlink_node_check_info{version="0.1.0"} 1.0
# HELP slowlink_node_check_state 1 for what the check of the node came to: ok, not_ok (no job should start on it), or unknown.
# TYPE slowlink_node_check_state gauge
slowlink_node_check_state{state="ok"} 0.0
slowlink_node_check_state{state="not_ok"} 1.0
slowlink_node_check_state{state="unknown"} 0.0
# HELP slowlink_node_check_verdict 1 for the verdict of the report on the node.
# TYPE slowlink_node_check_verdict gauge
slowlink_node_check_verdict{verdict="healthy"} 0.0
slowlink_node_check_verdict{verdict="degraded"} 1.0
slowlink_node_check_verdict{verdict="broken"} 0.0
slowlink_node_check_verdict{verdict="inconclusive"} 0.0
# HELP slowlink_node_check_findings Root causes that were found on the node, by severity.
# TYPE slowlink_node_check_findings gauge
slowlink_node_check_findings{severity="info"} 0.0
slowlink_node_check_findings{severity="warning"} 0.0
slowlink_node_check_findings{severity="error"} 2.0
slowlink_node_check_findings{severity="critical"} 0.0
# HELP slowlink_node_check_cause_findings Root causes that were found on the node, by cause.
# TYPE slowlink_node_check_cause_findings gauge
slowlink_node_check_cause_findings{cause="port-down",severity="error"} 2.0
# HELP slowlink_node_check_timestamp_seconds When the node was asked, Unix time.
# TYPE slowlink_node_check_timestamp_seconds gauge
slowlink_node_check_timestamp_seconds 1700000000.0
# HELP slowlink_node_check_duration_seconds How long the check took.
# TYPE slowlink_node_check_duration_seconds gauge
slowlink_node_check_duration_seconds 1.5
""")


def test_of_a_history_that_cannot_be_read_nothing_is_told() -> None:
    lines = metrics_text(history_families(None, "0.1.0", 0.25)).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        'slowlink_history_info{version="0.1.0"} 1.0',
        "slowlink_history_readable 0.0",
        "slowlink_history_read_seconds 0.25",
    ]


def test_every_metric_and_label_is_documented_and_nothing_else() -> None:
    rows = re.findall(r"^\| `(slowlink_\w+)` \|([^|]*)\|", PAGE, re.MULTILINE)
    documented = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    assert len(documented) == len(rows)
    told = {each.name: {name for sample in each.samples for name, _ in sample.labels} for each in all_families()}
    assert documented == told


def test_the_library_tells_the_same_in_both_formats() -> None:
    """Over HTTP the official library writes them; read back, they are what the files hold."""
    pytest.importorskip("prometheus_client")
    from slowlink.workflows.metrics.server import metrics_app

    def served(accept: str) -> str:
        environ = {"PATH_INFO": "/metrics", "REQUEST_METHOD": "GET", "HTTP_ACCEPT": accept}
        return b"".join(metrics_app(all_families)(environ, lambda *_: print)).decode()

    own = read_back(metrics_text(all_families()))
    assert read_back(served("text/plain")) == own
    openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")
    found = openmetrics.text_string_to_metric_families(served("application/openmetrics-text; version=1.0.0"))
    samples = [sample for each in found for sample in each.samples]
    assert {(each.name, tuple(sorted(each.labels.items()))): each.value for each in samples} == own


def test_names_and_units_are_those_of_prometheus() -> None:
    for each in all_families():
        assert re.fullmatch(r"slowlink_[a-z]+(_[a-z]+)*", each.name)
        assert each.help.endswith(".") or each.help.endswith("; 1.")
        assert each.name.endswith(each.unit)
        assert each.unit in ("", "seconds", "bytes_per_second", "ratio")
        assert not each.name.endswith(("_total", "_count", "_sum", "_bucket"))


@given(st.lists(st.text(), max_size=5), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_is_read_back_as_it_was(texts: list[str], value: float) -> None:
    made = family("slowlink_x", "Any\\ text\nof two lines.", ("name",), (((label(each),), value) for each in texts))
    assert read_back(metrics_text([made])) == {("slowlink_x", (("name", label(each)),)): value for each in texts}


@given(st.text(max_size=300))
def test_a_label_is_short_and_plain(text: str) -> None:
    value = label(text)
    assert len(value) <= LONGEST
    assert terminal_safe(value) == value
    assert value.encode("utf-8").decode() == value


def test_two_names_never_become_one() -> None:
    assert label("gpu[01-04]") == "gpu[01-04]"
    assert label("n" * 500 + "1") != label("n" * 500 + "2")
    assert label("a\x1b") != label("a\\x1b")


def test_what_a_stranger_chose_makes_no_series_of_its_own() -> None:
    """A command, a cause or a severity that there is not would be a new series of Prometheus each time."""
    assert [command_label(each) for each in ("run", "node-check", HOSTILE, "x" * 99, "")] == [
        "run",
        "node-check",
        *["other"] * 3,
    ]
    made_up = [CauseCount(f"cause-{number}", "fatal", 1) for number in range(1000)]
    assert by_cause(made_up) == {("other", "other"): 1000}
    assert by_severity(made_up) == {"info": 0, "warning": 0, "error": 0, "critical": 0, "other": 1000}


def test_a_report_with_very_many_causes_is_cut_and_nothing_lost() -> None:
    from slowlink.catalog.causes import all_causes

    found = by_cause([CauseCount(cause, "error", 1) for cause in all_causes()])
    assert len(found) == 21
    assert sum(found.values()) == len(all_causes())


def test_rows_that_became_alike_are_told_once() -> None:
    """Two samples of one name and one set of labels: node_exporter would refuse the whole file."""
    runs = (replace(RUN, command=HOSTILE), replace(RUN, command="RUN!", verdict="broken"))
    families = history_families(replace(NOW, newest_runs=runs), "0.1.0", 0.25)
    told = read_back(metrics_text(families))
    verdicts = {
        dict(labels)["verdict"]: value for (name, labels), value in told.items() if name.endswith("run_verdict")
    }
    assert verdicts == {"healthy": 0, "degraded": 1, "broken": 0, "inconclusive": 0}


def test_a_verdict_that_there_is_not_is_never_healthy() -> None:
    families = history_families(replace(NOW, newest_runs=(replace(RUN, verdict="fine"),)), "0.1.0", 0.25)
    told = read_back(metrics_text(families))
    assert [
        dict(labels)["verdict"] for (name, labels), value in told.items() if name.endswith("_verdict") and value
    ] == ["inconclusive"]
