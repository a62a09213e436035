from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest
from msgspec.structs import replace
from sample_reports import DEGRADED_HEADLINE, SAMPLES, degraded

from slowlink import exits
from slowlink.model.report import Report
from slowlink.report import render


def suite(report: Report) -> Element:
    found = fromstring(render(report, "junit")).find("testsuite")
    assert found is not None
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_counts_are_those_of_the_cases(name: str) -> None:
    report = SAMPLES[name]()
    element = suite(report)
    cases = element.findall("testcase")
    assert len(cases) == len(report.outcomes) + 1 == int(element.attrib["tests"])
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(element.attrib[attribute]) == len(element.findall(f"testcase/{tag}"))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_verdict_passes_where_the_exit_status_does(name: str) -> None:
    report = SAMPLES[name]()
    status = exits.decide(report.verdict, [each.severity for each in report.diagnoses])
    case = suite(report).find("testcase[@name='verdict']")
    assert case is not None
    assert [note.tag for note in case] == {0: ["system-out"], 1: ["failure"], 3: ["error"]}[status]


def test_a_finding_is_a_failure_with_its_evidence() -> None:
    element = suite(degraded())
    failure = element.find("testcase[@name='gdr-disabled']/failure")
    assert failure is not None
    assert failure.attrib["type"] == "gdr-disabled"
    assert "job.log:41  node07:2211" in (failure.text or "")
    assert "$ sudo modprobe nvidia_peermem" in (failure.text or "")
    verdict = element.find("testcase[@name='verdict']/failure")
    assert verdict is not None
    assert verdict.attrib["message"] == DEGRADED_HEADLINE


def test_skipped_and_broken_are_neither_passed_nor_failed() -> None:
    element = suite(SAMPLES["broken"]())
    skipped = element.find("testcase[@name='busbw-below-expected']/skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "needs sweeps: no benchmark table was found"
    error = element.find("testcase[@name='rank-lost']/error")
    assert error is not None
    assert error.attrib["message"] == "the rule itself failed: KeyError: 'rank'"


def test_two_findings_of_one_rule_are_one_failure() -> None:
    report = degraded()
    twice = replace(report, findings=(*report.findings, report.findings[0]))
    failures = suite(twice).findall("testcase[@name='gdr-disabled']/failure")
    assert len(failures) == 1
    assert failures[0].attrib["message"].endswith("(and 1 more)")
