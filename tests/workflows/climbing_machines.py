"""An executor that measures nothing: it writes what each test would print, and can be interrupted anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from slowlink.bundle import BundleWriter
from slowlink.collectives import busbw_factor
from slowlink.ladder.plan import Machine, NodeParts, Wanted, plan_ladder
from slowlink.model.ladder import Ladder, LadderPlan, LadderTest
from slowlink.model.plan import Ended
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, render

Give = Callable[[LadderTest], float | None]
SIZES = (1 << 20, 2 << 20, 4 << 20)


def cpu_plan(count: int = 4) -> LadderPlan:
    parts = tuple(NodeParts(f"node{number}") for number in range(1, count + 1))
    return plan_ladder(Machine(parts, ranks_per_node=2), Wanted(snapshot=False))


def gpu_plan(count: int = 4) -> LadderPlan:
    """GPUs, and no perftest: collectives alone."""
    parts = tuple(NodeParts(f"node{number}", 8) for number in range(1, count + 1))
    machine = Machine(parts, on_gpu=True, ranks_per_node=8, no_perftest="no ib_write_bw here")
    return plan_ladder(machine, Wanted(snapshot=False))


def table(test: LadderTest, gbs: float) -> str:
    """What a benchmark prints that finds this bus bandwidth at every size."""
    ranks = test.ranks_per_node or 8
    factor = busbw_factor(test.collective, ranks * len(test.nodes)) or 1.0
    measured = {size: Measured(size / gbs / 1e3 * factor) for size in SIZES}
    steps = tuple(Step(size, each, each) for size, each in measured.items())
    hosts = tuple(Node(node, 4000, ranks) for node in test.nodes)
    return "\n".join(render(Run(test.collective, hosts, steps, gpu="Some GPU"), "2.17.9")) + "\n"


class MadeUp:
    """``give``: GB/s of each test, None: it hangs. ``stop``: before the test of this number somebody ends it: by
    Ctrl-C, so that it is noted; or, with ``killed``, so that nothing is."""

    def __init__(self, bundle: BundleWriter, give: Give, stop: int | None = None, *, killed: bool = False) -> None:
        self._bundle, self._give, self._stop, self._killed = bundle, give, stop, killed
        self.names: list[str] = []

    def run(self, tests: Sequence[LadderTest]) -> None:
        for test in tests:
            if len(self.names) == self._stop:
                self._cut_off(test)
            self.names.append(test.name)
            gbs = self._give(test)
            with self._bundle.capture(test.name, "collective", ("mpirun",)) as capture:
                if gbs is not None:
                    capture.write_stdout(table(test, gbs))
                reason = "exited" if gbs is not None else "timeout"
                capture.end(Ended(0 if gbs is not None else None, None, reason, 1795000000.0, 2.0))

    def _cut_off(self, test: LadderTest) -> None:
        capture = self._bundle.capture(test.name, "collective", ("mpirun",))
        capture.write_stdout(table(test, 1.0)[:400])
        if self._killed:
            raise SystemExit("killed")
        with capture:
            capture.end(Ended(None, None, "interrupted", time.time(), 1.0))
        raise KeyboardInterrupt


class Silent:
    """Tells nobody."""

    def begun(self, tests: Sequence[LadderTest]) -> None: ...

    def ended(self, tests: Sequence[LadderTest], ladder: Ladder) -> None: ...

    def words(self, text: str) -> None: ...


def new_bundle(place: Path) -> BundleWriter:
    return BundleWriter(place, clock=lambda: 1795000000.0)
