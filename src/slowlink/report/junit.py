"""JUnit XML: each rule is a test case, so that a pipeline shows findings as failures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from slowlink.model.report import Finding, Outcome, Report
from slowlink.patterns import regex
from slowlink.report.escape import cleaned
from slowlink.report.view import evidence_lines, found_elsewhere
from slowlink.report.wording import found_by, where

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORMAT = "junit"
_ILLEGAL = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot carry in any form."""
    return _ILLEGAL.sub("", text)


def _evidence_text(finding: Finding) -> str:
    found = found_by(finding.cause, (finding.rule,))
    lines = [f"cause: {finding.cause}, {found}"] if found else []
    if finding.suspects:
        lines.append(f"where: {where(finding.suspects)}")
    for line in evidence_lines(finding.evidence, [suspect.name for suspect in finding.suspects]):
        lines.append(f"{line.place}  {line.text}")
        lines.extend(f"    {remark}" for remark in (line.comparison, line.alike) if remark)
    for remedy in finding.remedy:
        lines.append(f"do: {remedy.text}")
        lines.extend(f"    $ {line}" for line in remedy.command.split("\n") if line.strip())
    return "\n".join(lines)


def _case(suite: Element, name: str) -> Element:
    from xml.etree.ElementTree import SubElement

    return SubElement(suite, "testcase", {"classname": "slowlink", "name": _legal(name), "time": "0"})


def _note(case: Element, tag: str, message: str, kind: str = "", text: str = "") -> None:
    from xml.etree.ElementTree import SubElement

    attributes = {"message": _legal(message)}
    if kind:
        attributes["type"] = _legal(kind)
    SubElement(case, tag, attributes).text = _legal(text) or None


def _rule_case(suite: Element, outcome: Outcome, findings: Iterable[Finding]) -> None:
    case = _case(suite, outcome.rule)
    if outcome.outcome == "found":
        mine = [finding for finding in findings if finding.rule == outcome.rule]
        if not mine:
            _note(case, "failure", outcome.reason or "found", outcome.rule)
        # Many readers keep only one failure of a case.
        elif len(mine) == 1:
            _note(case, "failure", mine[0].message, mine[0].cause, _evidence_text(mine[0]))
        else:
            text = "\n\n".join(f"{finding.message}\n{_evidence_text(finding)}" for finding in mine)
            _note(case, "failure", f"{mine[0].message} (and {len(mine) - 1} more)", mine[0].cause, text)
    elif outcome.outcome == "skipped":
        elsewhere = found_elsewhere(outcome.rule, findings)
        _note(case, "skipped", f"{outcome.reason} ({elsewhere})" if elsewhere else outcome.reason)
    elif outcome.outcome == "broken":
        _note(case, "error", f"the rule itself failed: {outcome.reason}", "broken-rule")


def render_text(report: Report, *, color: bool | None = None, width: int | None = None) -> str:
    """One test suite: a case ``verdict``, which fails unless it is healthy, and a case for each rule."""
    del color, width
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    clean = cleaned(report)
    root = Element("testsuites", {"name": "slowlink"})
    suite = SubElement(root, "testsuite", {"name": "slowlink"})
    verdict = _case(suite, "verdict")
    if clean.verdict != "healthy":
        _note(verdict, "failure", clean.headline, clean.verdict)
    for outcome in clean.outcomes:
        _rule_case(suite, outcome, clean.findings)
    counts = {"tests": len(suite)}
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[attribute] = len(suite.findall(f"testcase/{tag}"))
    for element in (root, suite):
        for attribute, total in counts.items():
            element.set(attribute, str(total))
    suite.set("time", "0")
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
