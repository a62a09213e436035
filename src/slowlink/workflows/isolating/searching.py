"""A search from its first round to its last: nodes and paths, then the parts of the nodes that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from slowlink.isolate.parts import Parts
from slowlink.isolate.search import Search
from slowlink.model.isolation import Rail, Verdict
from slowlink.workflows.isolating.rails import rail_name

Group = tuple[str, ...]
Told = Callable[[Group, float | None], None]


class Measuring(Protocol):
    """Real rounds, or simulated ones."""

    interrupted: bool

    def measure(self, groups: Sequence[Group], told: Told, rail: Rail | None = None) -> list[float | None]:
        """GB/s of each group, side by side."""


class Answer(Struct, frozen=True):
    """What a search found."""

    verdict: Verdict
    nodes: int
    hcas: tuple[str, ...] = ()
    """Names of the HCAs by the number of their GPU; empty where nobody says them."""
    interrupted: bool = False
    bundle: Path | None = None
    """Where the evidence of real nodes is."""


def searched(
    search: Search, rounds: Measuring, *, rails: int, hcas: Sequence[str], say: Callable[[str], None]
) -> Answer:
    """Run all rounds. ``rails``: test so many of each bad node one by one; 0: none. ``say`` hears of each round and
    each group. Raises SlowlinkError."""

    def told(group: Group, gbs: float | None) -> None:
        ended = "interrupted" if rounds.interrupted else "did not finish"
        say(f"  {' + '.join(group)}: {ended if gbs is None else f'{gbs:.4g} GB/s'}")

    nodes, names = len(search.fabric.nodes), tuple(hcas)
    while groups := search.plan().groups:
        say(f"round {search.rounds + 1}: {_side_by_side(groups)}")
        values = rounds.measure(groups, told)
        if rounds.interrupted:
            early = f"interrupted in round {search.rounds + 1}"
            return Answer(replace(search.verdict(), ended_early=early), nodes, names, interrupted=True)
        search.add(list(zip(groups, values, strict=True)))
    verdict = search.verdict()
    if not rails:
        return Answer(verdict, nodes, names)
    parts = Parts([bad.name for bad in verdict.bad], verdict.good, rails, apart=bool(hcas))
    while (step := parts.plan()) is not None:
        say(f"{rail_name(step.rail)} alone: {_side_by_side(step.groups)}")
        values = rounds.measure(step.groups, told, step.rail)
        if rounds.interrupted:
            early = "interrupted, before every part of the slow nodes was tried"
            return Answer(replace(verdict, ended_early=early), nodes, names, interrupted=True)
        parts.add(step, values)
    return Answer(replace(verdict, parts=parts.found()), nodes, names)


def _side_by_side(groups: Sequence[Group]) -> str:
    return f"{len(groups)} group{'s side by side' if len(groups) > 1 else ''}"
