"""Clusters that do not exist, for experiments: settings with known effects, under noise of several kinds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping

from slowlink.experiments.interference import Comparison
from slowlink.experiments.interference import Rules as InterferenceRules
from slowlink.experiments.tuning import Rules, Search
from slowlink.model.experiment import Change, Iterations, Late, Launched, Trial

PLAIN_US = 100.0


class MadeUp:
    """``effects``: by how much a change is faster, as a log. ``sd``: of a launch. ``heavy``: this share of the launches
    is hit by something else. ``drift``: a slow wave, as a log."""

    def __init__(
        self, effects: Mapping[str, float], sd: float, seed: int, *, heavy: float = 0.0, drift: float = 0.0
    ) -> None:
        self._effects, self._sd, self._heavy, self._drift = effects, sd, heavy, drift
        self.chance = random.Random(seed)
        self._launches = 0

    def log_time(self, on: Iterable[str]) -> float:
        self._launches += 1
        noise = self.chance.gauss(0, self._sd)
        if self.chance.random() < self._heavy:
            noise += self.chance.expovariate(1) * 8 * self._sd
        wave = self._drift * math.sin(self._launches / 9)
        return math.log(PLAIN_US) + noise + wave - sum(self._effects[name] for name in on)

    def launch(self, trial: Trial) -> Launched:
        return Launched(trial, {1024: math.exp(self.log_time(trial.on))})


def change(name: str) -> Change:
    return Change(f"{name}=1", name, "1")


def searched(effects: Mapping[str, float], seed: int, sd: float, **more: float) -> Search:
    """A whole tune; effects by the name of the variable."""
    cluster = MadeUp({f"{name}=1": gain for name, gain in effects.items()}, sd, seed, **more)
    search = Search(Rules(tuple(map(change, effects)), seed=seed))
    while trials := search.plan():
        for trial in trials:
            search.add(cluster.launch(trial))
    return search


LOAD = Change("cpu on node3")
RANKS = 4


def compared(
    slower: float,
    seed: int,
    sd: float,
    *,
    late_rank: int | None = None,
    duty: float = 1.0,
    heavy: float = 0.0,
    drift: float = 0.0,
) -> Comparison:
    """A whole interfere. ``slower``: as a log, in a share ``duty`` of the iterations; ``late_rank`` comes that late."""
    cluster = MadeUp({LOAD.id: 0.0}, sd, seed, heavy=heavy, drift=drift)
    comparison = Comparison(InterferenceRules(LOAD, seed=seed))
    while trials := comparison.plan():
        for trial in trials:
            comparison.add(_iterated(cluster, trial, slower, late_rank, duty))
    return comparison


def _iterated(cluster: MadeUp, trial: Trial, slower: float, late_rank: int | None, duty: float) -> Launched:
    chance = cluster.chance
    usual = math.exp(cluster.log_time(()))
    hit = [bool(trial.on) and chance.random() < duty for _ in range(50)]
    times = [usual * math.exp(chance.gauss(0, 0.02) + (slower if each else 0.0)) for each in hit]
    extra = sum(times) / 50 - usual
    late = tuple(
        Late(
            rank,
            f"node{rank + 1}",
            chance.gauss(0, 0.5) + (extra if rank == late_rank and trial.on else 0.0),
            0.9 if rank == late_rank and trial.on else 1 / RANKS,
        )
        for rank in range(RANKS)
    )
    return Launched(trial, {1024: sum(times) / 50}, iterations=(Iterations(1024, tuple(times)),), late=late)
