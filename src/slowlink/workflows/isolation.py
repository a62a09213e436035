"""Run the rounds of a search on real nodes, or read what others have measured; the deciding is ``isolate``'s."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.averages import median
from slowlink.launch.alone import alone_end, alone_script
from slowlink.launch.execute import resolved, write_files
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Allocation, Ended, Node
from slowlink.workflows.launches.interface import COLLECTIVE_KIND
from slowlink.workflows.live import LiveTable
from slowlink.workflows.plan_run import Asked, Prepared, plan_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings

Group = tuple[str, ...]
_PLATEAU = 4
"""Sizes from a quarter of the largest one up count, as for the gates of ``run``."""
_END_S = 30.0
"""What a group may take besides its own time limit."""


class Rounds:
    """Runs groups, each a launch of its own, all of a round side by side. ``interrupted``: somebody ended it."""

    def __init__(
        self, asked: Asked, here: Surroundings, bundle: BundleWriter, place: Path, at_once: int | None = None
    ) -> None:
        """``at_once``: so many groups run at the same time; None: all of a round."""
        self._asked, self._here, self._bundle, self._place = asked, here, bundle, place
        self._at_once = at_once
        assert asked.allocation is not None
        self._nodes = {node.name: node for node in asked.allocation.nodes}
        self._mark = f"#slowlink-{os.urandom(8).hex()}"
        self._number = 0
        self.interrupted = False

    def measure(self, groups: Sequence[Group], told: Callable[[Group, float | None], None]) -> list[float | None]:
        """GB/s of each group; None for one that did not finish. ``told`` hears of each as it ends.

        Raises SlowlinkError when a group cannot be planned or the bundle not be written.
        """
        self._number += 1
        prepared = [self._prepared(group) for group in groups]
        found: list[float | None] = [None] * len(groups)
        with self._bundle.many():
            for place, answer in self._ended(prepared):
                found[place] = self._keep(groups[place], prepared[place], answer)
                told(groups[place], found[place])
        return found

    def _prepared(self, group: Group) -> Prepared:
        allocation = Allocation(tuple(self._nodes[name] for name in group), "a group of this search")
        ranks = None if self._asked.ranks_per_node is None else self._asked.ranks_per_node * len(group)
        asked = replace(self._asked, allocation=allocation, nranks=ranks)
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
            yield from answers(
                as_nodes, script, Here(), timeout_s=limit, fanout=self._at_once or len(prepared), stop=stop, held=True
            )
        except KeyboardInterrupt:
            self.interrupted = True
        self.interrupted = self.interrupted or stop.is_set()

    def _variables(self, prepared: Prepared) -> dict[str, str]:
        """Of the launcher; a step of Slurm needs those of its allocation, which the script takes away from others."""
        own = {name: value for name, value in self._here.environment.items() if name.startswith("SLURM_")}
        return {**(own if prepared.plan.launcher == "slurm" else {}), **prepared.plan.env}

    def _keep(self, group: Group, prepared: Prepared, answer: Answer) -> float | None:
        end = alone_end(answer.stderr, self._mark)
        with self._bundle.capture(
            f"round-{self._number}/{'+'.join(group)}", COLLECTIVE_KIND, prepared.plan.argv, env=prepared.job.env
        ) as capture:
            capture.write_stdout(answer.stdout)
            if end.stderr:
                capture.write_stderr(end.stderr)
            reason = "exited" if end.status is not None else "timeout"
            capture.end(Ended(end.status, None, reason, answer.started_at, answer.seconds, answer.trouble, ()))
        return plateau_of(answer.stdout, prepared.request.max_bytes) if end.status == 0 else None


def plateau_of(text: str, largest_bytes: int) -> float | None:
    """What a table says of large sizes, GB/s: the median of busbw from a quarter of its largest size up. None where it
    does not get to ``largest_bytes``."""
    rows = [row for row in LiveTable().feed(text.encode()) if row.busbw_gbs is not None]
    sizes = [row.size_bytes for row in rows]
    if not rows or 2 * max(sizes) <= largest_bytes:
        return None
    return median(row.busbw_gbs or 0.0 for row in rows if row.size_bytes * _PLATEAU >= max(sizes))
