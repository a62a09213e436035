"""How well is it told who holds a running job up? Made-up trainings of 1,024 ranks, as NCCL's Inspector times them.

    python bench/inside_the_job.py [--jobs 100] [--healthy 200] [--steps 50]

Each job has one fault, or none: a slow rank, a throttled GPU, a slow HCA, a slow path between two nodes that send to
one another, or a slow node, at a place, of a strength and from a time on that are drawn. *named*: exactly that one is
blamed. *wider*: it is among several places that are left, and no other is blamed. *wrong*: somebody is blamed who is
sound. Of two models of noise the first is the one that the judge was made with, the second (heavy tails,
interruptions, drift, uneven paths) is not.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from msgspec import Struct

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.columns import columns_of, host_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

KINDS = ("none", "rank", "gpu", "hca", "path", "node")
NOISES = {
    "first noise": Noise(),
    "second noise": Noise(gpu=0.006, path=0.02, transfer=0.04, hiccups=0.005, tails=True, drift=0.05),
}
SHAPES = (Shape(8, 32, 4), Shape(8, 16, 8), Shape(8, 64, 2))


class Score(Struct):
    """Of one kind of fault."""

    named: int = 0
    wider: int = 0
    missed: int = 0
    wrong: int = 0
    seconds: float = 0.0

    def line(self, name: str) -> str:
        count = self.named + self.wider + self.missed + self.wrong
        return (
            f"  {name:6} {self.named / count:8.1%} {self.wider / count:8.1%} {self.missed / count:8.1%} "
            f"{self.wrong / count:8.1%} {self.seconds / count:8.2f}"
        )


def fault(kind: str, shape: Shape, chance: random.Random) -> tuple[Sick, set[str]]:
    """The fault, and the names of those who may be blamed for it."""
    since = chance.choice((0.0, chance.uniform(0.1, 0.85)))
    nodes = shape.data * shape.pipeline
    rank = chance.randrange(shape.ranks)
    node, place = divmod(rank, shape.tensor)
    if kind in ("rank", "gpu"):
        left = chance.uniform(0.85, 0.95) if kind == "rank" else chance.uniform(0.5, 0.85)
        return Sick(gpu={rank: left}, since=since), {f"{host_of(node, nodes)} {place}"}
    if kind == "hca":
        return Sick(hca={rank: chance.uniform(0.25, 0.75)}, since=since), {f"{host_of(node, nodes)} {place}"}
    if kind == "node":
        ranks = range(node * shape.tensor, (node + 1) * shape.tensor)
        return Sick(gpu=dict.fromkeys(ranks, chance.uniform(0.85, 0.93)), since=since), {host_of(node, nodes)}
    if kind == "path":
        one = chance.randrange(shape.data * (shape.pipeline - 1))
        other = one + shape.data
        ends = "+".join((host_of(one, nodes), host_of(other, nodes)))
        return Sick(path={(one, other): chance.uniform(0.25, 0.75)}, since=since), {ends}
    return Sick(), set()


def blamed(found: HeldUp, known: Timed) -> tuple[set[str], set[str]]:
    """Who is named, and who is one of several that were left."""
    named: set[str] = set()
    several: set[str] = set()
    hosts: dict[str, set[int]] = {}
    for late in found.late:
        process = known.processes[late.process]
        hosts.setdefault(str(process.host), set()).add(process.place or 0)
    for host, places in hosts.items():
        whole = len(places) == known.processes[found.late[0].process].of_node
        named |= {host} if whole else {f"{host} {place}" for place in places}
    for slow in found.slow:
        ends = {f"{known.processes[end].host} {known.processes[end].place}" for end in slow.place.processes}
        if slow.place.kind == "path" and len(slow.place.nodes) == 2:
            named.add("+".join(slow.place.nodes))
        elif slow.place.kind == "node":
            named |= {*slow.place.nodes}
        elif slow.place.candidates == 1:
            named |= ends
        else:
            several |= ends | {*slow.place.nodes}
    return named, several


def score(kind: str, noise: Noise, jobs: int, steps: int) -> Score:
    result = Score()
    for seed in range(jobs):
        chance = random.Random(f"{kind} {seed}")
        shape = chance.choice(SHAPES)
        sick, truth = fault(kind, shape, chance)
        known = timed(list(columns_of(Job(shape, noise, sick, seed), steps)))
        assert known is not None
        began = time.process_time()
        found = held_up(known, Params().tolerances())
        result.seconds += time.process_time() - began
        named, several = blamed(found, known)
        if named - truth:
            result.wrong += 1
        elif named == truth and not several:
            result.named += 1
        elif truth and truth <= named | several:
            result.wider += 1
        else:
            result.missed += 1
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100, help="of each kind and noise")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--healthy", type=int, help="of those without a fault; default: as --jobs")
    parser.add_argument("--second", action="store_true", help="the second noise alone")
    given = parser.parse_args()
    print(f"{given.jobs} trainings of each kind, 1,024 ranks, {given.steps} steps; seconds of processor for the judge")
    for name, noise in list(NOISES.items())[given.second :]:
        print(f"{name}\n         named    wider   missed    wrong  seconds")
        for kind in KINDS:
            count = given.jobs if kind != "none" or given.healthy is None else given.healthy
            print(score(kind, noise, count, given.steps).line(kind), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
