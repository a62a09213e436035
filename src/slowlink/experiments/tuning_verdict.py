"""What a search for settings has found, put together for reports and scripts."""

from __future__ import annotations

from math import exp, expm1, log, log1p

from slowlink.averages import median
from slowlink.experiments.judging import hodges_lehmann, standing
from slowlink.experiments.outliers import outliers
from slowlink.experiments.power import pairs_wanted
from slowlink.experiments.results import counts, drift_notes, log_time, noise, pairs
from slowlink.experiments.tuning import Search
from slowlink.model.experiment import Change, Effect, Launched, Shift, Tuning

_ORDER = ("helps", "harms", "open", "does-not-matter", "fails", "not-read", "not-tried")


def verdict(search: Search) -> Tuning:
    """Put it together. Pure."""
    rules = search.rules
    effects = [_effect(search, change) for change in rules.changes]
    ranked = sorted(effects, key=lambda effect: (_ORDER.index(effect.standing), -abs(_estimate(effect))))
    return Tuning(
        removing=rules.removing,
        effects=tuple(ranked),
        together=search.together(),
        kept=_kept(search, ranked),
        margin=rules.margin,
        confidence=rules.confidence,
        spread=_spread(search),
        launches=len(search.results),
        failed=sum(not counts(launched) for launched in search.results),
        notes=tuple(_notes(search)),
    )


def _estimate(effect: Effect) -> float:
    return effect.shift.estimate if effect.shift is not None else 0.0


def _effect(search: Search, change: Change) -> Effect:
    in_force = search.in_force(change.id)
    if not search.plain_runs:
        return Effect(change, "open", reason="the plain environment gave no number")
    if search.elsewhere(change.id):
        used = ", ".join(sorted({n for each in search.looks(None) for n in each.networks}))
        return Effect(change, "not-tried", reason=f"it is for {' and '.join(change.networks)}, and NCCL uses {used}")
    if in_force is False:
        what = "the log does not show it" if change.value is not None else "the log does not show that it was ever read"
        return Effect(change, "not-read", reason=f"{what}, and it shows what is read", in_force=False)
    if search.fails(change.id):
        return Effect(change, "fails", reason=f"twice: {search.looks(change.id)[-1].why}", in_force=in_force)
    if not any(map(counts, search.looks(change.id))):
        return Effect(change, "open", reason="not measured", in_force=in_force)
    confirmed = search.shifts().get(change.id)
    if confirmed is not None:
        return _confirmed(search, change, confirmed, in_force)
    return _screened(search, change, in_force)


def _confirmed(search: Search, change: Change, shift: Shift, in_force: bool | None) -> Effect:
    found = standing(shift, search.rules.margin)
    wanted, reason = None, ""
    if found == "open":
        error = search.rules.error / search.family
        wanted = pairs_wanted(shift.estimate, log1p(search.rules.margin), shift.sd or search.known_sd(), error)
        reason = "" if shift.pairs else "no pair of launches gave two numbers"
        if shift.low > 0 or shift.high < 0:
            word = "faster" if shift.low > 0 else "slower"
            reason = f"it is {word}; whether by {search.rules.margin:.1%} is open"
    return Effect(change, found, shift, _by_size(search, change.id), reason, wanted, in_force)


def _by_size(search: Search, name: str) -> dict[int, float]:
    found = pairs(search.results, "confirm", name)
    sizes = sorted(found[0][0].times_us) if found else []
    return {size: hodges_lehmann([log(off.times_us[size] / on.times_us[size]) for off, on in found]) for size in sizes}


def _screened(search: Search, change: Change, in_force: bool | None) -> Effect:
    contrast = search.contrasts().get(change.id)
    if contrast is None:
        why = "launched once only"
        others = [each for each in search.rules.changes if each.name == change.name and each.id != change.id]
        if change.name and others and change.id not in search.measurable():
            why = "launched once only: another value of this variable did better there"
        return Effect(change, "open", reason=why, in_force=in_force)
    rows = sum(counts(each) for each in search.of_stage("screen"))
    shift = Shift(contrast.estimate, contrast.low, contrast.high, 0, rows)
    found = standing(shift, search.rules.margin)
    if found == "helps":
        return Effect(change, "open", shift, reason="the design shows a gain; it was not confirmed", in_force=in_force)
    wanted = None
    if found == "open":
        sd = contrast.error * rows**0.5 / 2**0.5
        error = search.rules.error / search.family
        wanted = pairs_wanted(shift.estimate, log1p(search.rules.margin), sd, error)
    return Effect(change, found, shift, reason="by the design", launches_wanted=wanted, in_force=in_force)


def _kept(search: Search, effects: list[Effect]) -> tuple[str, ...]:
    """Adding: what helps, all of it where that is as good as the best alone. Removing: what carries, and what may."""
    if search.rules.removing:
        together = search.together()
        proven = together is not None and standing(together, search.rules.margin) in ("does-not-matter", "helps")
        may_go = set(search.helping()) if proven else {e.change.id for e in effects if e.standing == "does-not-matter"}
        return tuple(effect.change.id for effect in effects if effect.change.id not in may_go)
    helping = [effect for effect in effects if effect.standing == "helps" and effect.shift is not None]
    together = search.together()
    if len(helping) < 2 or together is None:
        return tuple(effect.change.id for effect in helping)
    best = max(helping, key=_estimate)
    enough = standing(together, search.rules.margin) == "helps"
    if enough and together.estimate >= _estimate(best) - log1p(search.rules.margin):
        return tuple(effect.change.id for effect in helping)
    return (best.change.id,)


def _spread(search: Search) -> float | None:
    """Between launches of the same, as a share."""
    kinds: dict[tuple[str, ...], list[float]] = {}
    for launched in search.results:
        if counts(launched):
            kinds.setdefault(launched.trial.on, []).append(log_time(launched))
    found = noise(kinds.values())
    return None if found is None else expm1(found)


def _notes(search: Search) -> list[str]:
    if search.results and not search.plain_runs:
        why = next((each.why for each in search.looks(None) if each.why), "")
        return [f"the plain environment gave no number: {why}" if why else "the plain environment gave no number"]
    return [*drift_notes(search.results), *_standing_out(search)]


def _standing_out(search: Search) -> list[str]:
    """Launches of the plain environment that are far from their like. They count all the same."""
    plain = [each for each in search.results if not each.trial.on and counts(each)]
    if len(plain) < _FEWEST:
        return []
    values = [log_time(each) for each in plain]
    far = [plain[place] for place in outliers(values)]
    return [_stands_out(each, values) for each in far[:_MOST]] if len(far) <= _MOST else []


_FEWEST, _MOST = 6, 3


def _stands_out(launched: Launched, values: list[float]) -> str:
    ratio = exp(log_time(launched) - median(values))
    return f"launch {launched.trial.number} took {ratio:.2f} times what its like take; it counts all the same"
