"""Pairs that others have measured, from whatever lies there: tables of benchmarks, somebody's sheets, a bundle."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.averages import median
from slowlink.expect.plateau import plateau_busbw
from slowlink.inputs import open_given
from slowlink.isolate.parts import Parts, Step
from slowlink.isolate.search import Search
from slowlink.model.benchmark import PairTable
from slowlink.model.isolation import Fabric, Failure, Outcome, Rail, Unread, Verdict
from slowlink.model.records import Records
from slowlink.model.report import Sweep
from slowlink.model.source import SourceStats
from slowlink.parsers.context.bundle_manifest import CUT_OFF, RUN_ENDED
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of
from slowlink.workflows.isolating.failed_tests import FailedTests
from slowlink.workflows.isolating.log_names import LogNames, round_in, test_of, test_that_ended
from slowlink.workflows.isolating.rails import rail_named
from slowlink.workflows.isolating.unread_rows import UnreadRows

INTERRUPTED = "interrupted"
"""Reason of the end of a test that somebody ended."""
_PLATEAU = 4
_PAIR, _GROUP_SIZES = 2, (2, 3)


class Measured(Struct, frozen=True):
    """What lies there."""

    outcomes: tuple[Outcome, ...]
    rails: dict[Rail, list[tuple[tuple[str, ...], float | None]]]
    """Tests of one GPU and one HCA of each node, as a bundle of ``isolate --parts`` holds them: groups, GB/s."""
    unread: tuple[Unread, ...] = ()
    """What may hold tests, too."""
    failures: tuple[Failure, ...] = ()


def measured_pairs(paths: Sequence[str]) -> Measured:
    """Runs on two or three nodes each, from logs, sheets, archives, bundles. Raises SlowlinkError."""
    records = read(open_given(list(paths)), guarded=True)
    report = report_of(records)
    broken_off = _broken_off(records)
    whole = [sweep for sweep in report.sweeps if test_of(sweep.source) not in broken_off]
    sweeps = [sweep for sweep in whole if len(sweep.hosts) in _GROUP_SIZES]
    failed = FailedTests(records, report, sweeps)
    found = [(_of_sweep(sweep, failed.failed(sweep)), sweep.source) for sweep in sweeps]
    outcomes = [outcome for outcome, _ in found]
    outcomes += [outcome for table in records.pair_tables for outcome in _of_table(table)]
    outcomes += _told_failures(records, outcomes)
    names = LogNames([*found, *_documents(records.pair_tables)])
    nobodys = [sweep for sweep in whole if len(sweep.hosts) not in _GROUP_SIZES]
    begun = {sweep.source for sweep in sweeps} | {sweep.source for sweep in nobodys if sweep.complete}
    begun |= {table.ref.source for table in records.pair_tables}
    begun |= {sweep.source for sweep in report.sweeps if test_of(sweep.source) in broken_off}
    not_begun = [each for each in names.not_begun(records.sources, begun) if test_of(each[1]) not in broken_off]
    outcomes += [outcome for outcome, _ in not_begun]
    rails: dict[Rail, list[tuple[tuple[str, ...], float | None]]] = defaultdict(list)
    for outcome in outcomes:
        if (rail := rail_named(outcome.kind)) is not None:
            rails[rail].append((outcome.group, outcome.gbs))
    others = tuple(outcome for outcome in outcomes if rail_named(outcome.kind) is None)
    tested = {outcome.pair for outcome in outcomes}
    unread = (
        *_unread(records, names, tested),
        *_of_whom(nobodys, begun, names),
        *_lost(records, names, begun | {path for _, path in not_begun}, tested),
    )
    return Measured(others, dict(rails), unread, tuple(failed.told(records, {path for _, path in not_begun})))


def _broken_off(records: Records) -> dict[str, str]:
    """Tests of a bundle that somebody interrupted, each with the manifest that says so: they tell nothing of nodes."""
    return {
        test_that_ended(event): event.ref.source
        for event in records.events
        if event.kind == RUN_ENDED and event.groups.get("reason") == INTERRUPTED and "capture" in event.groups
    }


def _of_whom(sweeps: Sequence[Sweep], begun: Container[str], names: LogNames) -> Iterator[Unread]:
    """Tables that may be of pairs and do not say so; without one in a pair's log that test did not begin."""
    for sweep in sweeps:
        is_pairs = bool(names.pair_of(sweep.source))
        if sweep.hosts and is_pairs:
            yield Unread(
                sweep.source, f"its name is that of a pair's log, and its table is of {len(sweep.hosts)} hosts"
            )
        elif not sweep.hosts and (sweep.source in begun or not is_pairs):
            yield Unread(sweep.source, "a table that does not say of which nodes it is")


def _documents(tables: Sequence[PairTable]) -> Iterator[tuple[Outcome, str]]:
    """Of files that hold one test each: their names, too, tell whose test another one was."""
    for table in tables:
        outcomes = list(_of_table(table))
        if len(outcomes) == 1:
            yield outcomes[0], table.ref.source


