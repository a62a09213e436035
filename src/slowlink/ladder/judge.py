"""From what was measured to the waterfall: of each layer what the ones below allow, what it gives, and what is lost.

A layer gives what its slowest test gives, since a collective over all of it would wait for that one. A layer that has a
number and neither a ceiling with a known share nor like tests beside it is *measured*, not *ok*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot

from msgspec.structs import replace

from slowlink.averages import median
from slowlink.ladder import layers as of
from slowlink.ladder.blame import Compared, compare
from slowlink.ladder.ceilings import BITS, Ceiling, ceiling
from slowlink.ladder.climb import broken_layers, stopped_by
from slowlink.ladder.tolerances import Tolerances, margin_of, noise, noise_margin, on_processors
from slowlink.model.ladder import LADDER_SCHEMA, Blamed, Ladder, LadderResult, PortRate, Rung, RungState, Waterfall
from slowlink.nodes import fold

_JUDGED = (of.PAIRS_HOST, of.PAIRS_GPU, of.ONE_RANK, of.TWO_NODES, of.ALL_NODES)
"""Layers that are compared with those below. A GPU that is far from its HCA is slower, nobody knows how much."""


_MORE_THAN = 1.05
"""What is above its ceiling took another way, or the ceiling was measured at a bad moment."""
NOT_JUDGED = "not judged"
"""Nothing says how much it should be."""


def waterfall(ladder: Ladder, tolerances: Tolerances | None = None) -> Waterfall:
    """Every layer, from the bottom up. Pure."""
    limits = tolerances or Tolerances()
    broken = broken_layers(ladder.results, ladder.lost)
    rungs: dict[str, Rung] = {}
    for layer in of.LAYERS:
        rungs[layer.id] = _rung(layer, ladder, rungs, broken, limits)
    every = tuple(rungs.values())
    at = next((rung for rung in every if rung.state in ("degraded", "broken")), None)
    return Waterfall(
        LADDER_SCHEMA, _headline(every, at), at.layer if at else "", every, ladder.plan.nodes, ladder.plan.stopped
    )


def _rung(layer: of.Layer, ladder: Ladder, below: Mapping[str, Rung], broken: set[str], limits: Tolerances) -> Rung:
    empty = Rung(layer.id, layer.title, "absent", ladder.plan.absent.get(layer.id, ""))
    if layer.id in ladder.plan.absent:
        return empty
    if layer.id == of.HOST:
        return _host(empty, ladder)
    if layer.id == of.PORT:
        return _port(empty, ladder)
    planned = sum(test.layer == layer.id for test in ladder.plan.tests)
    results = [result for result in ladder.results if result.test.layer == layer.id]
    if not results:
        return replace(empty, state="not-run", why=stopped_by(layer.id, ladder.plan, broken), planned=planned)
    return _measured(replace(empty, planned=planned, tests=len(results)), results, ladder, below, limits)


def _host(rung: Rung, ladder: Ladder) -> Rung:
    if ladder.lost:
        words = f"{fold(ladder.lost)} did not answer"
        return replace(rung, state="broken", why=words, open=())
    if not ladder.answered:
        return replace(rung, state="not-run", why=ladder.plan.stopped or "not run")
    count = ladder.answered
    words = f"{count} node{'s' if count > 1 else ''} answered; what is wrong with them stands below"
    return replace(rung, state="measured", why=words, tests=count, planned=len(ladder.plan.nodes))


def _port(rung: Rung, ladder: Ladder) -> Rung:
    """Ports by themselves: what they were trained to, beside their like."""
    if not ladder.ports:
        return replace(rung, state="not-run", why="no node told the rate of a port")
    rates = [port.rate_gbit for port in ladder.ports if port.is_up]
    usual = median(rates) if rates else 0.0
    slow = [port for port in ladder.ports if not port.is_up or port.rate_gbit < usual]
    blamed = tuple(Blamed("port", _name(port), _gbs(port), usual / BITS) for port in slow)
    least = min((_gbs(port) for port in ladder.ports), default=0.0)
    found = replace(
        rung,
        state="degraded" if slow else "ok",
        usual_gbs=usual / BITS,
        least_gbs=least,
        least_at=", ".join(_name(port) for port in slow[:2]),
        tests=len(ladder.ports),
        planned=len(ladder.ports),
        lost_gbs=usual / BITS - least,
        blamed=blamed,
    )
    told = f"{len(slow)} of {len(ladder.ports)} ports are down or slower than the others"
    return replace(found, why=told if slow else f"{len(ladder.ports)} ports are up at {usual:g} Gb/s")


def _name(port: PortRate) -> str:
    return f"{port.node}/{port.port}"


def _gbs(port: PortRate) -> float:
    return port.rate_gbit / BITS if port.is_up else 0.0


def _measured(
    rung: Rung, results: Sequence[LadderResult], ladder: Ladder, below: Mapping[str, Rung], limits: Tolerances
) -> Rung:
    is_link = any(result.test.hca for result in results)
    margin = margin_of(rung.layer, results, ladder.plan.on_gpu, limits)
    noisy = on_processors(rung.layer, results, ladder.plan.on_gpu)
    compared, hidden = _compared(results, margin, noisy=noisy) if rung.layer != of.COMMAND else (Compared(None), 0.0)
    known = [result for result in results if result.gbs is not None]
    slowest = min(known, key=lambda result: result.gbs or 0.0) if known else None
    top = ceiling(rung.layer, ladder, below)
    share = limits.least_share_link if is_link else limits.least_share_collective
    least = slowest.gbs if slowest is not None else None
    found = replace(
        rung,
        ceiling_gbs=top.gbs if top else None,
        basis=top.basis if top else "",
        usual_gbs=compared.usual_gbs,
        least_gbs=least,
        least_at=_where(slowest) if slowest is not None else "",
        lost_gbs=_lost(top, compared, least),
        blamed=compared.blamed,
        open=compared.open,
    )
    is_judged = rung.layer in _JUDGED and (is_link or ladder.plan.on_gpu)
    state, why = _state(found, results, compared, share if is_judged and top else None)
    if hidden > margin and state == "ok":
        words = f"{NOT_JUDGED}: two measurements of the same differ so much that {hidden:.0%} less may be noise"
        return replace(found, state="measured", why=words)
    return replace(found, state=state, why=why + _only_once(results, compared, margin))


def _compared(results: Sequence[LadderResult], margin: float, *, noisy: bool) -> tuple[Compared, float]:
    """The tests beside one another, and what noise may take of one, as a share."""
    count, spread = len(results), noise(results) if noisy else 0.0
    compared = compare(results, max(margin, noise_margin(spread, count)))
    if noisy and compared.slow:
        # What is at fault is steady and would make all look so; what is slow and unsteady has more to lose by chance.
        others = noise([result for result in results if result not in compared.slow])
        own = {each.test.name: noise_margin(hypot(others, noise([each])), count) for each in compared.slow}
        spread = max(spread, others)
        compared = compare(results, max(margin, noise_margin(spread, count)), own)
    return compared, noise_margin(spread, count)


def _only_once(results: Sequence[LadderResult], compared: Compared, margin: float) -> str:
    """What was slow at first and not when it was done again: a moment, or a fault that comes and goes."""
    least = (1 - margin) * (compared.usual_gbs or 0.0)
    again = [result for result in results if result.repeated and result not in compared.slow]
    count = sum((result.first_gbs or 0.0) < least for result in again)
    return f"; {count} {'was' if count == 1 else 'were'} slow the first time alone" if count else ""


def _where(result: LadderResult) -> str:
    test = result.test
    return fold(test.nodes) + (f" {test.hca}" if test.hca else "")


def _lost(top: Ceiling | None, compared: Compared, least: float | None) -> float | None:
    if top is not None and least is not None:
        return max(0.0, top.gbs - least)
    if compared.slow and compared.usual_gbs is not None:
        return compared.usual_gbs - (least or 0.0)
    return None


def _state(
    rung: Rung, results: Sequence[LadderResult], compared: Compared, share: float | None
) -> tuple[RungState, str]:
    """``share``: of the ceiling; None where nothing says what is right."""
    failed = [result for result in results if result.trouble]
    if failed:
        first = failed[0]
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        return "broken", f"{_where(first)}: {first.trouble}{more}"
    if compared.slow or compared.open:
        who = ", ".join(each.name for each in rung.blamed) or "; ".join(rung.open)
        return "degraded", f"{len(compared.slow)} of {len(results)} tests are slow: {who}" if compared.slow else who
    least, top = rung.least_gbs, rung.ceiling_gbs
    if least is not None and share is not None and top:
        if least > _MORE_THAN * top:
            return "ok", f"more than {rung.basis}"
        words = f"{least / top:.0%} of {rung.basis}"
        return ("ok", words) if least >= share * top else ("degraded", words)
    if rung.layer == of.COMMAND:
        return "measured", "it ended well"
    if compared.usual_gbs is not None and len(results) >= 3:
        return "ok", f"{len(results)} tests agree"
    return "measured", NOT_JUDGED


def _headline(rungs: Sequence[Rung], at: Rung | None) -> str:
    measured = [rung for rung in rungs if rung.state not in ("absent", "not-run")]
    if at is None:
        if not measured:
            return "nothing was measured"
        count = f"{len(measured)} layers" if len(measured) > 1 else "1 layer"
        return f"{count} climbed, and no loss between them that can be judged"
    who = ", ".join(each.name for each in at.blamed[:3]) or at.why
    verb = "breaks" if at.state == "broken" else "loses bandwidth"
    return f"the ladder {verb} at: {at.title} ({who})"
