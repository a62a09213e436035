"""What one factor that is switched on and off does to the iterations of a collective, and for which rank all wait.

Pairs of launches with and without it, order by lot, until the effect on the mean iteration is settled. The mean is what
a job pays; median and 99th percentile tell whether every iteration is a little slower, or a few are much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import exp, expm1, log, log1p
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from slowlink.averages import fmean, median
from slowlink.experiments.betting import fewest_pairs
from slowlink.experiments.bootstrap import bootstrap_interval
from slowlink.experiments.judging import shift_of, standing
from slowlink.experiments.lots import comes_first
from slowlink.experiments.power import pairs_wanted
from slowlink.experiments.results import counts, differences, drift_notes, log_time, noise, pairs, tried_pairs
from slowlink.experiments.slowest import slowest_ranks
from slowlink.experiments.unpaired import unpaired_shift
from slowlink.model.experiment import Change, Interference, Launched, Quantity, Shift, Trial

if TYPE_CHECKING:
    import numpy as np

STAGE = "compare"
_LOST = 3
_SLOWED_ABOVE = 0.99
"""Quantile of the iterations without the factor: what lies above is slowed."""


class Rules(Struct, frozen=True):
    """How the experiment is to be done."""

    change: Change
    margin: float = 0.01
    confidence: float = 0.95
    most_pairs: int = 20
    seed: int = 0

    @property
    def error(self) -> float:
        return 1 - self.confidence


class Comparison:
    """Ask ``plan`` what to launch next, tell ``add`` what it gave, until ``plan`` has nothing; then ``verdict``."""

    def __init__(self, rules: Rules, known: Iterable[Launched] = (), *, by_lot: bool = True) -> None:
        """``by_lot``: False for launches of two bundles that were not mixed: then nothing more is planned."""
        self.rules, self._by_lot = rules, by_lot
        self.results: list[Launched] = list(known)

    def add(self, launched: Launched) -> None:
        """What one trial gave."""
        self.results.append(launched)

    def plan(self) -> tuple[Trial, ...]:
        """The next pair; empty when all is settled, or no more may be spent."""
        about = self.rules.change.id
        tried = tried_pairs(self.results, STAGE, about)
        if not self._by_lot or self._is_settled(tried):
            return ()
        both = [Trial(0, STAGE, (), about, tried + 1), Trial(0, STAGE, (about,), about, tried + 1)]
        ordered = both[::-1] if comes_first(self.rules.seed, about, tried + 1) else both
        first = len(self.results) + 1
        return tuple(replace(trial, number=first + place) for place, trial in enumerate(ordered))

    def _is_settled(self, tried: int) -> bool:
        shift = self._shift(mean_time)
        if tried - shift.pairs >= _LOST or shift.pairs >= self.rules.most_pairs:
            return True
        return standing(shift, self.rules.margin) != "open"

    def _pairs(self) -> list[tuple[Launched, Launched]]:
        return pairs(self.results, STAGE, self.rules.change.id)

    def _shift(self, response: Callable[[Launched], float]) -> Shift:
        """Above 0: faster with the factor."""
        if self._by_lot:
            return shift_of(differences(self._pairs(), response), self.rules.error)
        off, on = self._sides()
        return unpaired_shift([response(each) for each in off], [response(each) for each in on], self.rules.error)

    def _sides(self) -> tuple[list[Launched], list[Launched]]:
        """Launches without it, and with it, that are held against each other."""
        if self._by_lot:
            found = self._pairs()
            return [off for off, _ in found], [on for _, on in found]
        good = [launched for launched in self.results if counts(launched)]
        return [each for each in good if not each.trial.on], [each for each in good if each.trial.on]

    def verdict(self) -> Interference:
        """What is known now."""
        rules, shift = self.rules, self._shift(mean_time)
        off, on = self._sides()
        found = standing(shift, rules.margin)
        wanted = None
        if found == "open" and shift.sd is not None and self._by_lot:
            wanted = pairs_wanted(shift.estimate, log1p(rules.margin), shift.sd, rules.error)
        everyone = [launched for launched in (*off, *on) if launched.late]
        return Interference(
            change=rules.change,
            standing=found,
            quantities=tuple(self._quantities(off, on)),
            slowest=tuple(slowest_ranks(off, on)) if found == "harms" else (),
            ranks_seen=len(everyone[0].late) if everyone else 0,
            slowed=_slowed(off, on, rules.confidence, rules.seed) if off and on else None,
            margin=rules.margin,
            confidence=rules.confidence,
            spread=_spread(off, on),
            pairs=shift.pairs,
            launches=len(self.results),
            failed=sum(not counts(launched) for launched in self.results),
            by_lot=self._by_lot,
            launches_wanted=wanted,
            notes=tuple(self._notes()),
        )

    def _quantities(self, off: Sequence[Launched], on: Sequence[Launched]) -> list[Quantity]:
        if not off or not on:
            return []
        wanted = _QUANTITIES if all(launched.iterations for launched in (*off, *on)) else _QUANTITIES[:1]
        found = []
        for name, response, of_largest in wanted:
            faster = self._shift(response)
            slower = replace(faster, estimate=-faster.estimate, low=-faster.high, high=-faster.low)
            found.append(Quantity(name, slower, median(map(of_largest, off)), median(map(of_largest, on))))
        return found

    def _notes(self) -> list[str]:
        if self._by_lot:
            lost = [launched.why for launched in self.results if launched.why]
            told = [f"{len(lost)} launches do not count: {lost[-1]}"] if lost else []
            return [*told, *drift_notes(self.results, mean_time)]
        return ["all launches of one bundle came before those of the other: all that changed between them counts"]


def fewest(confidence: float) -> int:
    """Pairs below which nothing is ever said."""
    return fewest_pairs(1 - confidence)


def mean_time(launched: Launched) -> float:
    """Logarithm of the mean iteration; the mean over sizes."""
    return _over_sizes(launched, lambda times: fmean(times))


def _over_sizes(launched: Launched, quantity: Callable[[Sequence[float]], float]) -> float:
    if not launched.iterations:
        return log_time(launched)
    return fmean(log(max(quantity(each.times_us), 1e-3)) for each in launched.iterations)


def _of_largest(quantity: Callable[[Sequence[float]], float]) -> Callable[[Launched], float]:
    def found(launched: Launched) -> float:
        if not launched.iterations:
            return launched.times_us[max(launched.times_us)]
        largest = max(each.size_bytes for each in launched.iterations)
        return quantity([time for each in launched.iterations if each.size_bytes == largest for time in each.times_us])

    return found


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies, between neighbours in proportion. Not of nothing."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _p99(values: Sequence[float]) -> float:
    return percentile(values, 0.99)


_QUANTITIES: tuple[tuple[str, Callable[[Launched], float], Callable[[Launched], float]], ...] = (
    ("mean", mean_time, _of_largest(fmean)),
    ("median", lambda launched: _over_sizes(launched, median), _of_largest(median)),
    ("p99", lambda launched: _over_sizes(launched, _p99), _of_largest(_p99)),
)


def _slowed(
    off: Sequence[Launched], on: Sequence[Launched], confidence: float, seed: int
) -> tuple[float, float, float] | None:
    """The share of the iterations of the largest size that are slower with the factor than nearly all without it,
    less what chance gives."""
    sides = [[_largest_times(each) for each in side] for side in (off, on)]
    if not all(any(map(len, side)) for side in sides):
        return None
    return bootstrap_interval(sides[0], sides[1], _share_above, confidence=confidence, seed=seed)


def _share_above(off: np.ndarray, on: np.ndarray) -> float:
    import numpy as np

    limit = float(np.quantile(off, _SLOWED_ABOVE))
    return max(0.0, float((on > limit).mean() - (off > limit).mean()))


def _largest_times(launched: Launched) -> Sequence[float]:
    largest = max((each.size_bytes for each in launched.iterations), default=0)
    return [time for each in launched.iterations if each.size_bytes == largest for time in each.times_us]


def _spread(off: Sequence[Launched], on: Sequence[Launched]) -> float | None:
    found = noise([[mean_time(each) for each in side] for side in (off, on)])
    return None if found is None else expm1(found)


def in_words(shift: Shift) -> tuple[float, float, float]:
    """Estimate, low and high as shares: 0.3 is 30 % longer."""
    return expm1(shift.estimate), exp(shift.low) - 1, exp(min(shift.high, 700.0)) - 1
