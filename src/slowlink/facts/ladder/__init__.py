"""The plan of a ladder joined with what each of its tests printed, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log

from msgspec.structs import replace

from slowlink.averages import median
from slowlink.collectives import busbw_factor
from slowlink.facts.tools import asked_nodes, lost_nodes
from slowlink.model.benchmark import CollectiveRun, PerftestRun, Point
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME
from slowlink.model.facts import State
from slowlink.model.job import JobEvent
from slowlink.model.ladder import AGAIN, Ladder, LadderPlan, LadderResult, LadderTest, PortRate
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.parsers.context.bundle_manifest import CUT_OFF, RUN_ENDED

INTERVIEW = "interview"
"""Tests below this name are experiments, which no plan lists: what comes next depends on what came."""
NOT_DONE = ("interrupted", "enough", CUT_OFF)
"""Reasons of an end that say nothing of the test: somebody ended it, or its time was over."""
_PLATEAU = 4
"""Sizes from a quarter of the largest one up count, as for the gates of ``run``."""
_BITS = 8.0
_PRECISE_GBS = 10.0


def ladder(records: Records, state: State | None) -> Ladder | None:
    """None where there is no plan. One that was stopped has a second one beside it, which says so."""
    if not records.ladders:
        return None
    plan = next((each for each in records.ladders if each.stopped), records.ladders[0])
    found = _Captures(records, plan)
    known = {test.name: test for test in plan.tests}
    tests = [*known.values(), *(test for name in found.names() if (test := _experiment(name)) is not None)]
    results = tuple(result for test in tests if (result := found.result(test)) is not None)
    lost = lost_nodes(state) if state is not None else ()
    asked = asked_nodes(state) if state is not None else ()
    mine = [node for node in asked if node in plan.nodes or len(plan.nodes) == 1]
    return Ladder(plan, results, tuple(_ports(state)), lost, len([node for node in mine if node not in lost]))


def _experiment(name: str) -> LadderTest | None:
    parts = name.split("/")
    if len(parts) not in (3, 4) or parts[0] != INTERVIEW:
        return None
    return LadderTest(INTERVIEW, name, (), "all_reduce", hca=parts[3] if len(parts) == 4 else "")


class _Captures:
    """What lies in the bundle under the name of each capture."""

    def __init__(self, records: Records, plan: LadderPlan) -> None:
        top = plan.ref.source.rpartition(f"{CAPTURES_NAME}/")[0]
        self._start = f"{top}{CAPTURES_NAME}/"
        self._printed = {source.path for source in records.sources if source.path.startswith(self._start)}
        self._runs: dict[str, list[CollectiveRun]] = {}
        for run in records.runs:
            self._runs.setdefault(run.source, []).append(run)
        self._perftests: dict[str, list[PerftestRun]] = {}
        for each in records.perftests:
            self._perftests.setdefault(each.source, []).append(each)
        self._bad = _bad_ends(records.events, f"{top}{MANIFEST_NAME}")

    def names(self) -> list[str]:
        """Of all captures that printed something or ended badly, in alphabetical order."""
        printed = {path.removeprefix(self._start).rpartition("/")[0] for path in self._printed}
        return sorted(printed | self._bad.keys())

    def result(self, test: LadderTest) -> LadderResult | None:
        """None where the test was not done; of one that was done twice the better."""
        first, again = self._one(test, test.name), self._one(test, test.name + AGAIN)
        if first is None or again is None:
            return first
        better = again if (again.gbs or 0.0) > (first.gbs or 0.0) else first
        apart = (*first.apart, *again.apart)
        return replace(better, repeated=True, first_gbs=first.gbs, again_gbs=again.gbs, apart=apart)

    def _one(self, test: LadderTest, name: str) -> LadderResult | None:
        source = f"{self._start}{name}/stdout"
        bad = self._bad.get(name)
        if bad is not None:
            reason = bad.groups.get("reason", "")
            return None if reason in NOT_DONE else LadderResult(test, None, _words(bad), bad.ref)
        if source not in self._printed:
            return None
        if not test.collective:
            return LadderResult(test, None, "", Ref(source, 0))
        found = self._of_perftest(source) if test.collective.startswith("ib_") else self._of_table(source, test)
        if found is None:
            return LadderResult(test, None, "it printed no bandwidth", Ref(source, 0))
        return LadderResult(test, found[0], "", found[1], apart=found[2])

    def _of_perftest(self, source: str) -> tuple[float, Ref, tuple[float, ...]] | None:
        rows = [row for run in self._perftests.get(source, ()) for row in run.rows if row.bw_average_gbit]
        best = max(rows, key=lambda row: row.bw_average_gbit or 0.0, default=None)
        return ((best.bw_average_gbit or 0.0) / _BITS, best.ref, ()) if best is not None else None

    def _of_table(self, source: str, test: LadderTest) -> tuple[float, Ref, tuple[float, ...]] | None:
        """The median over the large sizes of the better placement; nothing of a table that has no end. With it how far
        the placements of each large size are apart."""
        both: dict[int, list[tuple[float, Ref]]] = {}
        for run in self._runs.get(source, ()):
            for point in run.points if run.concluded else ():
                if point.busbw_gbs is not None and point.doubt is None:
                    both.setdefault(point.size_bytes, []).append((_busbw(point, test), point.ref))
        if not both:
            return None
        largest = max(both)
        counted = [found for size, found in both.items() if size * _PLATEAU >= largest]
        rates = [[gbs for gbs, _ in found] for found in counted]
        apart = tuple(log(mine[1] / mine[0]) for mine in rates if len(mine) == 2 and min(mine) > 0)
        _, ref = max(both[largest], key=lambda each: each[0])
        return median(max(mine) for mine in rates), ref, apart


def _busbw(point: Point, test: LadderTest) -> float:
    """Tables print two decimals: of a slow link nothing would be left. Its time says more."""
    nranks = (test.ranks_per_node or 0) * len(test.nodes)
    factor = busbw_factor(test.collective, nranks) if nranks > 1 else None
    printed = point.busbw_gbs or 0.0
    if factor is None or not point.time_us or printed >= _PRECISE_GBS:
        return printed
    return point.size_bytes / point.time_us / 1e3 * factor


def _bad_ends(events: Sequence[JobEvent], manifest: str) -> Mapping[str, JobEvent]:
    """Capture -> its event, where it did not end well."""
    return {
        event.groups["capture"]: event
        for event in events
        if event.kind == RUN_ENDED and event.ref.source == manifest and "capture" in event.groups
    }


def _words(event: JobEvent) -> str:
    groups = event.groups
    seconds = f" after {float(groups['seconds']):.0f} s" if groups.get("seconds") else ""
    said = {
        "timeout": f"did not finish{seconds}",
        "silent": f"fell silent{seconds}",
        "standing": f"stood still{seconds}",
        "not-started": "could not be started",
    }.get(groups.get("reason", ""))
    if said is None:
        said = (
            f"was ended by signal {groups['signal']}" if "signal" in groups else f"exit status {groups.get('status')}"
        )
    return f"{said} ({groups['detail'][:120]})" if groups.get("detail") else said


def _ports(state: State | None) -> Iterator[PortRate]:
    """The last word of each node on each of its ports."""
    rates = state.readings.get("port-rate") if state is not None else None
    if state is None or rates is None:
        return
    states = state.readings.get("port-state")
    told = {(each.host, each.part.name): str(each.value) for each in states.all} if states is not None else {}
    last = {(each.host, each.part.name): each for each in rates.all if isinstance(each.value, (int, float))}
    for (host, name), reading in last.items():
        if host is not None and reading.part.kind == "port":
            is_up = told.get((host, name), "active").lower() == "active"
            yield PortRate(host, name, float(reading.value), is_up, reading.ref)
