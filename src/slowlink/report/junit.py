"""JUnit XML: each rule is a test case, so that a pipeline shows findings as failures.

It says what the exit status says (`slowlink.exits.decide`): a ``<failure>`` is there exactly when the status is 1, an
``<error>`` in the case ``verdict`` when nothing can be said. A finding below ``--fail-on`` is told, and fails nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slowlink import exits
from slowlink.model.report import Finding, Job, Outcome, Report
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
    if finding.job:
        lines.append(f"of: {finding.job}")
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


class _Gate(NamedTuple):
    """What ``run`` was asked to hold: a threshold, or that everything was measured."""

    name: str
    status: int
    message: str
    threshold: bool


def _gates(report: Report) -> list[_Gate]:
    """The gates that stand in the facts of a report of ``run``."""
    told = report.facts.get("gates")
    found = [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []
    return [
        _Gate(str(each.get("name", "")), status, str(each.get("message", "")), each.get("threshold") is True)
        for each in found
        if isinstance(status := each.get("status"), int)
    ]


def _interrupted(report: Report) -> bool:
    """Did somebody end a launch of this run?"""
    launches = report.facts.get("launches")
    told = launches if isinstance(launches, list) else []
    return any(isinstance(each, dict) and each.get("reason") == "interrupted" for each in told)


def _told(case: Element, text: str) -> None:
    """Words that neither pass nor fail."""
    from xml.etree.ElementTree import SubElement

    SubElement(case, "system-out").text = _legal(text)


def _verdict_case(suite: Element, report: Report, status: int) -> None:
    case = _case(suite, "verdict")
    if status == exits.FINDINGS:
        _note(case, "failure", report.headline, report.verdict)
    elif status == exits.HEALTHY:
        _told(case, report.headline)
    else:
        _note(case, "error", report.headline, "interrupted" if status == exits.INTERRUPTED else "inconclusive")


def _job_case(suite: Element, job: Job, report: Report, fail_on: str) -> None:
    """What the whole report would be if it were of this job alone."""
    case = _case(suite, job.label)
    status = exits.decide(job.verdict, [d.severity for d in report.diagnoses if d.job == job.label], fail_on)
    if status == exits.FINDINGS:
        _note(case, "failure", job.headline, job.verdict)
    elif status == exits.INCONCLUSIVE and job.kind == "job":
        _note(case, "error", job.headline, job.verdict)
    else:
        _told(case, job.headline)


def _gate_case(suite: Element, gate: _Gate, status: int) -> None:
    case = _case(suite, f"gate: {gate.name}")
    if gate.status == exits.FINDINGS and status == exits.FINDINGS:
        _note(case, "failure", gate.message, "gate")
    elif gate.status == exits.HEALTHY:
        _told(case, gate.message)
    else:
        _note(case, "error", gate.message, "not-measured")


def _rule_case(suite: Element, outcome: Outcome, findings: Iterable[Finding], fail_on: str) -> None:
    """``fail_on``: `exits.NEVER` where the whole report passes."""
    case = _case(suite, outcome.rule)
    if outcome.outcome == "found":
        mine = [finding for finding in findings if finding.rule == outcome.rule]
        worst = [finding for finding in mine if exits.fails(finding.severity, fail_on)]
        # Many readers keep only one failure of a case.
        if worst:
            more = f" (and {len(mine) - 1} more)" if len(mine) > 1 else ""
            _note(case, "failure", f"{worst[0].message}{more}", worst[0].cause, _findings_text(mine))
        else:
            told = [f"{finding.severity}: {finding.message}\n{_evidence_text(finding)}" for finding in mine]
            _told(case, "\n\n".join(told) or outcome.reason or "found")
    elif outcome.outcome == "skipped":
        elsewhere = found_elsewhere(outcome.rule, findings)
        _note(case, "skipped", f"{outcome.reason} ({elsewhere})" if elsewhere else outcome.reason)
    elif outcome.outcome == "broken":
        _note(case, "error", f"the rule itself failed: {outcome.reason}", "broken-rule")


def _findings_text(mine: Sequence[Finding]) -> str:
    if len(mine) == 1:
        return _evidence_text(mine[0])
    return "\n\n".join(f"{finding.message}\n{_evidence_text(finding)}" for finding in mine)


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = exits.DEFAULT_FAIL_ON
) -> str:
    """One test suite: a case ``verdict``, which fails where the exit status is 1, one for each gate and each rule."""
    del color, width
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    clean = cleaned(report)
    root = Element("testsuites", {"name": "slowlink"})
    suite = SubElement(root, "testsuite", {"name": "slowlink"})
    gates = _gates(clean)
    status = exits.decide(
        clean.verdict,
        [each.severity for each in clean.diagnoses],
        fail_on,
        gates=[gate.status for gate in gates],
        thresholds=any(gate.threshold for gate in gates),
        interrupted=_interrupted(clean),
    )
    _verdict_case(suite, clean, status)
    for gate in gates:
        _gate_case(suite, gate, status)
    for job in clean.jobs:
        _job_case(suite, job, clean, fail_on)
    for outcome in clean.outcomes:
        _rule_case(suite, outcome, clean.findings, fail_on if status == exits.FINDINGS else exits.NEVER)
    counts = {"tests": len(suite)}
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[attribute] = len(suite.findall(f"testcase/{tag}"))
    for element in (root, suite):
        for attribute, total in counts.items():
            element.set(attribute, str(total))
    suite.set("time", "0")
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
