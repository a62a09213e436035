"""Which proofs stand beside the findings: nothing is shown right and wrong at once.

A rule declares what its proofs deny: causes that would make them untrue (``DENIES`` of its module; its own ``CAUSES``
where it has none). Where a finding of at least a warning names such a cause, the rule is asked again without whatever
the finding accuses: parts, nodes, runs. What it proves then is about the others alone, in its own words and numbers. A
finding that does not say whom it accuses leaves nothing to prove.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.stretches import Shape, Stretch, Told, joined, picked_of_each, told
from slowlink.model.benchmark import PairTable, PerftestRun
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Absence, Differences, MeasuredSweep, PairSurvey, Perftests, Readings, Sweeps
from slowlink.model.report import Finding
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.findings import Proof

_PARTS = frozenset({"gpu", "hca", "port", "link", "interface", "pci", "switch", "cable", "cpu", "module"})
"""Kinds of suspects that are parts of a node or of the fabric."""


class Proven(Struct, frozen=True):
    """What one rule proved, and what it was given."""

    proofs: tuple[Proof, ...]
    denies: frozenset[str]
    arguments: Callable[[], Mapping[str, Any] | Absence]
    """Put together anew where somebody asks again: those of all rules at once are several times what is known."""
    ask: Callable[..., Iterator[Finding | Proof]]


class Accused(Struct, frozen=True):
    """Whom the findings that contradict a rule's proofs are about."""

    parts: frozenset[str]
    """``node07 GPU 3``, ``mlx5_0/1``, ``node01 - node02``."""
    nodes: frozenset[str]
    """Nodes that are accused as a whole."""
    lines: Mapping[str, Sequence[int]]
    """Source -> the lines of all evidence, in order."""
    exact: bool
    """Each finding says whom it is about, by a part or a node."""
    of_node: Mapping[str, set[str]]
    """Node -> those of ``parts`` that begin with its name: what follows it."""
    wholes: frozenset[str]
    """Those of ``parts`` without numbers of ports: ``node07 mlx5_0``."""
    devices: frozenset[str]
    """``wholes`` without the node."""

    def has(self, reading: Reading) -> bool:
        """Is the part of this reading accused, or one that it belongs to, or its node?"""
        if (reading.host or "") in self.nodes:
            return True
        if not self.exact and self.has_line(reading.ref.source, reading.ref.line, reading.ref.line):
            return True
        return _is_among(self.parts, reading.part) or _is_among(self.parts_of(reading.host), reading.part)

    def has_line(self, source: str, first: int, last: int) -> bool:
        """Is one of these lines, the last among them, evidence?"""
        lines = self.lines.get(source, ())
        at = bisect_left(lines, first)
        return at < len(lines) and lines[at] <= last

    def parts_of(self, node: str | None) -> Collection[str]:
        """Those that are said to be of a node, without its name."""
        return self.of_node.get(str(node), ())

    def has_sweep(self, sweep: MeasuredSweep) -> bool:
        """Does a line of evidence lie in this run, is its only path accused, or one of its nodes?"""
        run = sweep.run
        last = run.end.line if run.end is not None else max((p.ref.line for p in run.points), default=run.header.line)
        inside = self.has_line(run.source, run.header.line, last)
        return inside or " - ".join(sorted(sweep.hosts)) in self.parts or bool(self.nodes & {*sweep.hosts})

    def without_pairs(self, table: PairTable) -> PairTable:
        """The table without the pairs that are accused, or one of whose nodes is."""
        left = [row for row in table.rows if not ({row.a, row.b} & self.nodes or f"{row.a} - {row.b}" in self.parts)]
        return replace(table, rows=tuple(left))

    def has_perftest(self, run: PerftestRun) -> bool:
        """Is its HCA accused, or its node? A run that does not tell its node may be any node's."""
        names = {run.device, f"{run.host} {run.device}"} if run.device else set()
        named = bool(names & self.wholes) or (run.host is None and bool(run.device) and run.device in self.devices)
        return named or run.host in self.nodes


def standing(proven: Sequence[Proven], findings: Sequence[Finding]) -> tuple[Proof, ...]:
    """The proofs that no finding contradicts, restated where some do."""
    grave = [found for found in findings if found.severity != "info"]
    return tuple(proof for each in proven for proof in _beside(each, [f for f in grave if f.cause in each.denies]))


