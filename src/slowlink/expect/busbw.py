"""The bus bandwidth to expect: what NCCL would choose, the healthy band, and what a measured value means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from slowlink.expect.bounds import bounds
from slowlink.expect.case import Bound, Case, Missing, noise
from slowlink.expect.inside import is_ambiguous, is_pcie
from slowlink.expect.node import Domain, assemble_domain
from slowlink.model.report import Expectation
from slowlink.units import brief, kept_digits, tenths

SCALE_NODES = 64
"""Above this many nodes few results are published."""
_SCALE_LOW = 0.65
"""Share of the reference from which on a shortfall counts above SCALE_NODES: P5 all-gather falls from 0.84 to 0.67 of
its NICs from 2 to 32 nodes, others hold 0.89 and 0.94 on 128 and 248."""
_SLINGSHOT_LOW = 0.5
"""The same as a share of the band on Slingshot, where Alps falls from 92 to 43 GB/s from 128 to 512 nodes."""
_TREE_BELOW = 1 / 3
"""NICs slower than this share of NVLink: a plain tree is what healthy results show, else a ring. On A100 with
8 x 200G (0.82) five of six published runs are rings, with 4 x 100G (0.2) and on GH200 (0.26) they are trees."""

_TREE_DOMAINS = 3
"""From four domains on the busiest node of a plain tree sends as much as a ring's, and results are rings."""
_PCIE_PAIR_GBS = 12.0
"""Two cards without a bridge, on different sockets of a Gen4 machine: 14 to 20 GB/s is ordinary."""

Judgement = Literal["above-bound", "as-expected", "low", "degraded"]


class Prediction(Struct, frozen=True):
    """The busbw of one case at large sizes, GB/s."""

    case: Case
    bounds: tuple[Bound, ...]
    """Of every algorithm that NCCL could use here, highest typical value first."""
    expected: Expectation
    """Quantity ``busbw``: value is typical of healthy systems, low where a shortfall is certain, high the bound."""
    warn: float
    """Below this value something is probably lost."""
    caveats: tuple[str, ...] = ()

    @property
    def chosen(self) -> Bound:
        """The algorithm that the expectation rests on."""
        return self.bounds[0]

    @property
    def ceiling(self) -> float:
        """A higher measured value is not credible: the bound and the noise of measuring."""
        return max(bound.ceiling for bound in self.bounds)

    def judge(self, measured_gbs: float) -> tuple[Judgement, str]:
        """What a measured plateau means, and the numbers in words."""
        return judge(measured_gbs, self.expected, warn=self.warn, ceiling=self.ceiling)

    @property
    def network_gbs(self) -> float | None:
        """What the NICs of a domain carry together (C); None when one domain holds all ranks."""
        domain = assemble_domain(self.case)
        return domain.network_gbs if isinstance(domain, Domain) and domain.network else None


def predict(case: Case, subject: str = "") -> Prediction | Missing:
    """What this hardware should give for ``case``, or what is missing to know it.

    ``subject`` is what the expectation is about (``all_reduce job.log:12``); the case in words when empty.
    """
    domain = assemble_domain(case)
    found = bounds(case)
    if isinstance(domain, Missing):
        return domain
    if isinstance(found, Missing):
        return found
    ranked = _ranked(case, domain, found)
    chosen = ranked[0]
    warn, low, caveats = _band_of(case, domain, ranked)
    basis = "; ".join((explain(chosen), *caveats, case.hardware.basis)).rstrip("; ")
    high = max(bound.value for bound in ranked)
    about = subject or f"{case.collective}, {case.nranks} ranks on {case.nnodes} nodes"
    value, least, most = map(kept_digits, (chosen.typical, low, high))
    expected = Expectation("busbw", about, value, least, most, "GB/s", basis)
    return Prediction(case, ranked, expected, warn, tuple(caveats))


