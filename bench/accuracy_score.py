"""Scores one report against one labelled sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from accuracy_keys import COUNTED, NOT_FACTS, PER_TABLE, RUNNING_TEXT, UNMEASURED, paths
from accuracy_labels import Sample
from accuracy_values import Reading, confirms
from msgspec import Struct, field

ALARMING = ("error", "critical")


class DiagnosisLike(Protocol):
    """What is scored of a diagnosis."""

    @property
    def cause(self) -> str: ...
    @property
    def severity(self) -> str: ...


class ReportLike(Protocol):
    """What is scored of a report."""

    @property
    def verdict(self) -> str: ...
    @property
    def diagnoses(self) -> Sequence[DiagnosisLike]: ...
    @property
    def facts(self) -> Mapping[str, object]: ...


class Score(Struct):
    """What became of one sample. ``first_cause``, ``cause_anywhere``: None where no cause is decidable."""

    path: str
    kind: str
    verdict: str = ""
    verdict_right: bool = False
    first_cause: bool | None = None
    cause_anywhere: bool | None = None
    causes: tuple[str, ...] = ()
    false_alarms: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    facts_right: int = 0
    facts_missed: list[str] = field(default_factory=list)
    crash: str | None = None
    seconds: float = 0.0

    @property
    def facts_total(self) -> int:
        return self.facts_right + len(self.facts_missed)


def score(sample: Sample, report: ReportLike, seconds: float) -> Score:
    """Verdict, causes, false alarms and facts of ``report`` against the labels of ``sample``."""
    causes = tuple(diagnosis.cause for diagnosis in report.diagnoses)
    result = Score(sample.path, sample.kind, seconds=seconds, causes=causes)
    result.verdict = report.verdict
    result.verdict_right = report.verdict in sample.verdicts
    if sample.cause_decidable:
        result.first_cause = bool(causes) and causes[0] in sample.first_causes
        result.cause_anywhere = any(cause in sample.first_causes for cause in causes)
    result.must_not = tuple(cause for cause in causes if cause in sample.must_not)
    if sample.healthy:
        result.false_alarms = tuple(
            found.cause
            for found in report.diagnoses
            if found.severity in ALARMING and found.cause not in sample.cause_ok
        )
    result.facts_right, result.facts_missed = score_facts(sample.facts, report.facts)
    return result


def crashed(sample: Sample, error: str, seconds: float) -> Score:
    """A sample without a report: everything that is labelled is missed."""
    return Score(
        sample.path,
        sample.kind,
        first_cause=False if sample.cause_decidable else None,
        cause_anywhere=False if sample.cause_decidable else None,
        facts_missed=[f"{key}={value}" for key, value in sample.facts],
        crash=error,
        seconds=seconds,
    )


def score_facts(
    labels: Sequence[tuple[str, str]], facts: Mapping[str, object], *, anywhere: bool = False
) -> tuple[int, list[str]]:
    """How many labels the facts confirm, and a line for each that they do not, with what they say instead.

    ``anywhere``: a label of one table among several is confirmed by any of them.
    """
    right = 0
    missed: list[str] = []
    for key, label in labels:
        if key in NOT_FACTS:
            continue
        seen: list[str] = []
        for path in paths(key):
            value = look_up(facts, path)
            if value is _ABSENT:
                continue
            if confirms(label, value, _reading(path, anywhere=anywhere)):
                right += 1
                break
            seen.append(f"{path}={_short(value)}")
        else:
            missed.append(f"{key}={label}  <- {'; '.join(seen) or 'no such fact'}")
    return right, missed


def _reading(path: str, *, anywhere: bool) -> Reading:
    return Reading(
        every=path in PER_TABLE and not anywhere,
        contains=path in RUNNING_TEXT,
        unmeasured=path in UNMEASURED,
        counted=path in COUNTED,
    )


class _Absent:
    pass


_ABSENT = _Absent()


def look_up(facts: Mapping[str, object], path: str) -> object:
    """The value at ``name.part.part``; a mark of its own where there is none (None is a value)."""
    value: object = facts
    for part in path.split(".", 2):
        if not isinstance(value, Mapping):
            return _ABSENT
        value = value[part] if part in value else _named(value, part)
    return value


def _named(values: Mapping[str, object], part: str) -> object:
    """By plain name; ``~003``: by what the name ends with."""
    wanted = _plain(part)
    ending = part.startswith("~") and wanted
    for key, found in values.items():
        name = _plain(str(key))
        if name == wanted or (ending and name.endswith(wanted)):
            return found
    return _ABSENT


def _plain(name: str) -> str:
    """``TX depth``, ``tx_depth`` and ``txDepth`` are one name."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 90 else text[:87] + "..."
