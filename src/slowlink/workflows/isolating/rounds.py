"""Run the rounds of a search on real nodes, or on simulated ones; the deciding is ``isolate``'s."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.averages import median
from slowlink.collectives import busbw_factor
from slowlink.launch.alone import alone_end, alone_script
from slowlink.launch.execute import resolved, write_files
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.launch.fanout.ways import Here
from slowlink.model.isolation import Rail
from slowlink.model.plan import Allocation, Ended, Node
from slowlink.simulate.cluster_output import LARGEST, group_output
from slowlink.workflows.isolating.rails import on_rail, rail_name
from slowlink.workflows.launches.interface import COLLECTIVE_KIND
from slowlink.workflows.live import LiveRow, LiveTable
from slowlink.workflows.plan_run import Asked, Prepared, plan_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings
    from slowlink.simulate.cluster import SimulatedCluster

Group = tuple[str, ...]
_PLATEAU = 4
_PRECISE = 1.0
"""Sizes from a quarter of the largest one up count, as for the gates of ``run``."""
_END_S = 30.0
"""What a group may take besides its own time limit."""


class Rounds:
    """Runs groups, each a launch of its own, all of a round side by side. ``interrupted``: somebody ended it."""

    def __init__(
        self,
        asked: Asked,
        here: Surroundings,
        *,
        at_once: int | None = None,
        rails: int = 0,
        hcas: Sequence[str] = (),
    ) -> None:
        """``at_once``: so many groups run at the same time; None: all of a round. ``rails``: GPUs of a node, ``hcas``:
        their HCAs, where single rails are tested."""
        self._asked, self._here = asked, here
        self._bundle: BundleWriter | None = None
        self._place = Path()
        self._at_once, self._rails, self._hcas = at_once, rails, tuple(hcas)
        assert asked.allocation is not None
        self._nodes = {node.name: node for node in asked.allocation.nodes}
        self._mark = f"#slowlink-{os.urandom(8).hex()}"
        self._number = 0
        self.interrupted = False

    def keep_in(self, bundle: BundleWriter, place: Path) -> None:
        """Where the evidence goes, and where files of the runs lie meanwhile; before anything is measured."""
        self._bundle, self._place = bundle, place

    def measure(
        self, groups: Sequence[Group], told: Callable[[Group, float | None], None], rail: Rail | None = None
    ) -> list[float | None]:
        """GB/s of each group; None for one that did not finish. ``told`` hears of each as it ends. ``rail``: one GPU
        and one HCA of each node take part.

        Raises SlowlinkError when a group cannot be planned or the bundle not be written.
        """
        assert self._bundle is not None
        self._number += 1
        prepared = [self.prepared(group, rail) for group in groups]
        label = f"round-{self._number}" + (f"-{rail_name(rail)}" if rail is not None else "")
        found: list[float | None] = [None] * len(groups)
        with self._bundle.many():
            for place, answer in self._ended(prepared):
                found[place] = self._keep(f"{label}/{'+'.join(groups[place])}", prepared[place], answer)
                told(groups[place], found[place])
        return found

    def prepared(self, group: Group, rail: Rail | None = None) -> Prepared:
        """What would run for a group. Raises SlowlinkError."""
        allocation = Allocation(tuple(self._nodes[name] for name in group), "a group of this search")
        ranks = None if self._asked.ranks_per_node is None else self._asked.ranks_per_node * len(group)
        asked = replace(self._asked, allocation=allocation, nranks=ranks)
        if rail is not None:
            asked = on_rail(asked, rail, self._rails, self._hcas)
        return plan_run(asked, self._here, self._place / "nowhere", on_nodes=False)

    def _ended(self, prepared: Sequence[Prepared]) -> Iterator[tuple[int, Answer]]:
        stop = threading.Event()
        as_nodes = [Node(f"group-{place}") for place in range(len(prepared))]
        limit = (self._asked.options.timeout_s or 1800.0) + _END_S

        def script(place: int) -> str:
            plan, scratch = prepared[place].plan, self._place / f"round-{self._number}-{place}"
            write_files(plan, scratch)
            return alone_script(resolved(plan, scratch), self._variables(prepared[place]), self._mark)

        try:
            for answer in answers(
                as_nodes, script, Here(), timeout_s=limit, fanout=self._at_once or len(prepared), stop=stop, held=True
            ):
                self.interrupted = stop.is_set()
                yield answer
        except KeyboardInterrupt:
            self.interrupted = True
        self.interrupted = self.interrupted or stop.is_set()

    def _variables(self, prepared: Prepared) -> dict[str, str]:
        """Of the launcher; a step of Slurm needs those of its allocation, which the script takes away from others."""
        own = {name: value for name, value in self._here.environment.items() if name.startswith("SLURM_")}
        return {**(own if prepared.plan.launcher == "slurm" else {}), **prepared.plan.env}

    def _keep(self, name: str, prepared: Prepared, answer: Answer) -> float | None:
        assert self._bundle is not None
        end = alone_end(answer.stderr, self._mark)
        with self._bundle.capture(name, COLLECTIVE_KIND, prepared.plan.argv, env=prepared.job.env) as capture:
            capture.write_stdout(answer.stdout)
            if end.stderr:
                capture.write_stderr(end.stderr)
            # Somebody ended it: that says nothing of the nodes, now or when the bundle is read again.
            cut = "interrupted" if self.interrupted and end.status != 0 else "timeout"
            reason = "exited" if end.status == 0 or (end.status is not None and not self.interrupted) else cut
            capture.end(Ended(end.status, None, reason, answer.started_at, answer.seconds, answer.trouble, ()))
        factor = busbw_factor(prepared.request.collective, prepared.nranks)
        return plateau_of(answer.stdout, prepared.request.max_bytes, factor) if end.status == 0 else None


def plateau_of(text: str, largest_bytes: int, factor: float | None = None) -> float | None:
    """What a table says of large sizes, GB/s: the median of busbw from a quarter of its largest size up. None where it
    does not get to ``largest_bytes``. ``factor``: busbw/algbw, so that small rates, which are printed with two
    decimals, can be taken from the time."""
    rows = [row for row in LiveTable().feed(text.encode()) if row.busbw_gbs is not None]
    sizes = [row.size_bytes for row in rows]
    if not rows or 2 * max(sizes) <= largest_bytes:
        return None
    return median(_busbw(row, factor) for row in rows if row.size_bytes * _PLATEAU >= max(sizes))


def _busbw(row: LiveRow, factor: float | None) -> float:
    printed = row.busbw_gbs or 0.0
    if printed >= _PRECISE or factor is None or not row.time_us:
        return printed
    return row.size_bytes / row.time_us / 1e3 * factor


class SimulatedRounds:
    """The same on a cluster that does not exist. What its groups would print is kept and read as that of real ones."""

    def __init__(self, cluster: SimulatedCluster, bundle: BundleWriter | None) -> None:
        self._cluster, self._bundle = cluster, bundle
        self.interrupted = False

    def measure(
        self, groups: Sequence[Group], told: Callable[[Group, float | None], None], rail: Rail | None = None
    ) -> list[float | None]:
        """As ``Rounds.measure``."""
        number = self._cluster.rounds + 1
        label = f"round-{number}" + (f"-{rail_name(rail)}" if rail is not None else "")
        found = []
        for group, gbs in zip(groups, self._cluster.measure(groups, rail), strict=True):
            text = group_output(self._cluster, group, gbs, gpus=None if rail is None else 1, number=number)
            if self._bundle is not None:
                self._keep(f"{label}/{'+'.join(group)}", text, finished=gbs is not None)
            found.append(plateau_of(text, LARGEST) if gbs is not None else None)
            told(group, found[-1])
        return found

    def _keep(self, name: str, text: str, *, finished: bool) -> None:
        assert self._bundle is not None
        with self._bundle.capture(name, COLLECTIVE_KIND, ("simulated",)) as capture:
            capture.write_stdout(text)
            capture.end(Ended(0 if finished else None, None, "exited" if finished else "timeout", 0.0, 0.0, "", ()))