def _ranked(case: Case, domain: Domain, found: Sequence[Bound]) -> tuple[Bound, ...]:
    """What NCCL would choose first: the algorithm that gives most, but of ring and plain tree the one that results
    show."""
    link = domain.gpu.usable_gbs
    hindered = is_pcie(domain) or case.sockets or case.gdr is False or link is None
    one_ring = domain.count == 1 or domain.count > _TREE_DOMAINS
    rings = one_ring or hindered or domain.usual_network_gbs >= _TREE_BELOW * (link or 0.0)
    passed_over = {"tree"} if rings else set()
    if case.sockets:
        passed_over.add("nvlstree")
    return tuple(sorted(found, key=lambda bound: (bound.algorithm in passed_over, -bound.typical)))


def _band_of(case: Case, domain: Domain, ranked: Sequence[Bound]) -> tuple[float, float, list[str]]:
    """Where suspicion and certainty begin, and why the band is wider than that of the chosen algorithm."""
    chosen = ranked[0]
    warn, low = chosen.warn, chosen.fail
    caveats = []
    ring = next((bound for bound in ranked if bound.algorithm == "ring"), None)
    open_choice = domain.count == 3 or chosen.algorithm == "tree"
    if open_choice and ring is not None and ring is not chosen and ring.fail < low:
        warn, low = min(warn, ring.warn), ring.fail
        caveats.append(
            f"NCCL may as well choose ring here and give about {brief(ring.typical)} GB/s, so the band reaches down to "
            "it"
        )
    if chosen.algorithm == "nvlstree" and domain.count == 2 and ring is not None and ring.typical < low:
        low = ring.typical
        caveats.append(
            f"a ring, which NCCL runs where NVLS is off, gives about {brief(ring.typical)} GB/s: from there on the "
            "network is sound, and only the algorithm costs bandwidth"
        )
    tree = next((bound for bound in ranked if bound.algorithm == "tree"), None)
    if chosen.algorithm == "ring" and domain.count == 2 and tree is not None and tree.typical > 1.05 * chosen.typical:
        caveats.append(f"a tree, which NCCL may as well choose here, gives about {brief(tree.typical)} GB/s")
    if domain.count == 1 and is_ambiguous(domain):
        share = (domain.ranks - 1) / (domain.gpu.small_mesh or 1)
        warn, low = warn * share, low * share
        caveats.append("a board of four such GPUs divides their links among pairs, so the band is wide")
    if domain.count == 1 and domain.fabric == "bridge" and chosen.binding.name == "NVLink" and case.bridged is None:
        low, warn = min(low, _PCIE_PAIR_GBS), min(warn, _PCIE_PAIR_GBS)
        caveats.append("whether a bridge joins these GPUs is not known, so the band reaches down to PCIe")
    if case.nnodes > SCALE_NODES:
        slingshot = any(group.link_layer == "Slingshot" for group in case.hardware.nics)
        low = min(low, low * _SLINGSHOT_LOW if slingshot else chosen.reference * _SCALE_LOW)
        caveats.append(f"above {SCALE_NODES} nodes few results are published: take a shortfall as information")
    if domain.rack and domain.count > 1:
        caveats.append(f"racks are taken as used alike, {domain.ranks} GPUs of each (--nvlink-domain tells)")
    if case.max_channels is not None:
        caveats.append(f"NCCL_MAX_NCHANNELS={case.max_channels} may lower it further; not modelled")
    return warn, low, caveats


def explain(bound: Bound) -> str:
    """The derivation of one bound in one sentence."""
    limits = ", ".join(term.words for term in bound.terms)
    least = f"the least is {bound.binding.name}, " if len(bound.terms) > 1 else ""
    note = f"; {bound.note}" if bound.note else ""
    return f"{bound.algorithm}: {limits}; {least}{tenths(bound.value)} GB/s; {experience(bound)}{note}"


def experience(bound: Bound) -> str:
    """What healthy systems show of a bound, how many published results say so, and where versions differ."""
    shown = f"healthy systems reach about {bound.typical / bound.value:.0%} of it ({bound.band.title}"
    versions = f"; {bound.band.versions}" if bound.band.versions else ""
    return f"{shown}; {bound.band.published.words}{versions})"


def expectations(prediction: Prediction) -> tuple[Expectation, ...]:
    """In the report's shape: ``busbw`` for what NCCL would choose, then ``busbw:<algorithm>`` for each."""
    about = prediction.expected.subject
    return (
        prediction.expected,
        *(
            Expectation(
                f"busbw:{bound.algorithm}",
                about,
                kept_digits(bound.typical),
                kept_digits(bound.fail),
                kept_digits(bound.value),
                "GB/s",
                explain(bound),
            )
            for bound in prediction.bounds
        ),
    )


