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
    chain_term,
    is_pcie,
    leaves_island,
    nvls_term,
    pair_term,
    pairs_term,
    pcie_term,
    ring_term,
    through_term,
)
from slowlink.expect.node import Domain, assemble_domain
from slowlink.units import tenths

_GATHER = ("all_gather", "reduce_scatter")
_ROOTED = ("broadcast", "reduce")
_BOARD = 8
"""GPUs of the largest board: more in one domain are a rack."""


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
    over_pcie = "islands_node" if leaves_island(domain) else "pcie_node"
    if case.collective in ("alltoall", "sendrecv"):
        return (Bound("p2p", (ring,), domain.band(over_pcie if is_pcie(domain) else "p2p_node")),)
    name = over_pcie if is_pcie(domain) else "ring_node" if case.collective == "all_reduce" else "gather_node"
    found = [Bound("ring", (ring,), domain.band(name))]
    if case.collective == "all_reduce":
        chain = _chain_within(domain, ring)
        found.append(Bound("tree", (chain,), domain.band(over_pcie if is_pcie(domain) else "tree_node")))
        nvls = nvls_term(domain)
        if nvls is not None:
            found.append(Bound("nvls", (nvls,), domain.band("nvls_rack" if domain.ranks > _BOARD else "nvls")))
    return tuple(found)


def _chain_within(domain: Domain, ring: Term) -> Term:
    """A chain whose ends alternate carries what a ring does; between islands it needs half as much."""
    return (chain_term(domain) if leaves_island(domain) else None) or ring


def _across(case: Case, domain: Domain) -> tuple[Bound, ...] | Missing:
    inside = through_term(domain)
    if isinstance(inside, Missing):
        return _nics_alone(case, domain, inside)
    if case.collective in ("alltoall", "sendrecv"):
        return _pairwise(case, domain)
    terms = (*domain.network, *((inside,) if inside else ()))
    found = [Bound("ring", terms, _ring_band(case, domain))]
    if case.collective == "all_reduce":
        found += _trees(case, domain)
    return tuple(found)


def _nics_alone(case: Case, domain: Domain, unknown: Missing) -> tuple[Bound, ...] | Missing:
    """Whatever joins the GPUs of a node, a ring and a gather pass its NICs."""
    if "nic_only" not in domain.shares or case.collective not in ("all_reduce", *_GATHER):
        return unknown
    shares, note = domain.band("nic_only"), f"not known: {unknown.names[0]}"
    found = [Bound("ring", domain.network, shares, note)]
    if case.collective == "all_reduce":
        found.append(Bound("tree", (_tree_network(domain),), shares, note))
    return tuple(found)


def _ring_band(case: Case, domain: Domain) -> Band:
    slow = _slow_band(case, domain)
    if slow is not None:
        return slow
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


def _slow_band(case: Case, domain: Domain) -> Band | None:
    """The class where the host is in the way of the network; None where the NICs are the limit all the same."""
    limits = min(domain.network, key=lambda term: min(term.value, term.usual)).name
    if case.sockets:
        return domain.band("sockets" if limits == "TCP sockets" else "sockets_line")
    return domain.band("staging") if limits == "host staging" else None


def _trees(case: Case, domain: Domain) -> list[Bound]:
    """Tree, NVLSTree and CollNet for all-reduce over several domains."""
    slow = _slow_band(case, domain) or (domain.band("pcie_across") if is_pcie(domain) else None)
    suffix = {2: "2", 3: "3"}.get(domain.count, "many")
    network, chain, nvls = _tree_network(domain), chain_term(domain), nvls_term(domain)
    chains = (chain,) if chain is not None else ()
    alone = domain.ranks == 1 and domain.count == 2  # one exchange, whatever it is called
    found = [Bound("tree", (network, *chains), slow or domain.band("ring_across" if alone else f"tree_{suffix}"))]
    if nvls is not None:
        name = "nvlstree_racks" if domain.ranks > _BOARD else f"nvlstree_{suffix}"
        found.append(Bound("nvlstree", (network, nvls), slow or domain.band(name)))
    if case.sharp:
        factor = all_reduce_factor(domain.nranks)
        up, usual = factor * domain.network_gbs, factor * domain.usual_network_gbs
        text = f"2({domain.nranks}-1)/{domain.nranks} x {tenths(domain.network_gbs)} = {tenths(up)}"
        term = Term("network", up, text, usual)
        inside = (nvls,) if nvls is not None else chains
        found.append(Bound("collnet", (term, *inside), slow or domain.band("collnet")))
    return found


def _tree_network(domain: Domain) -> Term:
    n, load, c = domain.nranks, tree_load(domain.count), domain.network_gbs
    factor = all_reduce_factor(n) / load
    text = f"2({n}-1)/{n} x {tenths(c)} / {load:g} = {tenths(factor * c)}"
    return Term("network", factor * c, text, factor * domain.usual_network_gbs)


def _pairwise(case: Case, domain: Domain) -> tuple[Bound, ...] | Missing:
    """All-to-all and sendrecv over several domains."""
    n, g, m, c = domain.nranks, domain.ranks, domain.count, domain.network_gbs
    if case.collective == "alltoall":
        share = m / (m - 1) * (n - 1) / n / g
        text = f"{m}/{m - 1} x {n - 1}/{n} x {tenths(c)} / {g} = {tenths(share * c)}"
        name = "a2a_racks" if domain.rack else "a2a_across"
        inside = pairs_term(domain) if g > 1 else None
    else:
        share = 1 / g
        text = f"{tenths(c)} / {g}: one GPU of a node sends to the next node"
        name = "p2p_across"
        inside = None if g == 1 else pcie_term(domain) if is_pcie(domain) else pair_term(domain)
    if isinstance(inside, Missing):
        return inside
    network = Term("network", share * c, text, share * domain.usual_network_gbs)
    terms = (network, *((inside,) if inside else ()))
    return (Bound("p2p", terms, _slow_band(case, domain) or domain.band(name)),)
