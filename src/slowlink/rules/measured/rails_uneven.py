"""One HCA gives much less than the others in the same test.

perftest is often run over all HCAs of a node, one by one. The runs of one kind (test, direction, memory, link type,
queue pairs, message size) are compared; each HCA counts with its best. Where three or more were tested, and fewer than
half give less than 80 % of the median, these are slow. It takes no rate to see it, and a low rate does not excuse
it: a port that came up at 200 Gb/s beside peers of 400 gives 98 % of its rate, and half of what they give. Rows without
heading whose HCA nobody names are compared, too, where three or more others agree within 5 %; their lines are named.

Why it matters: a ring over all rails goes at the rate of the slowest one.
How to confirm: ``ibstat`` of this HCA (Rate), ``lspci -vv`` (LnkSta), and the test again with another partner.
What to do: where the rate is low, see to cable, transceiver and switch port; else to width and speed of the PCIe slot,
and to the socket that the test ran on.
When it is wrong: the HCA is of a slower kind on purpose (storage). Where tools print models that differ, nothing is
said. The slow end may be the partner's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.expect.ports import best_row
from slowlink.model.benchmark import BARE, TURN, PerftestRow, PerftestRun
from slowlink.model.expectations import Expectations, LinkExpectation
from slowlink.model.facts import Of, Perftests, Readings
from slowlink.model.report import Finding
from slowlink.parting import parted
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted, listed

CAUSES = ("port-rate-low", "straggler-nic")


class Params(Struct, frozen=True):
    """When an HCA is far below the others."""

    slow_share: float = 0.8
    """Of the median of all HCAs. Healthy ports of one kind differ by less than 1 % (docs/physics.md)."""
    fewest: int = 3
    """HCAs; of two nobody knows which is right."""
    alike: float = 0.05
    """Tests whose HCA nobody names are alike where they differ by less than this from their median."""


class _Tested(Struct, frozen=True):
    """One HCA with its best run of one kind."""

    run: PerftestRun
    row: PerftestRow
    gbit: float
    rate: float | None
    """Of its port, in Gb/s; None where nothing tells."""

    @property
    def name(self) -> str:
        if self.is_named:
            return " ".join(part for part in (self.run.host, self.run.device) if part)
        turn = self.run.parameters.get(TURN)
        return f"the test in the turn of {turn}" if turn else f"the test of line {self.row.ref.line}"

    @property
    def is_named(self) -> bool:
        """Does anything tell which HCA was tested, and no other than this one?"""
        return self.run.device is not None and TURN not in self.run.parameters


def check(
    perftests: Perftests,
    expectations: Expectations | None,
    models: Annotated[Readings, Of("hca-model")] | None,
    params: Params,
) -> Iterator[Finding]:
    """A finding for the slow HCAs of each kind of test."""
    rates = {id(link.run): link for link in expectations.links} if expectations is not None else {}
    groups: dict[Hashable, dict[str, _Tested]] = defaultdict(dict)
    for run in perftests.all:
        tested = _tested(run, rates.get(id(run)))
        if tested is not None:
            best = groups[_kind(run)]
            before = best.get(tested.name)
            best[tested.name] = tested if before is None or tested.gbit > before.gbit else before
    known = _Models(models)
    for group in groups.values():
        yield from _compare([*group.values()], known, params)


def _tested(run: PerftestRun, judged: LinkExpectation | None) -> _Tested | None:
    """None for a latency test, small messages, a loopback, or a run that names no single HCA and is no bare row."""
    row = best_row(run)
    if row is None or run.loopback or row.bw_average_gbit is None or "bond" in (run.device or ""):
        return None
    if run.device is None and not run.without_heading:
        return None
    rate = judged.rate_gbit if judged is not None and judged.rate_basis else None
    return _Tested(run, row, row.bw_average_gbit, rate)


def _kind(run: PerftestRun) -> Hashable:
    """Only runs that are equal in these may be compared."""
    sizes = max(row.size_bytes for row in run.rows)
    bare = run.source if run.device is None or TURN in run.parameters else ""
    return run.test, run.bidirectional, run.gpu_memory, run.link_type, run.qps, sizes, bare


def _compare(tested: Sequence[_Tested], models: _Models, params: Params) -> Iterator[Finding]:
    if len(tested) < params.fewest:
        return
    usual = median(each.gbit for each in tested)
    slow, others = parted(tested, lambda each: each.gbit < params.slow_share * usual)
    if not all(each.is_named for each in tested) and not _are_alike(others, usual, params):
        return
    theirs = models.of(others)
    by_rate: dict[bool, list[_Tested]] = defaultdict(list)
    for each in slow:
        if 2 * len(slow) < len(tested) and not _of_another_kind(models.of([each]), theirs):
            by_rate[_has_low_rate(each, usual)].append(each)
    for low_rate, accused in by_rate.items():
        yield _finding(accused, len(others), usual, low_rate=low_rate)


def _are_alike(others: Sequence[_Tested], usual: float, params: Params) -> bool:
    """Of tests that only stand beside one another: are so many so alike that they are of one kind?"""
    return len(others) >= params.fewest and all(abs(each.gbit - usual) <= params.alike * usual for each in others)


def _of_another_kind(mine: set[object], theirs: set[object]) -> bool:
    """Do tools print models for it and for the others, and all of these differ from its own?"""
    return bool(mine and theirs) and not mine & theirs


class _Models:
    """Models of HCAs, of those of a node or of all that are called so."""

    def __init__(self, models: Readings | None) -> None:
        self._of_node: dict[tuple[str | None, str | None], set[object]] = defaultdict(set)
        self._of_name: dict[str | None, set[object]] = defaultdict(set)
        for reading in models.all if models is not None else ():
            self._of_node[reading.host, reading.part.name].add(reading.value)
            self._of_name[reading.part.name].add(reading.value)

    def of(self, tested: Sequence[_Tested]) -> set[object]:
        """Those of these HCAs; where their nodes tell none, those of their names."""
        own = {model for each in tested for model in self._of_node.get((each.run.host, each.run.device), ())}
        return own or {model for name in {each.run.device for each in tested} for model in self._of_name.get(name, ())}


def _has_low_rate(slow: _Tested, usual: float) -> bool:
    """Could its port, at the rate that it is known to run at, never carry what the others give?"""
    ways = 2 if slow.run.bidirectional else 1
    return slow.rate is not None and slow.rate * ways < usual


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def _finding(slow: Sequence[_Tested], others: int, usual: float, *, low_rate: bool) -> Finding:
    each = slow[0]
    named = [one for one in slow if one.is_named]
    what = "other HCA" if len(named) == len(slow) else "other test"
    names = [one.name for one in slow]
    gives = f"{listed(names)} {'gives' if len(names) == 1 else 'give'} {_range([one.gbit for one in slow])} Gb/s"
    why = f": the port runs at {each.rate:g} Gb/s" if low_rate else ""
    return finding(
        "port-rate-low" if low_rate else "straggler-nic",
        f"{gives} in {each.run.test or 'perftest'}, {counted(others, what)} "
        f"{'gives' if others == 1 else 'give'} {usual:.1f}{why}",
        severity="error",
        confidence="possible" if any(BARE in one.run.parameters for one in slow) else "likely",
        suspects=(*suspects("hca", [one.name for one in named]), *suspects("node", [one.run.host for one in slow])),
        evidence=[
            line_evidence(one.row.ref, observed=f"{one.name}: {one.gbit:.2f} Gb/s", expected=f"{usual:.1f} Gb/s")
            for one in slow[:4]
        ],
        explains=("busbw-below-expected", "link-bandwidth-low", "hardware-unknown"),
        remedy=[
            Step(
                "Read the link's state and counters.",
                command("mlxlink", "-d", as_hca(each.run.device), "-c", "-e", "-m"),
            ),
            Step("See the width and the speed of its PCIe slot.", "lspci -vv | grep -E 'Mellanox|LnkSta:'"),
            Step("Test it again with another partner: the slow end may be the other one."),
        ],
    )
