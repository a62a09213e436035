"""What links inside one NVLink domain allow. Formulas: n ranks, g in the domain, L link bandwidth of one GPU.

Each limit has what cannot be passed and what is usual; docs/physics.md derives both.
"""

from __future__ import annotations

from slowlink.catalog.load import table
from slowlink.collectives import all_reduce_factor
from slowlink.expect.case import Missing, Term
from slowlink.expect.node import Domain


def ring_term(domain: Domain) -> Term | Missing:
    """A ring that stays inside the domain: ``busbw <= L``."""
    gpu, ranks = domain.gpu, domain.ranks
    if domain.fabric == "none":
        return pcie_term(domain)
    if leaves_island(domain):
        return islands_term(domain, usual_slots=1)
    links = _links(domain)
    if isinstance(links, Missing):
        return links
    wire, usual = links
    if domain.fabric == "mesh" and domain.peers is not None:
        if ranks > domain.peers + 1:
            return Missing((f"how more than {domain.peers + 1} {gpu.title} are joined",))
        if ranks == 2:
            return pair_term(domain)
        share = (ranks - 1) / domain.peers
        text = f"{wire:g} x {ranks - 1}/{domain.peers} of the mesh = {wire * share:.1f}"
        return _term("links", wire * share, text, usual * share)
    if domain.fabric == "hybrid" and ranks < 4:
        return Missing(("which GPUs are used: in a hybrid mesh pairs differ",))
    return _term("NVLink", wire, f"{gpu.links} links, {wire:g} one way", usual)


def pair_term(domain: Domain) -> Term | Missing:
    """One GPU sends to one other."""
    gpu = domain.gpu
    links = _links(domain)
    if domain.fabric == "mesh" and domain.peers is not None and not isinstance(links, Missing):
        wire, usual = links[0] / domain.peers, links[1] / domain.peers
        return _term("link", wire, f"one link of the mesh, {wire:.1f} one way", gpu.pair_gbs or usual)
    return ring_term(domain)


def pairs_term(domain: Domain) -> Term | Missing:
    """All-to-all over several domains, the part that stays inside one: each GPU sends S/n to each of g-1 others.

    Through a switch ``busbw <= L (n-1)/(g-1)``; on a mesh each pair has its own link, ``busbw <= link x (n-1)``.
    """
    if is_pcie(domain):
        return pcie_term(domain)
    n, g = domain.nranks, domain.ranks
    one = pair_term(domain)
    if isinstance(one, Missing):
        return one
    mesh = domain.fabric == "mesh"
    times = n - 1 if mesh else (n - 1) / (g - 1)
    text = f"{one.value:.1f} x {n - 1}" if mesh else f"{one.value:g} x {n - 1}/{g - 1}"
    return _term(one.name, one.value * times, f"{text} = {one.value * times:.1f}", one.usual * times)


def nvls_term(domain: Domain) -> Term | None:
    """In-switch reduction: each GPU emits ``S (1 + 1/g)``, so ``algbw <= L g/(g+1)``, busbw ``2 (n-1)/n`` times that.

    None where NCCL does not use it: no NVSwitch, NVLS off, or four ranks and fewer.
    """
    gpu, g = domain.gpu, domain.ranks
    wire = gpu.wire_gbs
    if not domain.nvls or g <= 4 or gpu.usable_gbs is None or wire is None or gpu.nvls_share is None:
        return None
    factor = all_reduce_factor(domain.nranks) * g / (g + 1)
    n = domain.nranks
    text = f"2({n}-1)/{n} x {g}/({g}+1) x {wire:g} = {factor * wire:.1f}"
    return _term("NVLS", factor * wire, text, gpu.nvls_share * factor * gpu.usable_gbs)


