"""How much of what a layer loses is explained, by what, and how much is left.

Three things explain: a part that was found slow beside its like (what the others give is measured), an experiment that
gave more (measured, too), and a cause that the rules found on these nodes and that acts in this layer: nobody measured
what that one costs here, so it takes nothing off what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from slowlink.catalog.interview import LOSS, candidates
from slowlink.ladder import layers as of
from slowlink.model.ladder import Interview, Rung, Share, Waterfall
from slowlink.model.report import Finding

_OF_KIND = {"node": "straggler-node", "hca": "straggler-nic", "path": "slow-path", "port": "port-rate-low"}
_BELOW_COLLECTIVES: Mapping[str, tuple[str, ...]] = {
    of.PAIRS_HOST: (
        *("port-rate-low", "port-down", "link-errors", "link-flapping", "mtu-mismatch", "pcie-link-degraded"),
        *("pcie-errors", "fabric-congestion", "pfc-ecn-settings", "traffic-shaped", "network-busy", "cpu-busy"),
    ),
    of.PAIRS_GPU: (
        *("acs-enabled", "iommu-translating", "peer-memory-missing", "pcie-link-degraded", "pcie-errors"),
        *("dma-buf-partial", "gpu-busy", "gpu-clocks-throttled"),
    ),
}
"""Causes that take bandwidth from pairs; those of collectives stand with the interview."""


def explained(waterfall: Waterfall, findings: Sequence[Finding], interview: Interview | None) -> Waterfall:
    """The waterfall with its losses shared out. ``findings``: of all rules. Pure."""
    rungs = tuple(_explained(rung, findings, interview) for rung in waterfall.rungs)
    return replace(waterfall, rungs=rungs, interview=interview)


def acting_in(layer: str) -> tuple[str, ...]:
    """Causes that take bandwidth in this layer while those below are sound."""
    return _BELOW_COLLECTIVES.get(layer) or candidates(LOSS, layer)


def _explained(rung: Rung, findings: Sequence[Finding], interview: Interview | None) -> Rung:
    if rung.lost_gbs is None or rung.state not in ("degraded", "broken"):
        return rung
    shares = [*_of_parts(rung), *_of_experiments(rung, interview)]
    named = {share.cause for share in shares}
    shares += _of_rules(rung.layer, findings, named)
    known = sum(share.gbs or 0.0 for share in shares)
    return replace(rung, explained=tuple(shares), unexplained_gbs=max(0.0, rung.lost_gbs - known))


def _of_parts(rung: Rung) -> Iterator[Share]:
    """The slowest part holds all others back; what the next one takes hides behind it."""
    worst = True
    for part in sorted(rung.blamed, key=lambda each: each.gbs):
        if worst and rung.lost_gbs is not None:
            # Two that are at fault meet in the slowest test: it is slower than either with others.
            gbs = part.usual_gbs - min(part.gbs, part.gbs if rung.least_gbs is None else rung.least_gbs)
            like = "ports" if part.kind == "port" else "others"
            how = f"{like} give {part.usual_gbs:.3g} GB/s, this one {part.gbs:.3g}"
            yield Share(_OF_KIND[part.kind], part.name, min(gbs, rung.lost_gbs), how)
        else:
            yield Share(_OF_KIND[part.kind], part.name, None, "hidden behind the slowest")
        worst = False


def _of_experiments(rung: Rung, interview: Interview | None) -> Iterator[Share]:
    if interview is None or interview.layer != rung.layer:
        return
    gains = [each for each in interview.done if each.outcome == "better" and each.gbs and each.base_gbs]
    for each in sorted(gains, key=lambda one: -(one.gbs or 0.0))[:1]:
        predicted = {said.cause for said in each.predictions if said.outcome == "better"}
        causes = [cause for cause in interview.remaining if cause in predicted]
        gained = (each.gbs or 0.0) - (each.base_gbs or 0.0)
        how = f"experiment {each.id}: {each.gbs:.3g} GB/s instead of {each.base_gbs:.3g}"
        yield Share(causes[0] if len(causes) == 1 else " or ".join(causes) or "unknown", "", gained, how)


def _of_rules(layer: str, findings: Sequence[Finding], named: Collection[str]) -> Iterator[Share]:
    seen: set[str] = set()
    for found in findings:
        if found.cause in acting_in(layer) and found.cause not in named and found.cause not in seen:
            seen.add(found.cause)
            where = ", ".join(dict.fromkeys(suspect.name for suspect in found.suspects))[:80]
            yield Share(found.cause, where, None, "found; what it costs here is not measured")
