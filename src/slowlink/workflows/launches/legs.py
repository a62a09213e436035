"""From what is asked to the measurements of a run: a leg for each collective."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from slowlink.workflows.launches.interface import About, Leg
from slowlink.workflows.live import sizes
from slowlink.workflows.plan_run import Asked, Prepared, plan_run
from slowlink.workflows.rank_files import RankFiles, files_of
from slowlink.workflows.rank_files.on_nodes import in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.expect.busbw import Prediction
    from slowlink.launch.interface import Surroundings
    from slowlink.model.facts import Hardware


class Planned(Struct, frozen=True):
    """A leg, with what was decided for it and what it should give."""

    name: str
    """``run``; of several ``all_gather``."""
    prepared: Prepared
    expected: Prediction | None

    @property
    def about(self) -> About:
        """It in words."""
        request, nranks = self.prepared.request, self.prepared.nranks
        count = max(len(self.prepared.plan.nodes), 1)
        nodes = f"{count} node{'s' if count > 1 else ''}"
        where = f"on each of {nodes} by itself" if self.prepared.each_node else f"on {nodes}"
        ranks = f"{nranks} rank{'s' if nranks > 1 else ''}"
        rows = len(sizes(request.min_bytes, request.max_bytes, request.factor))
        return About(f"{request.collective}, {ranks} {where}", rows, self.expected)


def planned(
    asked: Sequence[Asked], here: Surroundings, output: Path, hardware: Hardware | None, *, on_nodes: bool = True
) -> list[Planned]:
    """A plan for each of ``asked``. ``output``, ``on_nodes``: as ``plan_run`` takes them. Raises SlowlinkError."""
    legs = []
    for each in asked:
        prepared = plan_run(each, here, output, on_nodes=on_nodes)
        name = "run" if len(asked) == 1 else each.request.collective
        legs.append(Planned(name, prepared, _predict(prepared, hardware)))
    return legs


def started(legs: Sequence[Planned], here: Surroundings) -> tuple[list[Leg], dict[str, str]]:
    """The legs, ready to be launched, and which nodes have no place for what ranks write: node -> why."""
    found: list[Leg] = []
    refused: dict[str, str] = {}
    for leg in legs:
        files = files_of(leg.prepared, here.programs)
        if files is not None and not found:
            # All of them use the same nodes: what the first one finds holds for the others.
            refused = files.make()
            if refused:
                files.remove()
                return [], refused
        found.append(_leg(leg, files, here))
    return found, refused


def _leg(leg: Planned, files: RankFiles | None, here: Surroundings) -> Leg:
    if not leg.prepared.each_node:
        from slowlink.workflows.launches.together import Together

        return Together(leg.name, leg.about, leg.prepared, files)
    from slowlink.launch.fanout.ways import way_of
    from slowlink.workflows.launches.apart import Apart

    way = way_of(leg.prepared.plan.launcher, here.programs)
    return Apart(leg.name, leg.about, leg.prepared, files, way)


def _predict(prepared: Prepared, hardware: Hardware | None) -> Prediction | None:
    """What to expect, where the hardware was named and GPUs take part."""
    if hardware is None or prepared.job.gpus_per_node is None:
        return None
    from slowlink.expect.busbw import Prediction, predict
    from slowlink.expect.case import Case

    nnodes = 1 if prepared.each_node else max(len(prepared.plan.nodes), 1)
    found = predict(Case(prepared.request.collective, prepared.nranks, nnodes, hardware))
    return found if isinstance(found, Prediction) else None


def with_places(
    asked: Sequence[Asked],
    here: Surroundings,
    output: Path,
    hardware: Hardware | None,
    tell: Callable[[str], None],
) -> tuple[list[Planned], list[Leg]]:
    """Plans and legs; where a node has no place for what ranks write, it says so and nobody writes anything."""
    plans = planned(asked, here, output, hardware)
    legs, refused = started(plans, here)
    if refused:
        for line in in_words(refused):
            tell(f"no place for what ranks write (NCCL's log, iterations): {line}")
        plans = planned(asked, here, output, hardware, on_nodes=False)
        legs, _ = started(plans, here)
    return plans, legs
