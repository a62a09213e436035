"""Failure lines of the test program itself (nccl-tests common.h, util.cu): what, where in its source, on which host."""

from __future__ import annotations

import re

from msgspec import Struct, field

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_PLACE = r"(?P<file>[\w./-]{1,120}):(?P<line>\d{1,6})"
_HOST = r"(?:^|(?<=\s)|(?P<host>\S{1,120}): )"
"""In front of a failure; whoever quotes a line often leaves it out."""
TRAIL = "nccl-tests-failure-trail"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "nccl-tests-nccl-failure",
        regex(_HOST + r"Test NCCL failure " + _PLACE + r" '(?P<error>[^'/]{0,200})(?:/(?P<detail>.{0,300}))?"),
    ),
    (
        "nccl-tests-cuda-failure",
        regex(_HOST + r"Test (?:CUDA|HIP|MACA|MUSA) failure " + _PLACE + r" '(?P<error>[^']{0,200})"),
    ),
    (
        "nccl-tests-timeout",
        regex(_HOST + r"Test timeout \((?P<seconds>\d{1,9})s\) " + _PLACE),
    ),
    (
        TRAIL,
        regex(r"\.\. (?P<host>\S{1,120}?)(?: pid (?P<pid>\d{1,9}))?: Test failure " + _PLACE),
    ),
    (
        "nccl-tests-invalid-gpus",
        regex(r"Invalid number of GPUs: (?P<requested>\d{1,7}) requested but only (?P<found>\d{1,7}) were found"),
    ),
    (
        "nccl-tests-invalid-size",
        regex(r"(?P<error>invalid sizes? (?:specified )?for '\w{1,16}'.{0,80})"),
    ),
    ("nccl-tests-invalid-option", regex(r"(?:^|\s)(?P<error>invalid option '(?P<option>[^']{1,20})')")),
    (
        "nccl-tests-invalid-value",
        regex(r"(?P<error>invalid (?P<what>type|op) (?P<value>\S{1,40}), defaulting to (?P<used>\S{1,20}))"),
    ),
    (
        "nccl-tests-skipped",
        regex(r"nRanks (?P<nranks>\d{1,7}) is not a power of 2, skipping"),
    ),
    (
        "nccl-tests-unsupported",
        regex(
            r"(?P<error>Device implementation \d{1,3} is not supported by this test.{0,80}|"
            r"This test requires GIN support.{0,80}|device implementation \(-D > 0\) requires .{0,80}|"
            r"Incompatible NCCL versions.{0,120})"
        ),
    ),
)
_MARK = regex(
    r"(?:^|\s)Test (?:NCCL|CUDA|HIP|MACA|MUSA) failure |(?:^|\s)Test timeout \(|: Test failure |"
    r"Invalid number of GPUs: |"
    r"invalid sizes? (?:specified )?for '|invalid option '|, defaulting to |is not a power of 2, skipping|"
    r"is not supported by this test|This test requires GIN support|device implementation \(-D|"
    r"Incompatible NCCL versions"
)
_COMPANION = "Please check the number of processes and GPUs per process."
FAILURE_WORDS = (
    " failure ",
    "Test timeout (",
    "nvalid ",
    ", defaulting to ",
    " is not a power of ",
    "supported by this test",
    "requires GIN support",
    "device implementation (",
    "Incompatible NCCL",
    _COMPANION,
)
"""One of these is there wherever ``_MARK`` matches."""
_WORDS = Literals(FAILURE_WORDS)
_GLUED_ROOT = regex(r"-?\d{1,3}(?=[A-Za-z])")


class Failure(Struct):
    """One failure message; equal ones of one host are counted."""

    kind: str
    groups: dict[str, str]
    ref: Ref
    rank: int | None
    count: int = 1

    def event(self) -> JobEvent:
        return JobEvent(
            kind=self.kind,
            origin="nccl-tests",
            text=self.ref.text.strip(),
            groups=dict(self.groups),
            ref=self.ref,
            host=self.groups.get("host"),
            rank=self.rank,
            secondary=self.kind == TRAIL,
            count=self.count,
        )


class Failures(Struct):
    """All failures of one stream, equal ones folded."""

    by_key: dict[tuple[object, ...], Failure] = field(default_factory=dict)

    def add(self, failure: Failure) -> None:
        # The trail unwinds a process's stack: its lines differ in the place only.
        places = {"file", "line"} if failure.kind == TRAIL else set()
        groups = tuple(sorted((key, value) for key, value in failure.groups.items() if key not in places))
        key = (failure.kind, groups, failure.rank)
        known = self.by_key.get(key)
        if known is not None:
            known.count += 1
        else:
            self.by_key[key] = failure

    def events(self) -> list[JobEvent]:
        return [failure.event() for failure in self.by_key.values()]


def may_be_failure(text: str) -> bool:
    """A quick look, blind to digits."""
    return (has_words(text) and _MARK.search(text) is not None) or _COMPANION in text


def has_words(text: str) -> bool:
    """A quicker look, blind to numbers as a whole: words that messages have, and other lines too."""
    return _WORDS.in_(text)


def is_companion(text: str) -> bool:
    """The second line of a message, which says nothing new."""
    return _COMPANION in text


def parse_failure(line: Line, text: str) -> tuple[Failure, str] | None:
    """The failure in ``text`` and what comes before it (the beginning of a row, or ""); None when there is none."""
    if _MARK.search(text) is None:
        return None
    for kind, pattern in _PATTERNS:
        match = pattern.search(text)
        if match is None:
            continue
        groups = {key: value.strip(" '") for key, value in match.groupdict().items() if value and value.strip(" '")}
        before = text[: match.start()]
        # A row's begin is flushed without a line end: its root (-1) sticks to the host name.
        glued = _GLUED_ROOT.match(groups.get("host", "")) if before.strip() else None
        if glued is not None:
            groups["host"] = groups["host"][glued.end() :]
            before += glued.group()
        if "host" not in groups and line.host:
            groups["host"] = line.host
        return Failure(kind, groups, line.ref(), line.rank), before
    return None
