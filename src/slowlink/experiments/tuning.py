"""Which of many changes help: a look at each, a design for all, and pairs on fresh launches for the best.

*Look*: the plain environment three times, each change once alone. It tells what does not run, what the log shows to be
in force, and what changes so much that it would drown the others: that one is confirmed first, and stays on for them.
*Screen*: a design (``designs``) in which every launch tells of every change. *Confirm*: the best of them, each in pairs
with and without it, order by lot (``lots``), stopped as soon as it is settled (``betting``), all of them judged
together (Holm). The look and the screen choose; only confirming says that something helps, for the best of many looks
better than it is. *Together*: all that help against none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import log, log1p, sqrt
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.averages import median
from slowlink.experiments.betting import fewest_pairs, robust_sd
from slowlink.experiments.designs import MOST_CHANGES, Contrast, contrasts, design
from slowlink.experiments.in_force import is_seen, is_told
from slowlink.experiments.judging import holm_errors, shift_of, standing
from slowlink.experiments.lots import comes_first, shuffled
from slowlink.experiments.outliers import Z, robust_z
from slowlink.experiments.power import pairs_wanted
from slowlink.experiments.results import counts, differences, log_time, pairs, tried_pairs
from slowlink.model.experiment import Change, Launched, Shift, Trial

MOST_SCREENS = 3
"""Times that a design is launched, where that settles more."""
_LOST = 3
"""Pairs that may be lost to launches that fail, before a change is given up."""
_MUCH = log(1.2)
_FLOOR = 0.02
"""Least spread of the looks, as a log: one look each tells no finer."""


T = TypeVar("T")


def _once(method: Callable[[Any], T]) -> Callable[[Any], T]:
    """What follows from the launches so far is worked out once, until there is another launch."""

    @wraps(method)
    def remembered(self: Any) -> T:
        if method.__name__ not in self._worked_out:
            self._worked_out[method.__name__] = method(self)
        found: T = self._worked_out[method.__name__]
        return found

    return remembered


class Rules(Struct, frozen=True):
    """How an experiment is to be done."""

    changes: tuple[Change, ...]
    margin: float = 0.01
    confidence: float = 0.95
    most_confirmed: int = 4
    """Changes that get launches of their own."""
    most_pairs: int = 20
    """For each of them."""
    seed: int = 0
    removing: bool = False

    @property
    def error(self) -> float:
        return 1 - self.confidence


class Search:
    """Ask ``plan`` what to launch next, tell ``add`` what it gave, until ``plan`` has nothing."""

    def __init__(self, rules: Rules, known: Iterable[Launched] = ()) -> None:
        self.rules = rules
        self.results: list[Launched] = list(known)
        self._worked_out: dict[str, Any] = {}
        self._by_id = {change.id: change for change in rules.changes}

    def add(self, launched: Launched) -> None:
        """What one trial gave."""
        self.results.append(launched)
        self._worked_out.clear()

    def plan(self) -> tuple[Trial, ...]:
        """The next launches, in order; empty when all is settled, or no more may be spent."""
        for step in (self._look, self._drowning, self._screen, self._confirm, self._together):
            found = step()
            if found is None:
                return ()
            if found:
                first = len(self.results) + 1
                return tuple(replace(trial, number=first + place) for place, trial in enumerate(found))
        return ()

    # ---- what is known ----

    @property
    @_once
    def family(self) -> int:
        """How many are judged together: settled by the looks, before the first pair."""
        worth = [name for name in self.gains_at_look() if self._is_worth_it(name)]
        return max(1, min(self.rules.most_confirmed, len(worth)))

    def _is_worth_it(self, name: str) -> bool:
        return self.in_force(name) is not False and not self.elsewhere(name)

    def of_stage(self, stage: str) -> list[Launched]:
        """Launches of one stage."""
        return [launched for launched in self.results if launched.trial.stage == stage]

    def looks(self, change: str | None) -> list[Launched]:
        """The look at a change; None: at the plain environment."""
        on = () if change is None else (change,)
        return [launched for launched in self.of_stage("look") if launched.trial.on == on]

    @property
    def plain_runs(self) -> bool:
        """Did the plain environment give a number?"""
        return any(map(counts, self.looks(None)))

    def fails(self, change: str) -> bool:
        """It was looked at twice, and gave nothing, while the plain environment runs."""
        looks = self.looks(change)
        return len(looks) > 1 and not any(map(counts, looks))

    def in_force(self, change: str) -> bool | None:
        """Does a log show it? None: no log would say."""
        known, looks = self._by_id[change], [each for each in self.looks(change) if counts(each)]
        if known.value is None:
            looks = [each for each in self.looks(None) if counts(each)]
        told = [each for each in looks if known.library in each.tells]
        if not told:
            return None
        if known.value is None:
            return any(known.name in each.seen for each in told)
        if any(is_seen(known.name, known.value, each.seen) for each in told):
            return True
        without = [each.seen for each in self.looks(None) if counts(each) and known.library in each.tells]
        plain = {name: tuple(v for seen in without for v in seen.get(name, ())) for seen in without for name in seen}
        return bool(without) and any(is_told(known.name, each.seen, plain) for each in told)

    def elsewhere(self, change: str) -> bool:
        """Does it only matter on networks that are not used here?"""
        used = {network for each in self.looks(None) for network in each.networks}
        where = self._by_id[change].networks
        return bool(used and where) and not used & set(where)

    @_once
    def gains_at_look(self) -> dict[str, float]:
        """Of every change that gave a number, against the plain environment (log)."""
        plain = [log_time(each) for each in self.looks(None) if counts(each)]
        found = {}
        for change in self._by_id:
            values = [log_time(each) for each in self.looks(change) if counts(each)]
            if values and plain:
                found[change] = median(plain) - median(values)
        return found

    @_once
    def drowning(self) -> list[str]:
        """Changes with an effect so large that it shows at one look; the largest first."""
        gains = self.gains_at_look()
        plain = [log_time(each) for each in self.looks(None) if counts(each)]
        around = [median(plain) - value for value in plain] if plain else []
        z = robust_z([*gains.values(), *around], _FLOOR)
        large = [name for (name, gain), score in zip(gains.items(), z, strict=False) if abs(score) > Z and _large(gain)]
        usable = [name for name in large if self._is_worth_it(name)]
        return sorted(usable, key=lambda name: -abs(gains[name]))[: self.family]

    @_once
    def known_sd(self) -> float:
        """Of a pair's difference, from the looks alone: it is settled before the first pair."""
        gains = self.gains_at_look()
        plain = [log_time(each) for each in self.looks(None) if counts(each)]
        quiet = [gain for name, gain in gains.items() if name not in self.drowning()]
        middle = median(plain) if plain else 0.0
        return max(robust_sd([*quiet, *(middle - value for value in plain)]) or 0.05, 0.003) * sqrt(2)

    @_once
    def measurable(self) -> list[str]:
        """Changes that are worth more launches, one for each variable, without those that would drown the others."""
        gains, apart = self.gains_at_look(), set(self.drowning())
        best: dict[str, str] = {}
        taken = {self._by_id[name].name for name in apart}
        for name, gain in gains.items():
            variable = self._by_id[name].name or name
            if name in apart or variable in taken or not self._is_worth_it(name):
                continue
            if variable not in best or gain > gains[best[variable]]:
                best[variable] = name
        return list(best.values())

    @_once
    def shifts(self) -> dict[str, Shift]:
        """Of every change that had pairs of its own."""
        tried = dict.fromkeys(each.trial.about for each in self.of_stage("confirm"))
        found = {name: differences(pairs(self.results, "confirm", name)) for name in tried}
        rules, known = self.rules, self.known_sd()
        errors = holm_errors(found, rules.margin, rules.error, self.family, known)
        return {name: shift_of(values, errors[name], known) for name, values in found.items()}

    @_once
    def adopted(self) -> tuple[str, ...]:
        """Large changes that help: they stay on while the others are measured."""
        shifts, apart = self.shifts(), self.drowning()
        return tuple(name for name in apart if name in shifts and self._stands(shifts[name]) == "helps")

    @_once
    def contrasts(self) -> dict[str, Contrast]:
        """What the designs say."""
        found: dict[str, Contrast] = {}
        for number, changes in enumerate(self._designs(), 1):
            rows = [each for each in self.of_stage("screen") if each.trial.about == str(number) and counts(each)]
            on = [frozenset(each.trial.on) for each in rows]
            # It may be looked at after each repeat.
            error = self.rules.error * len(changes) / max(len(self.measurable()), 1) / MOST_SCREENS
            found |= contrasts(on, [log_time(each) for each in rows], changes, error) or {}
        return found

    @_once
    def chosen(self) -> list[str]:
        """Changes for which pairs are launched after the design, the most promising first."""
        room = self.family - len(self.drowning())
        rest = self.measurable()
        if len(rest) <= room:
            return rest
        worth = {
            name: abs(each.estimate) if self.rules.removing else each.estimate
            for name, each in self.contrasts().items()
        }
        least = {name: max(log1p(self.rules.margin) / 2, each.error) for name, each in self.contrasts().items()}
        promising = [name for name in worth if worth[name] > least[name]]
        return sorted(promising, key=lambda name: -worth[name])[: max(room, 0)]

    @_once
    def helping(self) -> list[str]:
        """What was confirmed; of a removal: what may go, since nothing shows that it carries."""
        shifts = self.shifts()
        if not self.rules.removing:
            return [name for name, shift in shifts.items() if self._stands(shift) == "helps"]
        harmful = {name for name, shift in shifts.items() if self._stands(shift) == "harms"}
        harmful |= {name for name, each in self.contrasts().items() if each.high < -log1p(self.rules.margin)}
        return [name for name in self._by_id if name not in harmful and name in self.gains_at_look()]

    # ---- what to launch next ----

    def _look(self) -> list[Trial] | None:
        looked = self.of_stage("look")
        ids = list(self._by_id)
        if not looked:
            between = shuffled(self.rules.seed, "look", [*((name,) for name in ids), ()])
            return [Trial(0, "look", on) for on in [(), *between, ()]]
        if not self.plain_runs:
            return None
        again = [name for name in ids if len(self.looks(name)) == 1 and not any(map(counts, self.looks(name)))]
        return [Trial(0, "look", (name,)) for name in again]

    def _drowning(self) -> list[Trial]:
        return self._pairs_of(self.drowning(), with_others=False)

    def _designs(self) -> list[list[str]]:
        rest = self.measurable()
        room = self.family - len(self.drowning())
        if len(rest) <= room:
            return []
        return [rest[start : start + MOST_CHANGES] for start in range(0, len(rest), MOST_CHANGES)]

    def _screen(self) -> list[Trial]:
        adopted = self.adopted()
        for number, changes in enumerate(self._designs(), 1):
            launched = sum(each.trial.about == str(number) for each in self.of_stage("screen"))
            rows = design(len(changes))
            repeats = launched // len(rows)
            if repeats and not self._is_worth_repeating(changes, repeats):
                continue
            rows = shuffled(self.rules.seed, f"screen {number}.{repeats}", rows)
            return [
                Trial(
                    0, "screen", (*adopted, *(name for name, on in zip(changes, row, strict=True) if on)), str(number)
                )
                for row in rows
            ]
        return []

    def _is_worth_repeating(self, changes: Sequence[str], repeats: int) -> bool:
        """Would all repeats together probably settle a change that is open, and that no pairs will be spent on?"""
        if repeats >= MOST_SCREENS or any(each.trial.about in self.chosen() for each in self.of_stage("confirm")):
            return False
        limit, shrinks = log1p(self.rules.margin), sqrt(repeats / MOST_SCREENS)
        for name, each in self.contrasts().items():
            half = (each.high - each.low) / 2
            is_open = each.low < -limit < each.high or each.low < limit < each.high
            if name in changes and is_open and abs(each.estimate) + half * shrinks <= limit:
                return True
        return False

    def _confirm(self) -> list[Trial]:
        return self._pairs_of(self.chosen(), with_others=True)

    def _together(self) -> list[Trial]:
        helping = self.helping()
        if len(helping) < 2:
            return []
        if self.together() is not None and self._is_settled("together", "", self.together(), self.rules.error):
            return []
        return self._pair("together", "", (), tuple(helping))

    @_once
    def together(self) -> Shift | None:
        """All that help against none; None where it was not launched."""
        if not self.of_stage("together"):
            return None
        return shift_of(differences(pairs(self.results, "together", "")), self.rules.error, self.known_sd())

    def _pairs_of(self, names: Sequence[str], *, with_others: bool) -> list[Trial]:
        """One more pair for each change that is not settled."""
        shifts, trials = self.shifts(), []
        base = self.adopted() if with_others else ()
        for name in names:
            if not self._is_settled("confirm", name, shifts.get(name), self.rules.error / self.family):
                trials += self._pair("confirm", name, base, (*base, name))
        return trials

    def _pair(self, stage: str, about: str, off: tuple[str, ...], on: tuple[str, ...]) -> list[Trial]:
        number = tried_pairs(self.results, stage, about) + 1
        both = [Trial(0, stage, off, about, number), Trial(0, stage, on, about, number)]
        return both[::-1] if comes_first(self.rules.seed, f"{stage} {about}", number) else both

    def _is_settled(self, stage: str, about: str, shift: Shift | None, error: float) -> bool:
        """Its standing is known, or no number of pairs that may be spent would tell."""
        tried = tried_pairs(self.results, stage, about)
        if shift is None or not shift.pairs:
            return tried >= _LOST
        if self._stands(shift) != "open" or shift.pairs >= self.rules.most_pairs:
            return True
        if tried - shift.pairs >= _LOST:
            return True
        if shift.pairs < fewest_pairs(error) + 1:
            return False
        wanted = pairs_wanted(shift.estimate, log1p(self.rules.margin), shift.sd or 0.0, error)
        return wanted is None or wanted > 2 * self.rules.most_pairs

    def _stands(self, shift: Shift) -> str:
        return standing(shift, self.rules.margin)


def _large(gain: float) -> bool:
    return abs(gain) > _MUCH
