"""Pairs that others have measured, from whatever lies there: tables of benchmarks, somebody's sheets, a bundle."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.averages import median
from slowlink.expect.plateau import plateau_busbw
from slowlink.inputs import open_given
from slowlink.isolate.parts import Parts, Step
from slowlink.isolate.search import Search
from slowlink.model.benchmark import PairTable
from slowlink.model.isolation import Fabric, Outcome, Rail, Verdict
from slowlink.model.records import Records
from slowlink.model.report import Sweep
from slowlink.parsers.reading.read import read
from slowlink.patterns import regex
from slowlink.workflows.analyze import report_of
from slowlink.workflows.isolating.rails import rail_named

_PLATEAU = 4
_GROUP_SIZES = (2, 3)
_STREAMS = ("stdout", "stderr")
_ROUND = regex(r"(?:^|/)round-(?P<number>\d{1,4})(?:-(?P<rail>[\w.-]{1,40}))?/")


class Measured(Struct, frozen=True):
    """What lies there."""

    outcomes: tuple[Outcome, ...]
    rails: dict[Rail, list[tuple[tuple[str, ...], float | None]]]
    """Tests of one GPU and one HCA of each node, as a bundle of ``isolate --parts`` holds them: groups, GB/s."""


def measured_pairs(paths: Sequence[str]) -> Measured:
    """Runs on two or three nodes each, from logs, sheets, archives, bundles. Raises SlowlinkError."""
    records = read(open_given(list(paths)), guarded=True)
    sweeps = report_of(records).sweeps
    found = [(_of_sweep(sweep), sweep.source) for sweep in sweeps if len(sweep.hosts) in _GROUP_SIZES]
    outcomes = [outcome for outcome, _ in found]
    outcomes += [outcome for table in records.pair_tables for outcome in _of_table(table)]
    outcomes += _told_failures(records, outcomes)
    outcomes += _not_begun(records, found, {sweep.source for sweep in sweeps})
    rails: dict[Rail, list[tuple[tuple[str, ...], float | None]]] = defaultdict(list)
    for outcome in outcomes:
        if (rail := rail_named(outcome.kind)) is not None:
            rails[rail].append((outcome.group, outcome.gbs))
    return Measured(tuple(outcome for outcome in outcomes if rail_named(outcome.kind) is None), dict(rails))


def with_parts(verdict: Verdict, measured: Measured) -> Verdict:
    """With what tests of rails say, where there are any."""
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


def _of_sweep(sweep: Sweep) -> Outcome:
    gbs = plateau_busbw(sweep) if sweep.complete and sweep.points else None
    found = _ROUND.search(sweep.source)
    kind = f"{sweep.collective or 'a test'} on {sweep.nranks or '?'} ranks of {len(sweep.hosts)} nodes"
    if found is not None and found["rail"] and rail_named(found["rail"]) is not None:
        kind = found["rail"]
    return Outcome(tuple(sorted(sweep.hosts)), gbs, _round(sweep.source), kind)


def _round(source: str) -> int:
    """Groups of one round ran side by side; only a bundle of ``isolate`` tells."""
    found = _ROUND.search(source)
    return int(found["number"]) if found is not None else 1


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


def _not_begun(records: Records, found: Iterable[tuple[Outcome, str]], measured: set[str]) -> Iterator[Outcome]:
    """Logs without a table whose names hold exactly the nodes of a pair: tests that died before they printed one.

    They are of the kind that most logs have whose names are alike but for the nodes.
    """
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    nodes: set[str] = set()
    for outcome, source in found:
        nodes.update(outcome.group)
        kinds[_form(source, outcome.group)][outcome.kind] += 1
    told = {_test(path) for path in measured}
    for stats in records.sources:
        group = _nodes_in(_name(stats.path), nodes)
        alike = kinds.get(_form(stats.path, group))
        if stats.copy_of is None and len(group) in _GROUP_SIZES and alike and _test(stats.path) not in told:
            told.add(_test(stats.path))
            yield Outcome(group, None, _round(stats.path), alike.most_common(1)[0][0])


def _test(path: str) -> str:
    """What tells a test: its file, or in a bundle the folder with its files."""
    folder, _, file = path.replace("!", "/").rpartition("/")
    return folder if file in _STREAMS else path


def _name(path: str) -> str:
    """The last part; in a bundle each command has a folder, and what it printed lies in a file of a fixed name."""
    parts = path.replace("!", "/").split("/")
    return parts[-2] if len(parts) > 1 and parts[-1] in _STREAMS else parts[-1]


def _form(path: str, nodes: Iterable[str]) -> str:
    """The name with the nodes taken out."""
    name = _name(path)
    for node in sorted(nodes, key=len, reverse=True):
        name = name.replace(node, "*")
    return name


def _nodes_in(name: str, nodes: set[str]) -> tuple[str, ...]:
    """Those of ``nodes`` whose names stand in it, and not as a part of a longer one."""
    return tuple(sorted(word for word in _words(name) if word in nodes))


def _words(name: str) -> set[str]:
    """Everything between two places where a name may begin or end."""
    edges = [0, *(at for at, char in enumerate(name) if char in "_+.,-~ "), len(name)]
    return {name[begin + (begin > 0) : end] for begin in edges for end in edges if begin < end}
