"""The bound of every algorithm: which limits apply, and the least of them.

``busbw`` is algbw times a factor (`slowlink.collectives`): 2(n-1)/n for all-reduce, (n-1)/n for all-gather,
reduce-scatter and all-to-all, 1 for the rest. n ranks, g in one NVLink domain, m domains, C network of one domain,
L links of one GPU. docs/physics.md derives each formula; the shares that healthy systems reach are in bands.toml.
"""

from __future__ import annotations

from slowlink.catalog.bands import Band
from slowlink.collectives import all_reduce_factor
from slowlink.expect.case import COLLECTIVES, Bound, Case, Missing, Term
from slowlink.expect.inside import (
    is_pcie,
    nvls_term,
    pair_term,
    pcie_term,
    ring_term,
    through_term,
)
from slowlink.expect.node import Domain, assemble_domain

_GATHER = ("all_gather", "reduce_scatter")
_ROOTED = ("broadcast", "reduce")
_PLAIN_TREE_SHARE = 0.92
"""NCCL's own factor for trees (src/graph/tuning.cc)."""


def bounds(case: Case) -> tuple[Bound, ...] | Missing:
    """The bounds of all algorithms that NCCL could use here, or what is missing to know them. Pure."""
    if case.collective not in COLLECTIVES:
        return Missing((f"a model of {case.collective}: known are {', '.join(COLLECTIVES)}",))
    domain = assemble_domain(case)
    if isinstance(domain, Missing):
        return domain
    found = _within(case, domain) if domain.count == 1 else _across(case, domain)
    if isinstance(found, Missing) or case.algorithm is None:
        return found
    forced = tuple(bound for bound in found if bound.algorithm == case.algorithm)
    if domain.count == 1 and case.algorithm == "nvlstree":
        forced = tuple(bound for bound in found if bound.algorithm == "nvls")
    return forced or Missing((f"a model of {case.algorithm} for {case.collective} on this hardware",))


def tree_load(domains: int) -> float:
    """Times S that the busiest node of NCCL's double binary tree sends: 1, 1.5, then 2."""
    return {1: 0.0, 2: 1.0, 3: 1.5}.get(domains, 2.0)


def _within(case: Case, domain: Domain) -> tuple[Bound, ...] | Missing:
    pair = case.collective == "sendrecv"
    ring = pair_term(domain) if pair else ring_term(domain)
    if isinstance(ring, Missing):
        return ring
    if case.collective in ("alltoall", "sendrecv"):
        name = "pcie_node" if is_pcie(domain) else "p2p_node"
        return (_bound("p2p", (ring,), domain.band(name)),)
    name = "ring_node" if case.collective == "all_reduce" else "gather_node"
    found = [_bound("ring", (ring,), domain.band("pcie_node" if is_pcie(domain) else name))]
    if case.collective == "all_reduce" and not is_pcie(domain):
        n = domain.nranks
        value = _PLAIN_TREE_SHARE * (n - 1) / n * ring.value
        term = Term(ring.name, value, f"{_PLAIN_TREE_SHARE} x {n - 1}/{n} x {ring.value:.1f} = {value:.1f}")
        found.append(_bound("tree", (term,), domain.band("tree_node")))
        nvls = nvls_term(domain)
        if nvls is not None:
            found.append(_bound("nvls", (nvls,), domain.band("nvls")))
    return tuple(found)


def _across(case: Case, domain: Domain) -> tuple[Bound, ...] | Missing:
    inside = through_term(domain)
    alone = domain.shares.get("nic_only")
    if isinstance(inside, Missing):
        if alone is None or case.collective != "all_reduce":
            return inside
        return (_bound("ring", domain.network, domain.band("nic_only"), inside.names[0]),)
    if case.collective in ("alltoall", "sendrecv"):
        return _pairwise(case, domain)
    terms = (*domain.network, *((inside,) if inside else ()))
    found = [_bound("ring", terms, _ring_band(case, domain))]
    if case.collective == "all_reduce":
        found += _trees(case, domain)
    return tuple(found)


def _ring_band(case: Case, domain: Domain) -> Band:
    if case.sockets:
        return domain.band("sockets")
    if case.gdr is False:
        return domain.band("staging")
    if domain.ranks > 1 and domain.fabric == "none":
        return domain.band("pcie_across")
    if domain.ranks > 1 and is_pcie(domain):
        return domain.band("islands_across")
    if case.collective in _ROOTED:
        return domain.band("broadcast_across")
    if case.collective in _GATHER:
        link = domain.gpu.usable_gbs
        balanced = link is None or domain.network_gbs > 0.75 * link
        return domain.band("gather_across" if balanced and domain.ranks > 1 else "gather_across_nic")
    return domain.band("ring_across")


def _trees(case: Case, domain: Domain) -> list[Bound]:
    """Tree, NVLSTree and CollNet for all-reduce over several domains."""
    if case.sockets or case.gdr is False or is_pcie(domain):
        return []
    n, load, c = domain.nranks, tree_load(domain.count), domain.network_gbs
    suffix = {2: "2", 3: "3"}.get(domain.count, "many")
    factor = all_reduce_factor(n)
    value = factor * c / load
    network = Term("network", value, f"2({n}-1)/{n} x {c:.1f} / {load:g} = {value:.1f}")
    found = []
    chain = _chain(domain)
    found.append(_bound("tree", (network, *chain), domain.band(f"tree_{suffix}")))
    nvls = nvls_term(domain)
    if nvls is not None:
        found.append(_bound("nvlstree", (network, nvls), domain.band(f"nvlstree_{suffix}")))
    if case.sharp:
        up = factor * c
        term = Term("network", up, f"2({n}-1)/{n} x {c:.1f} = {up:.1f}")
        inside = (nvls,) if nvls is not None else chain
        found.append(_bound("collnet", (term, *inside), domain.band("collnet")))
    return found


def _chain(domain: Domain) -> tuple[Term, ...]:
    """A plain tree is a chain inside the node."""
    link = domain.gpu.usable_gbs
    if domain.ranks == 1 or link is None:
        return ()
    n = domain.nranks
    value = _PLAIN_TREE_SHARE * (n - 1) / n * link
    return (Term("NVLink", value, f"{_PLAIN_TREE_SHARE} x {n - 1}/{n} x {link:g} = {value:.1f}"),)


def _pairwise(case: Case, domain: Domain) -> tuple[Bound, ...] | Missing:
    """All-to-all and sendrecv over several domains."""
    n, g, m, c = domain.nranks, domain.ranks, domain.count, domain.network_gbs
    if case.collective == "alltoall":
        value = m / (m - 1) * (n - 1) / n * c / g
        network = Term("network", value, f"{m}/{m - 1} x {n - 1}/{n} x {c:.1f} / {g} = {value:.1f}")
        name = "a2a_across"
    else:
        value = c / g
        network = Term("network", value, f"{c:.1f} / {g}: one GPU of a node sends to the next node")
        name = "p2p_across"
    inside = None if g == 1 else (pcie_term(domain) if is_pcie(domain) else pair_term(domain))
    if isinstance(inside, Missing):
        return inside
    band = "sockets" if case.sockets else "staging" if case.gdr is False else name
    terms = (network, *((inside,) if inside else ()))
    return (_bound("p2p", terms, domain.band(band)),)


def _bound(algorithm: str, terms: tuple[Term, ...], band: Band, unknown: str = "") -> Bound:
    note = f"not known: {unknown}" if unknown else ""
    return Bound(algorithm, terms, band, band.headroom, note)