def judge(
    measured_gbs: float,
    expected: Expectation,
    *,
    warn: float | None = None,
    ceiling: float | None = None,
) -> tuple[Judgement, str]:
    """What a measured plateau means, and the numbers in words.

    ``warn`` lies between ``low`` and ``value``; ``ceiling`` at or above ``high`` (by the noise of measuring when not
    given).
    """
    numbers = (
        f"{tenths(measured_gbs)} GB/s is {measured_gbs / expected.value:.0%} of the {brief(expected.value)} GB/s "
        f"that healthy systems show"
    )
    if measured_gbs > (noise() * expected.high if ceiling is None else ceiling):
        return "above-bound", (
            f"{tenths(measured_gbs)} GB/s is more than this hardware can carry ({brief(expected.high)} GB/s)"
        )
    if measured_gbs < expected.low:
        return "degraded", f"{numbers}, below the limit of {brief(expected.low)} GB/s"
    if warn is not None and measured_gbs < warn:
        return "low", f"{numbers}, below {brief(warn)} GB/s, where healthy systems end"
    return "as-expected", numbers


def summary(prediction: Prediction) -> str:
    """``about 391 GB/s (ring); suspicious below 368, degraded below 340; not more than 412 ...``."""
    found = prediction.expected
    return (
        f"about {brief(found.value)} GB/s ({prediction.chosen.algorithm}); suspicious below {brief(prediction.warn)}, "
        f"degraded below {brief(found.low)}; not more than {brief(found.high)} ({brief(prediction.ceiling)} with the "
        "noise of measuring)"
    )


def reachable(threshold_gbs: float, prediction: Prediction) -> tuple[bool, str]:
    """Can a healthy system reach a threshold, and why."""
    best = max(prediction.bounds, key=lambda bound: bound.ceiling)
    expected = prediction.expected
    if threshold_gbs > best.ceiling:
        hint = _with_sharp(threshold_gbs, prediction)
        return False, (
            f"{threshold_gbs:g} GB/s cannot be reached: the highest bound is {tenths(best.value)} GB/s "
            f"({best.algorithm}, limited by {best.binding.name}); a threshold of {brief(prediction.warn)} GB/s "
            f"would find faults{hint}"
        )
    if threshold_gbs > _most_shown(prediction):
        return True, (
            f"{threshold_gbs:g} GB/s is within the bound of {tenths(best.value)} GB/s, but more than any healthy "
            f"system is known to show: they give {brief(expected.value)} GB/s "
            f"({prediction.chosen.band.published.words})"
        )
    if threshold_gbs > expected.value:
        return True, (
            f"{threshold_gbs:g} GB/s is within the bound of {tenths(best.value)} GB/s, but healthy systems show "
            f"{brief(expected.value)} GB/s: many of them would fail it"
        )
    if threshold_gbs < expected.low:
        return True, (
            f"{threshold_gbs:g} GB/s is reached even by degraded systems: below {brief(expected.low)} GB/s "
            f"something is certainly lost"
        )
    return True, f"{threshold_gbs:g} GB/s is within what healthy systems show ({brief(expected.value)} GB/s)"


def _most_shown(prediction: Prediction) -> float:
    """The most that a published healthy result says about this case, GB/s; infinite where there is none."""
    shown = [bound.typical * bound.band.published.high for bound in prediction.bounds if bound.band.published.rows]
    return max(shown, default=math.inf)


def _with_sharp(threshold_gbs: float, prediction: Prediction) -> str:
    case = prediction.case
    if case.sharp or case.nnodes < 2 or case.collective != "all_reduce" or case.algorithm is not None:
        return ""
    found = bounds(replace(case, sharp=True))
    collnet: Sequence[Bound] = () if isinstance(found, Missing) else found
    for bound in collnet:
        if bound.algorithm == "collnet" and bound.ceiling >= threshold_gbs:
            return f"; reduction in the network (SHARP) would lift the bound to {brief(bound.value)} GB/s"
    return ""