def _lost(
    records: Records, names: LogNames, begun: Container[str], tested: Container[tuple[str, ...]]
) -> Iterator[Unread]:
    """Files with the name of a pair of which no test is known (``hx01_hx02.log.failed``), and archives of which not one
    line is."""
    of_files: dict[str, list[SourceStats]] = defaultdict(list)
    for stats in records.sources:
        of_files[stats.path.partition("!")[0]].append(stats)
    for path, mine in of_files.items():
        pair = names.known_in(path)
        unused = not any(stats.path in begun or stats.problem is not None for stats in mine)
        if unused and len(pair) == _PAIR and pair not in tested:
            yield Unread(path, "it has the name of a pair of nodes without a test, and no test of theirs is in it")
        elif unused and not any(stats.used or stats.path == path for stats in mine):
            yield Unread(path, "an archive of which nobody here knows one line")


def _unread(records: Records, names: LogNames, tested: Iterable[tuple[str, ...]]) -> Iterator[Unread]:
    """What was not read and may be evidence; of what holds no log by its kind, and of links, what has the name of a
    pair's log. Of a search that was killed nobody knows what it would have measured."""
    sheets = UnreadRows(records.pair_tables, {node for pair in tested for node in pair})
    for stats in records.sources:
        if stats.problem is not None and (stats.partial or names.pair_of(stats.path)):
            yield Unread(stats.path, stats.problem)
        elif (said := sheets.of(stats)) is not None:
            yield Unread(stats.path, said)
    for event in records.events:
        if event.kind == RUN_ENDED and event.groups.get("reason") == CUT_OFF:
            yield Unread(event.ref.source, event.text)
    for manifest, count in Counter(_broken_off(records).values()).items():
        yield Unread(manifest, f"somebody interrupted the search: {count} of its tests did not come to their end")


def with_the_rest(verdict: Verdict, measured: Measured) -> Verdict:
    """With what was not read, and with what tests of rails say, where there are any."""
    verdict = replace(verdict, unread=measured.unread, failures=measured.failures)
    if not measured.rails:
        return verdict
    parts = Parts([bad.name for bad in verdict.bad], verdict.good, max(rail.gpu for rail in measured.rails) + 1)
    for rail, tests in measured.rails.items():
        groups = tuple(_bad_first(group, verdict) for group, _ in tests)
        parts.add(Step(rail, groups), [gbs for _, gbs in tests])
    return replace(verdict, parts=parts.found())


def _bad_first(group: tuple[str, ...], verdict: Verdict) -> tuple[str, ...]:
    known = {bad.name for bad in verdict.bad}
    return tuple(sorted(group, key=lambda node: node not in known))


def search_of(
    outcomes: Sequence[Outcome], leaf_of: Mapping[str, str], confidence: float, usual_gbs: float | None = None
) -> Search:
    """What those outcomes alone say: no round is run."""
    nodes = tuple(sorted({node for outcome in outcomes for node in outcome.group}))
    fabric = Fabric(nodes, leaf_of)
    return Search(fabric, confidence=confidence, most_rounds=0, usual_gbs=usual_gbs, known=outcomes)


def _of_sweep(sweep: Sweep, failed: bool) -> Outcome:
    gbs = plateau_busbw(sweep) if sweep.complete and sweep.points and not failed else None
    found = round_in(sweep.source)
    kind = f"{sweep.collective or 'a test'} on {sweep.nranks or '?'} ranks of {len(sweep.hosts)} nodes"
    if found is not None and found["rail"] and rail_named(found["rail"]) is not None:
        kind = found["rail"]
    return Outcome(tuple(sorted(sweep.hosts)), gbs, int(found["number"]) if found is not None else 1, kind)


def _of_table(table: PairTable) -> Iterator[Outcome]:
    """One for each row, or for all sizes of a pair where the table has several: their upper ones count."""
    sizes: dict[tuple[tuple[str, str], str], list[tuple[float, float]]] = defaultdict(list)
    for row in table.rows:
        if row.size_bytes is None:
            yield Outcome(_pair(row.a, row.b), row.amount, 1, row.test)
        else:
            sizes[_pair(row.a, row.b), row.test].append((row.size_bytes, row.amount))
    for (pair, test), measured in sizes.items():
        largest = max(size for size, _ in measured)
        yield Outcome(pair, median(gbs for size, gbs in measured if size * _PLATEAU >= largest), 1, test)
    for failed in table.failed:
        yield Outcome(_pair(failed.a, failed.b), None, 1, failed.test)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _told_failures(records: Records, known: Sequence[Outcome]) -> list[Outcome]:
    """Pairs that a summary calls failed, and of which no failure is known otherwise."""
    failed = {outcome.pair for outcome in known if outcome.gbs is None}
    told = {_pair(each.subject, each.value) for each in records.observations if each.kind == "failed-pair"}
    return [Outcome(pair, None, 1, "tests that a summary calls failed") for pair in sorted(told - failed)]