def _beside(proven: Proven, against: Sequence[Finding]) -> tuple[Proof, ...]:
    if not proven.proofs or not against:
        return proven.proofs
    accused, arguments = _accused(against), proven.arguments()
    assert not isinstance(arguments, Absence)  # it was asked before
    rest = {name: _without(value, accused) for name, value in arguments.items()}
    if all(rest[name] == value for name, value in arguments.items()):
        # It is about others; or about nobody that it names, and then nothing is shown.
        return proven.proofs if accused.exact else ()
    if any(_empty(value) for value in rest.values()):
        return ()
    try:
        return tuple(said for said in proven.ask(**rest) if isinstance(said, Proof))
    except Exception:  # noqa: BLE001  (what it proved is untrue, and it can prove nothing else)
        return ()


def _accused(against: Sequence[Finding]) -> Accused:
    parts = {s.name for found in against for s in found.suspects if s.kind in _PARTS}
    nodes = {s.name for found in against if not _named(found) for s in found.suspects if s.kind == "node"}
    lines: dict[str, set[int]] = {}
    for evidence in (e for found in against for e in found.evidence):
        lines.setdefault(evidence.source, set()).add(evidence.line)
    exact = all(_named(found) or any(s.kind == "node" for s in found.suspects) for found in against)
    of_node: dict[str, set[str]] = {}
    for part in parts:
        for space in (at for at, sign in enumerate(part) if sign == " "):
            of_node.setdefault(part[:space], set()).add(part[space + 1 :])
    wholes = frozenset(part.partition("/")[0] for part in parts)
    return Accused(
        frozenset(parts),
        frozenset(nodes),
        {source: sorted(each) for source, each in lines.items()},
        exact,
        of_node,
        wholes,
        frozenset(whole.rpartition(" ")[2] for whole in wholes),
    )


def _is_among(names: Collection[str], part: Part) -> bool:
    """Is the part there under its name, or what it belongs to?"""
    whole = part.name.partition("/")[0]
    return bool(part.name) and (part.name in names or (bool(whole) and (whole in names or f"GPU {whole}" in names)))


def _named(found: Finding) -> bool:
    return any(suspect.kind in _PARTS for suspect in found.suspects)


def _without(value: Any, accused: Accused) -> Any:
    if isinstance(value, Readings):
        return _readings_without(value, accused)
    if isinstance(value, Sweeps):
        return Sweeps(tuple(sweep for sweep in value.all if not accused.has_sweep(sweep)))
    if isinstance(value, Expectations):
        sweeps = tuple(each for each in value.sweeps if not accused.has_sweep(each.sweep))
        return replace(value, sweeps=sweeps, links=tuple(x for x in value.links if not accused.has_perftest(x.run)))
    if isinstance(value, Perftests):
        return Perftests(tuple(run for run in value.all if not accused.has_perftest(run)))
    if isinstance(value, Differences):
        compared = tuple(node for node in value.compared if node not in accused.nodes)
        return replace(value, compared=compared, partly=tuple(n for n in value.partly if n not in accused.nodes))
    if isinstance(value, PairSurvey):
        pairs = tuple(pair for pair in value.pairs if not accused.has_sweep(pair.sweep))
        return replace(value, pairs=pairs, tables=tuple(accused.without_pairs(table) for table in value.tables))
    return value


def _readings_without(value: Readings, accused: Accused) -> Readings:
    if value.of_each is None:
        kept = _told_without(told(value.all), accused)
        return value if len(kept) == len(value.all) else Readings(kept)  # the very same is not compared again
    of_each = {name: _told_without(told(each), accused) for name, each in value.of_each.items()}
    every = joined(of_each.values())
    return value if len(every) == len(value.all) else Readings(every, {k: each for k, each in of_each.items() if each})


def _told_without(readings: Told, accused: Accused) -> Told:
    """Without those that are accused: found once for all nodes that say the same and of which no part is named."""
    of_shape: dict[Shape, Sequence[int]] = {}

    def places(stretch: Stretch) -> Sequence[int]:
        if (stretch.host or "") in accused.nodes:
            return ()
        if not accused.exact or accused.parts_of(stretch.host):
            return [at for at, reading in enumerate(readings.of(stretch)) if not accused.has(reading)]
        if stretch.shape not in of_shape:
            parts = enumerate(stretch.shape.parts)
            of_shape[stretch.shape] = [at for at, part in parts if not _is_among(accused.parts, part)]
        return of_shape[stretch.shape]

    return picked_of_each(readings, places)


def _empty(value: object) -> bool:
    return isinstance(value, Readings | Sweeps | Perftests) and not value.all
