"""Manifests to a report: what stands against them before anything runs. It measures nothing, and proves no health."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slowlink import __version__
from slowlink.lint.checks import run
from slowlink.lint.reading import read
from slowlink.lint.variables import settings
from slowlink.lint.workload import Manifest
from slowlink.model.facts import Environment, Facts, Sources
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Diagnosis, Finding, InputSummary, Outcome, Remedy, Report, Verdict
from slowlink.report.json import SCHEMA
from slowlink.rules import engine
from slowlink.rules.diagnosis import SEVERITIES, ranked

_APART = "pods-not-joined"

_NOTHING_RAN = "nothing was run, so this says nothing about speed: slowlink run COLLECTIVE --on kubernetes measures"


def lint(texts: Sequence[tuple[str, str]]) -> Report:
    """``texts``: name and text of each input. Raises SlowlinkError: ``not-yaml``, ``nothing-to-lint``."""
    manifests = [read(name, text) for name, text in texts]
    findings, outcomes = run(manifests)
    given = [each for manifest in manifests for each in settings(manifest)]
    by_rules, told = _by_rules(given) if given else ([], [])
    findings += by_rules
    diagnoses = _ordered(dict.fromkeys(map(Diagnosis.of, findings)))
    return Report(
        schema=SCHEMA,
        slowlink=__version__,
        verdict=_verdict(diagnoses),
        headline=_headline(manifests, diagnoses, len(outcomes) + len(told)),
        diagnoses=diagnoses,
        findings=tuple(findings),
        outcomes=(*outcomes, *told),
        inputs=tuple(_input(name, text) for name, text in texts),
        facts={"workloads": [each.title for manifest in manifests for each in manifest.workloads]},
    )


def _ordered(diagnoses: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """As everywhere, but of those that are equally bad what keeps pods apart comes first: without it nothing is
    measured that the rest could spoil."""
    key = [*reversed(SEVERITIES)].index
    return tuple(sorted(ranked(diagnoses), key=lambda each: (key(each.severity), each.cause != _APART)))


def _by_rules(given: Sequence[EnvSetting]) -> tuple[list[Finding], list[Outcome]]:
    """What the rules that need settings alone say of those that are given to ranks."""
    values: dict[str, tuple[str, ...]] = {}
    for each in given:
        values[each.name] = tuple(dict.fromkeys((*values.get(each.name, ()), each.value)))
    facts = Facts(sources=Sources(()), environment=Environment(tuple(given), values))
    checked = engine.run(facts, None)
    asked = {each.rule for each in checked.outcomes if each.outcome != "skipped"}
    findings = [replace(each, remedy=tuple(map(_in_manifest, each.remedy))) for each in checked.findings]
    return findings, [each for each in checked.outcomes if each.rule in asked]


def _in_manifest(remedy: Remedy) -> Remedy:
    """A shell's ``unset`` helps nobody here: the line above is what is to be changed."""
    return Remedy(remedy.text)


def _verdict(diagnoses: Sequence[Diagnosis]) -> Verdict:
    """A manifest is never healthy, and nothing failed yet."""
    costly = any(each.severity in ("error", "critical") for each in diagnoses)
    return "degraded" if costly else "inconclusive"


def _headline(manifests: Sequence[Manifest], diagnoses: Sequence[Diagnosis], checks: int) -> str:
    if diagnoses:
        more = len(diagnoses) - 1
        behind = f"; {more} more finding{'s' if more > 1 else ''}" if more else ""
        return f"{diagnoses[0].message}{behind}"
    number = sum(len(manifest.workloads) for manifest in manifests)
    return f"{checks} checks found nothing in {number} object{'s' if number > 1 else ''}; {_NOTHING_RAN}"


def _input(name: str, text: str) -> InputSummary:
    lines = len(text.splitlines())
    return InputSummary(name, ("kubernetes-manifest",), len(text.encode("utf-8", "replace")), lines, lines, 0, 0)
