"""Questions to what was launched: times, pairs, noise. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import expm1, log

from slowlink.averages import fmean, median
from slowlink.experiments.betting import robust_sd
from slowlink.experiments.outliers import change_points
from slowlink.model.experiment import Launched

Response = Callable[[Launched], float]
_FEW = 3
_MOST_SERIES = 2000
"""Launches that are searched for drift: the time for it grows with their square."""
_DRIFT = 0.02
"""As a log: a jump of less is not worth a note."""


def counts(launched: Launched) -> bool:
    """Did it give a number?"""
    return bool(launched.times_us) and not launched.why


def log_time(launched: Launched) -> float:
    """The mean over the sizes of the logarithm of a call's time: each size counts alike."""
    return fmean(log(time) for time in launched.times_us.values())


def pairs(results: Iterable[Launched], stage: str, about: str) -> list[tuple[Launched, Launched]]:
    """(without, with) of each pair in which both gave a number of the same sizes, in order."""
    found: dict[int, list[Launched]] = {}
    for launched in results:
        trial = launched.trial
        if trial.pair and (trial.stage, trial.about) == (stage, about) and counts(launched):
            found.setdefault(trial.pair, []).append(launched)
    whole = [each for _, each in sorted(found.items()) if len(each) == 2]
    ordered = [sorted(each, key=lambda launched: len(launched.trial.on)) for each in whole]
    return [(off, on) for off, on in ordered if off.times_us.keys() == on.times_us.keys()]


def differences(found: Sequence[tuple[Launched, Launched]], response: Response = log_time) -> list[float]:
    """Of each pair: without less with. Above 0: faster with it."""
    return [response(off) - response(on) for off, on in found]


def tried_pairs(results: Iterable[Launched], stage: str, about: str) -> int:
    """The highest number of a pair, whole or not."""
    return max((r.trial.pair for r in results if (r.trial.stage, r.trial.about) == (stage, about)), default=0)


def drift_notes(results: Sequence[Launched], response: Response = log_time) -> list[str]:
    """Where all launches become slower or faster at once, whatever was on; in words."""
    kinds: dict[tuple[str, ...], list[Launched]] = {}
    for launched in results:
        if counts(launched):
            kinds.setdefault(launched.trial.on, []).append(launched)
    middles = {on: median(map(response, each)) for on, each in kinds.items() if len(each) >= _FEW}
    series = [launched for launched in results if counts(launched) and launched.trial.on in middles]
    rest = [response(launched) - middles[launched.trial.on] for launched in series[:_MOST_SERIES]]
    notes = []
    if len(series) > _MOST_SERIES:
        notes.append(f"whether launches drift was looked for in the first {_MOST_SERIES} alone")
    for place, before, after in _jumps(rest):
        change = expm1(after - before)
        word = "slower" if change > 0 else "faster"
        number = series[place].trial.number
        notes.append(f"from launch {number} on everything is {abs(change):.1%} {word}, whatever is on")
    return notes


def _jumps(rest: Sequence[float]) -> list[tuple[int, float, float]]:
    """(place, mean before, mean from there on)."""
    places = change_points(rest)
    edges = [0, *places, len(rest)]
    means = [fmean(rest[start:end]) for start, end in pairwise(edges) if end > start]
    found = zip(places, means, means[1:], strict=False)  # a mean more than places
    return [(place, before, after) for place, before, after in found if abs(after - before) >= _DRIFT]


def noise(groups: Iterable[Sequence[float]]) -> float | None:
    """One standard deviation of launches of the same; ``groups``: log times of alike launches. None: nothing tells."""
    rest = [value - median(group) for group in groups if len(group) > 1 for value in group]
    return robust_sd(rest)
