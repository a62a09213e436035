"""How well is it told who holds a running job up? Made-up trainings of 1,024 ranks, as NCCL's Inspector times them.

    python bench/inside_the_job.py [--jobs 100] [--healthy 200] [--steps 50] [--answer]

Each job has one fault, or none: a slow rank, a throttled GPU, a slow HCA, a slow path between two nodes that send to
one another, or a slow node, at a place, of a strength and from a time on that are drawn. *named*: exactly that one is
blamed, for what is wrong with it. *wider*: it is among several places that are left, and no other is blamed. *open*: it
is said that the job is held up, and by whom cannot be told. *wrong*: somebody is blamed who is sound, or for another
fault than his, or is among several of whom none is it. Of two models of noise the first is the one that the judge was
made with, the second (heavy tails, interruptions, drift, uneven paths) is not. ``--profiler accl``: as ROCm's
accl-profiler tells it, without sends and receives, names of communicators, and a clock that others go by. ``--answer``:
how many steps after it fell sick ``slowlink follow`` says who, that looks every five steps (``time_to_answer.py``).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace
from time_to_answer import LOOK_STEPS, SICK_AT, STEPS, first_answer, line_of

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.expect.held_up.places import Place
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.accl_output import as_accl
from slowlink.simulate.training.columns import columns_of, host_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

COLUMNS = ("named", "wider", "open", "missed", "wrong")
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
    open: int = 0
    missed: int = 0
    wrong: int = 0
    seconds: float = 0.0

    def line(self, name: str) -> str:
        counts = [getattr(self, column) for column in COLUMNS]
        shares = " ".join(f"{count / sum(counts):8.1%}" for count in counts)
        return f"  {name:6} {shares} {self.seconds / sum(counts):8.2f}"


def fault(kind: str, shape: Shape, chance: random.Random) -> tuple[Sick, str]:
    """The fault, and what may be blamed for it."""
    since = chance.choice((0.0, chance.uniform(0.1, 0.85)))
    nodes = shape.data * shape.pipeline
    rank = chance.randrange(shape.ranks)
    node, place = divmod(rank, shape.tensor)
    if kind in ("rank", "gpu"):
        left = chance.uniform(0.85, 0.95) if kind == "rank" else chance.uniform(0.5, 0.85)
        return Sick(gpu={rank: left}, since=since), f"late {host_of(node, nodes)} {place}"
    if kind == "hca":
        return Sick(hca={rank: chance.uniform(0.25, 0.75)}, since=since), f"slow {host_of(node, nodes)} {place}"
    if kind == "node":
        ranks = range(node * shape.tensor, (node + 1) * shape.tensor)
        return Sick(gpu=dict.fromkeys(ranks, chance.uniform(0.85, 0.93)), since=since), f"late {host_of(node, nodes)}"
    if kind == "path":
        one = chance.randrange(shape.data * (shape.pipeline - 1))
        other = one + shape.data
        ends = "+".join((host_of(one, nodes), host_of(other, nodes)))
        return Sick(path={(one, other): chance.uniform(0.25, 0.75)}, since=since), f"slow {ends}"
    return Sick(), ""


def blamed(found: HeldUp, known: Timed) -> list[set[str]]:
    """Of each accusation, who is accused of what: one, or several of whom it is one."""
    hosts: dict[str, set[int]] = {}
    for late in found.late:
        process = known.processes[late.process]
        hosts.setdefault(str(process.host), set()).add(process.place or 0)
    told: list[set[str]] = []
    for host, places in hosts.items():
        whole = len(places) == known.processes[found.late[0].process].of_node
        told += [{f"late {host}"}] if whole else [{f"late {host} {place}"} for place in places]
    return told + [slow_at(slow.place, known) for slow in found.slow]


def slow_at(place: Place, known: Timed) -> set[str]:
    """What can be slow there."""
    ends = {f"slow {known.processes[end].host} {known.processes[end].place}" for end in place.processes}
    paths = {f"slow {one}+{other}" for one, other in combinations(sorted(place.nodes), 2)}
    if place.kind == "path":
        return paths
    if place.kind == "node":
        return {f"slow {place.nodes[0]}"}
    return ends if place.candidates == 1 else ends | paths | {f"slow {node}" for node in place.nodes}


def column_of(found: HeldUp, known: Timed, truth: str) -> str:
    """Which of ``COLUMNS``; of a healthy job (``truth`` is "") *named* is that nothing is said."""
    told = blamed(found, known)
    if any(truth not in each for each in told):
        return "wrong"
    if told:
        return "named" if all(each == {truth} for each in told) else "wider"
    if found.undecided:
        return "open"
    return "missed" if truth else "named"


def score(kind: str, noise: Noise, jobs: int, steps: int, profiler: str) -> Score:
    result = Score()
    for seed in range(jobs):
        chance = random.Random(f"{kind} {seed}")
        shape = chance.choice(SHAPES)
        sick, truth = fault(kind, shape, chance)
        columns = columns_of(Job(shape, noise, sick, seed), steps)
        known = timed(list(as_accl(columns) if profiler == "accl" else columns))
        assert known is not None
        began = time.process_time()
        found = held_up(known, Params().tolerances())
        result.seconds += time.process_time() - began
        column = column_of(found, known, truth)
        setattr(result, column, getattr(result, column) + 1)
        if column not in ("named", "wider"):
            print(f"    {kind} {seed}: {column}: {truth or 'sound'}: {blamed(found, known)}"[:200], file=sys.stderr)
    return result


def answers(noises: list[tuple[str, Noise]], jobs: int) -> None:
    print(f"{jobs} trainings of each kind, 1,024 ranks; follow looks every {LOOK_STEPS} steps of {STEPS}")
    for name, noise in noises:
        print(f"{name}\n         {'named':>8} {'else':>8} {'never':>8}   steps until it is named: middle, 95 %, most")
        for kind in KINDS:
            told = []
            for seed in range(jobs):
                chance = random.Random(f"{kind} {seed}")
                shape = chance.choice(SHAPES)
                sick, truth = fault(kind, shape, chance)
                told.append(first_answer(Job(shape, noise, replace(sick, since=SICK_AT / STEPS), seed), truth, told_of))
            print(line_of(kind, told), flush=True)


def told_of(found: HeldUp, known: Timed, truth: str) -> bool:
    return column_of(found, known, truth) == "named"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100, help="of each kind and noise")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--healthy", type=int, help="of those without a fault; default: as --jobs")
    parser.add_argument("--profiler", choices=["inspector", "accl"], default="inspector")
    parser.add_argument("--answer", action="store_true", help="how long until follow says who")
    parser.add_argument("--second", action="store_true", help="the second noise alone")
    given = parser.parse_args()
    if given.answer:
        answers(list(NOISES.items())[given.second :], given.jobs)
        return 0
    print(f"{given.jobs} trainings of each kind, 1,024 ranks, {given.steps} steps; seconds of processor for the judge")
    for name, noise in list(NOISES.items())[given.second :]:
        print(f"{name}\n         {' '.join(f'{column:>8}' for column in (*COLUMNS, 'seconds'))}")
        for kind in KINDS:
            count = given.jobs if kind != "none" or given.healthy is None else given.healthy
            print(score(kind, noise, count, given.steps, given.profiler).line(kind), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
