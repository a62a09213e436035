"""Climb the ladder into a bundle, round after round, until it is done, broken, out of time or interrupted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from slowlink.bundle.reopen import own_manifest
from slowlink.ladder import layers as of
from slowlink.ladder.climb import next_tests
from slowlink.ladder.hearing import next_experiment
from slowlink.ladder.judge import waterfall
from slowlink.model.ladder import Ladder, LadderPlan, LadderTest
from slowlink.workflows.climb.record import AFTER, STATE, store_plan, whole_captures
from slowlink.workflows.climb.results import so_far
from slowlink.workflows.snapshot import Question, Taken, ask_nodes

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ask import Answer

INTERRUPTED = "interrupted"


class Runs(Protocol):
    """Who measures."""

    def run(self, tests: Sequence[LadderTest]) -> None:
        """One round, into the bundle. Raises KeyboardInterrupt when somebody ended it."""


class Host(Struct, frozen=True):
    """What the nodes are asked: before everything, and what is sampled again after it."""

    before: Question
    after: Question


class Told(Protocol):
    """Who is told of it as it happens."""

    def begun(self, tests: Sequence[LadderTest]) -> None:
        """A round begins."""

    def ended(self, tests: Sequence[LadderTest], ladder: Ladder) -> None:
        """A round is over."""

    def words(self, text: str) -> None:
        """Anything else."""


class Climb:
    """``until_end`` gives why it stopped before its end; "" where it did not."""

    def __init__(
        self,
        plan: LadderPlan,
        bundle: BundleWriter,
        rounds: Runs,
        told: Told,
        host: Host | None = None,
        *,
        budget_s: float | None = None,
        experiments: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``host``: None where nodes are not asked for their state. ``budget_s``: no test begins after it."""
        self._plan, self._bundle, self._rounds, self._told, self._host = plan, bundle, rounds, told, host
        self._clock, self._experiments = clock, experiments
        self._deadline = clock() + budget_s if budget_s is not None else float("inf")
        self._budget_s = budget_s
        self._mark = os.urandom(8).hex()

    def until_end(self) -> str:
        """Raises SlowlinkError when the bundle cannot be written, or a test not be planned."""
        try:
            stopped = self._climbed()
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        if stopped:
            store_plan(replace(self._plan, stopped=stopped), self._bundle)
        self._bundle.finish()
        return stopped

    def _climbed(self) -> str:
        lost = self._state_before()
        ladder = so_far(self._bundle.directory)
        ran: set[str] = set()
        while tests := self._next(ladder, lost):
            if mute := ran & {test.name for test in tests}:
                # What it printed is not found in the bundle, for whatever reason: to run it for ever helps nobody.
                return f"{min(mute)} was run, and the bundle holds no result of it"
            ran |= {test.name for test in tests}
            if self._clock() >= self._deadline:
                return f"the budget of {self._budget_s:g} s was used up"
            self._told.begun(tests)
            self._rounds.run(tests)
            ladder = so_far(self._bundle.directory)
            self._told.ended(tests, ladder)
        if self._host is not None and not lost:
            self._ask(self._host.after, AFTER)
        return ""

    def _next(self, ladder: Ladder, lost: Sequence[str]) -> tuple[LadderTest, ...]:
        """The next round of the ladder; behind its end the next launch of an experiment."""
        tests = next_tests(self._plan, ladder.results, lost)
        if tests or not self._experiments:
            return tests
        return next_experiment(ladder, waterfall(ladder))[:1]

    def _state_before(self) -> tuple[str, ...]:
        """Ask, unless it was done before. Gives the nodes that did not answer."""
        if self._host is None or of.HOST in self._plan.absent:
            return ()
        captures = own_manifest(self._bundle.directory).captures
        if not any(name.startswith(f"{STATE}/") for name in whole_captures(self._plan, captures)):
            count = len(self._host.before.allocation.nodes)
            self._told.words(f"{of.BY_ID[of.HOST].title}: asking {count} node{'s' if count > 1 else ''}")
            self._ask(self._host.before, STATE)
            captures = own_manifest(self._bundle.directory).captures
        mine = [each for each in captures if each.name.startswith(f"{STATE}/") and each.node and each.ended]
        return tuple(each.node or "" for each in mine if each.ended and each.ended.reason == "unanswered")

    def _ask(self, question: Question, name: str) -> None:
        with self._bundle.many():
            ask_nodes(question, self._bundle, self._mark, _unheard, Taken(), name)


def _unheard(answer: Answer) -> None:
    """Nobody waits for single answers here."""
