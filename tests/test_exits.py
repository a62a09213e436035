"""Exit codes: one function decides for every command, and every format says what it says."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

from slowlink import exits
from slowlink.bundle import BundleWriter
from slowlink.model.plan import Ended
from slowlink.model.report import Diagnosis, Finding, Outcome, Report, Severity, Verdict
from slowlink.report import render
from slowlink.workflows.analyze import analyze

_WORST: dict[str, Severity | None] = {
    "healthy": None,
    "degraded": "error",
    "broken": "critical",
    "inconclusive": None,
}


def _report(verdict: Verdict, severity: Severity | None, **facts: object) -> Report:
    """A report with one finding of this severity, or none."""
    found: tuple[Finding, ...] = ()
    if severity is not None:
        found = (Finding("ssh-failed", "no ssh", "node1 refused", "launch", severity, "certain", rule="ssh-failed"),)
    return Report(
        "slowlink.report/1",
        "0",
        verdict,
        f"{verdict}: in one sentence",
        diagnoses=tuple(Diagnosis.of(each) for each in found),
        findings=found,
        outcomes=(Outcome("ssh-failed", "found" if found else "passed"),),
        facts=dict(facts),
    )


def _tags(report: Report, fail_on: str) -> set[str]:
    """What a reader of JUnit sees."""
    suite = fromstring(render(report, "junit", fail_on=fail_on))
    return {tag for tag in ("failure", "error") if suite.findall(f".//{tag}")}


_EXPECTED = {
    "critical": {"broken": 1, "degraded": 0, "healthy": 0, "inconclusive": 3},
    "error": {"broken": 1, "degraded": 1, "healthy": 0, "inconclusive": 3},
    "warning": {"broken": 1, "degraded": 1, "healthy": 0, "inconclusive": 3},
    "info": {"broken": 1, "degraded": 1, "healthy": 0, "inconclusive": 3},
    "never": {"broken": 0, "degraded": 0, "healthy": 0, "inconclusive": 3},
}


@pytest.mark.parametrize(("verdict", "fail_on"), list(product(get_args(Verdict), exits.FAIL_ON)))
def test_status_and_junit_of_every_verdict_at_every_threshold(verdict: Verdict, fail_on: str) -> None:
    severity = _WORST[verdict]
    status = exits.decide(verdict, [severity] if severity else [], fail_on)
    assert status == _EXPECTED[fail_on][verdict]
    assert _tags(_report(verdict, severity), fail_on) == {0: set(), 1: {"failure"}, 3: {"error"}}[status]


@pytest.mark.parametrize(
    ("verdict", "severity", "fail_on", "status"),
    [
        ("healthy", "warning", "error", 0),
        ("healthy", "warning", "warning", 1),
        ("inconclusive", "warning", "error", 3),
        ("inconclusive", "warning", "warning", 1),
        ("inconclusive", "info", "never", 3),
    ],
)
def test_a_finding_below_the_threshold_is_told_and_fails_nothing(
    verdict: Verdict, severity: Severity, fail_on: str, status: int
) -> None:
    report = _report(verdict, severity)
    assert exits.decide(verdict, [severity], fail_on) == status
    assert _tags(report, fail_on) == {0: set(), 1: {"failure"}, 3: {"error"}}[status]
    assert "node1 refused" in render(report, "junit", fail_on=fail_on)


@pytest.mark.parametrize(
    ("gates", "thresholds", "verdict", "status"),
    [
        ((0,), 0, "healthy", 0),
        ((0,), 0, "inconclusive", 3),
        ((0, 0), 1, "inconclusive", 0),
        ((0, 0), 0, "inconclusive", 3),  # two collectives, each measured: nobody said what is expected
        ((3,), 0, "healthy", 3),
        ((3, 1), 1, "healthy", 1),
        ((3, 3), 1, "inconclusive", 3),
        ((0, 1), 1, "healthy", 1),
    ],
)
def test_gates_of_a_run_decide_with_the_verdict(
    gates: tuple[int, ...], thresholds: int, verdict: Verdict, status: int
) -> None:
    assert exits.decide(verdict, gates=gates, thresholds=thresholds > 0) == status
    told = [
        {"name": f"gate {number}", "status": gate, "message": "said", "threshold": number >= len(gates) - thresholds}
        for number, gate in enumerate(gates)
    ]
    tags = _tags(_report(verdict, None, gates=told), "error")
    assert ("failure" in tags) == (status == 1)
    assert bool(tags) == (status != 0)


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_an_interrupt_is_130_and_no_failure_whatever_else_is_there(verdict: Verdict) -> None:
    severity = _WORST[verdict]
    assert exits.decide(verdict, [severity] if severity else [], "info", gates=(1, 3), interrupted=True) == 130
    report = _report(verdict, severity, launches=[{"reason": "interrupted"}])
    assert _tags(report, "info") == {"error"}
    assert 'type="interrupted"' in render(report, "junit", fail_on="info")


@pytest.mark.parametrize("format_", ["terminal", "json", "markdown", "html"])
def test_other_formats_say_the_same_at_every_threshold(format_: str) -> None:
    report = replace(_report("degraded", "error"))
    assert len({render(report, format_, fail_on=fail_on, width=100) for fail_on in exits.FAIL_ON}) == 1


_TABLE = """\
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1
# Using devices
#  Rank  0 Group  0 Pid   4100 on     node1 device  0 [0000:19:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4101 on     node1 device  1 [0000:3b:00] NVIDIA H100 80GB HBM3
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""


@pytest.mark.parametrize("rows", ["", "     1048576        262144     float     sum      -1    26.21   40.01"])
def test_an_interrupted_bundle_says_so_and_accuses_nobody(tmp_path: Path, rows: str) -> None:
    with BundleWriter(tmp_path / "b", command=["slowlink", "run"]) as bundle:
        with bundle.capture("run-1", "collective", ["mpirun", "-np", "2", "all_reduce_perf"]) as capture:
            capture.write_stdout(_TABLE + rows)
            capture.write_stderr("mpirun noticed that process rank 1 with PID 4101 on node node1 exited on signal 9.\n")
            capture.end(Ended(None, 15, "interrupted", 0.0, 12.4, "ended by SIGINT"))
        bundle.finish()
    report = analyze(str(tmp_path / "b"))
    assert report.verdict == "inconclusive"
    assert report.headline == (
        "inconclusive: interrupted after 12 s: somebody ended the run; nothing is known of what was still to come"
    )
    assert {each.severity for each in report.diagnoses} <= {"info"}
    assert [each.suspects for each in report.diagnoses] == [()] * len(report.diagnoses)