def chain_term(domain: Domain) -> Term | None:
    """A plain tree is a chain inside the node, whose ends alternate: each GPU emits ``2 S (g-1)/g``, and what joins
    islands of GPUs carries S each way.

    None when one rank is alone in its domain, or its links are not known.
    """
    n, g = domain.nranks, domain.ranks
    if g == 1:
        return None
    share = (n - 1) / n * g / (g - 1)
    text = f"{n - 1}/{n} x {g}/{g - 1}"
    if leaves_island(domain):
        limit, share, text = islands_term(domain, usual_slots=1), all_reduce_factor(n), f"2({n}-1)/{n}"
    else:
        limit = pcie_term(domain) if is_pcie(domain) else _whole_link(domain)
    if isinstance(limit, Missing):
        return None
    value = limit.value * share
    return _term(limit.name, value, f"{text} x {limit.value:g} = {value:.1f}", limit.usual * share)


def through_term(domain: Domain) -> Term | Missing | None:
    """The part of a ring over several domains that runs inside one: ``busbw <= L g/(g-1)``.

    None when one rank is alone in its domain, so that nothing runs inside.
    """
    ranks = domain.ranks
    if ranks == 1:
        return None
    if domain.fabric == "none":
        return pcie_term(domain)
    if leaves_island(domain):
        return islands_term(domain, usual_slots=domain.gpu.island or 1)
    links = _links(domain)
    if isinstance(links, Missing):
        return links
    # What is usual on a mesh was measured inside one node; across nodes only the wire itself is certain.
    wire, usual = links[0], links[0] if domain.fabric == "mesh" else links[1]
    share = ranks / (ranks - 1)
    return _term("NVLink", wire * share, f"{wire:g} x {ranks}/{ranks - 1} = {wire * share:.1f}", usual * share)


def islands_term(domain: Domain, usual_slots: int) -> Term | Missing:
    """Between bridge islands every GPU of an island has a slot; how many of them carry traffic depends on the rings."""
    slot = pcie_term(domain)
    if isinstance(slot, Missing):
        return slot
    island = domain.gpu.island or 1
    value = island * slot.value
    text = f"{island} GPUs x {slot.value:g} = {value:.1f}"
    return _term("PCIe between islands", value, text, usual_slots * slot.value)


def pcie_term(domain: Domain) -> Term | Missing:
    """All traffic of a GPU over its one PCIe link."""
    if domain.gpu.pcie_gen is None:
        return Missing((f"the PCIe generation of {domain.gpu.title}",))
    payload: float = table("rates.toml")["pcie_x16"][str(domain.gpu.pcie_gen)]
    return Term("PCIe", payload, f"PCIe Gen{domain.gpu.pcie_gen} x16 payload", payload)


def is_pcie(domain: Domain) -> bool:
    """Does a ring inside the domain run over PCIe?"""
    return domain.fabric == "none" or leaves_island(domain)


def is_ambiguous(domain: Domain) -> bool:
    """Two or three SXM GPUs of a board that may have switches or a mesh: the log does not tell which."""
    small = domain.gpu.small_mesh
    known = domain.board is not None and domain.board >= 8
    return domain.fabric == "nvswitch" and small is not None and 1 < domain.ranks <= small and not known


def leaves_island(domain: Domain) -> bool:
    """Are the ranks more than a bridge joins?"""
    island = domain.gpu.island
    return domain.fabric == "bridge" and island is not None and domain.ranks > island


def _links(domain: Domain) -> tuple[float, float] | Missing:
    """What all links of a GPU carry one way at most, and usually."""
    gpu = domain.gpu
    if gpu.usable_gbs is None or domain.fabric == "unknown":
        return Missing((f"the link bandwidth of {gpu.title}, which is not published",))
    return gpu.wire_gbs or gpu.usable_gbs, gpu.usable_gbs


def _whole_link(domain: Domain) -> Term | Missing:
    links = _links(domain)
    return links if isinstance(links, Missing) else Term("NVLink", links[0], "", links[1])


def _term(name: str, value: float, formula: str, usual: float) -> Term:
    """A limit that is usually not reached in full says so."""
    less = f" (usually {usual:.1f})" if usual < 0.999 * value else ""
    return Term(name, value, formula + less, min(usual, value))
