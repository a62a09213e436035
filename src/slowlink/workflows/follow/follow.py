"""Look, judge, say what changed: until somebody ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from slowlink.facts.timed import timed
from slowlink.model.facts import Facts, Sources
from slowlink.model.report import Finding
from slowlink.rules.engine import discover, run
from slowlink.workflows.follow.growing import MOST_FILES, GrowingFiles
from slowlink.workflows.follow.window import Window

_RULE = "collectives-held-up"
_SHARE = 0.1
"""Of the time at most, that judging takes."""

Tolerances = Mapping[str, Mapping[str, object]]
Identity = frozenset[tuple[str, tuple[str, ...]]]
"""(cause, suspects) of all findings."""


class Answer(NamedTuple):
    """What the last calls say."""

    findings: tuple[Finding, ...]
    ranks: int
    calls: int

    @property
    def identity(self) -> Identity:
        """What makes it another answer: who, and why; not by how much."""
        return frozenset((found.cause, tuple(each.name for each in found.suspects)) for found in self.findings)

    def words(self) -> list[str]:
        """A line for each finding, or one that says that there is none."""
        if self.findings:
            return [f"{found.cause}: {found.message}" for found in self.findings]
        return [f"nobody holds the collectives up: {self.ranks:,} ranks, their last {self.calls:,} calls"]


def answer_of(window: Window, tolerances: Tolerances) -> Answer | None:
    """None while there are no calls."""
    known = timed(window.columns())
    if known is None:
        return None
    rules = [rule for rule in discover() if rule.id == _RULE]
    mine = {name: values for name, values in tolerances.items() if name == _RULE}
    checked = run(Facts(sources=Sources(()), timed=known), None, mine, rules)
    return Answer(checked.findings, len(known.processes), known.calls)


class _Said:
    """What was told last. One look in a thousand is wrong by chance, and there are thousands a day: a new answer is
    told when the next look, with new calls, gives it again."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._last: Identity | None = None
        self._before: Identity | None = None

    def take(self, answer: Answer) -> None:
        """Tell it, where it is another one and holds. The first is told at once: there is nothing to change."""
        new = answer.identity != self._last
        if new and (self._last is None or answer.identity == self._before):
            self._last = answer.identity
            for line in answer.words():
                self._tell(line)
        self._before = answer.identity


def follow(
    top: Path,
    tell: Callable[[str], None],
    *,
    interval_s: float,
    longest_s: float | None,
    window_calls: int,
    tolerances: Tolerances,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Look every ``interval_s`` at what was added below ``top``, and ``tell`` a line when the answer changes. Ends
    after ``longest_s``, else by an interrupt, which is raised."""
    files, window, said = GrowingFiles(top), Window(window_calls), _Said(tell)
    began, cost, judged_at = clock(), 0.0, float("-inf")
    waiting = told_left_out = False
    while True:
        looked = clock()
        waiting |= window.look(files) > 0
        if files.left_out and not told_left_out:
            tell(f"{top} holds more than {MOST_FILES:,} files; {files.left_out:,} are not looked at")
            told_left_out = True
        if waiting and clock() - judged_at >= cost / _SHARE:
            judged_at = clock()
            answer = answer_of(window, tolerances)
            cost, waiting = clock() - judged_at, False
            if answer is not None:
                said.take(answer)
        left = float("inf") if longest_s is None else began + longest_s - clock()
        if left <= 0:
            return
        pause(max(0.05, min(interval_s - (clock() - looked), left)))
