"""What links inside one NVLink domain allow. Formulas: g ranks in the domain, L usable link bandwidth of one GPU."""

from __future__ import annotations

from slowlink.catalog.load import table
from slowlink.expect.case import Missing, Term
from slowlink.expect.node import Domain


def ring_term(domain: Domain) -> Term | Missing:
    """A ring that stays inside the domain: ``busbw <= L``."""
    gpu, ranks = domain.gpu, domain.ranks
    if domain.fabric == "none" or _leaves_island(domain):
        return pcie_term(domain)
    if gpu.usable_gbs is None or domain.fabric == "unknown":
        return Missing((f"the link bandwidth of {gpu.title}, which is not published",))
    link = gpu.usable_gbs
    if domain.fabric == "mesh" and domain.peers is not None:
        if ranks > domain.peers + 1:
            return Missing((f"how more than {domain.peers + 1} {gpu.title} are joined",))
        if ranks == 2:
            return pair_term(domain)
        value = link * (ranks - 1) / domain.peers
        return Term("links", value, f"{link:g} x {ranks - 1}/{domain.peers} of the mesh = {value:.1f}")
    if domain.fabric == "hybrid" and ranks < 4:
        return Missing(("which GPUs are used: in a hybrid mesh pairs differ",))
    return Term("NVLink", link, f"{gpu.links} links, {link:g} usable one way")


def pair_term(domain: Domain) -> Term | Missing:
    """One GPU sends to one other."""
    gpu = domain.gpu
    if domain.fabric == "mesh" and domain.peers is not None and gpu.usable_gbs is not None:
        if gpu.pair_gbs is not None:
            return Term("link", gpu.pair_gbs, f"one link of the mesh, {gpu.pair_gbs:g} usable")
        value = gpu.usable_gbs / domain.peers
        return Term("link", value, f"{gpu.usable_gbs:g} / {domain.peers} of the mesh = {value:.1f}")
    return ring_term(domain)


def nvls_term(domain: Domain) -> Term | None:
    """In-switch reduction: each GPU emits ``S (1 + 1/g)``, so ``busbw <= eta x 2 (g-1)/(g+1) x L``.

    None where NCCL does not use it: no NVSwitch, NVLS off, or four ranks and fewer.
    """
    gpu, ranks = domain.gpu, domain.ranks
    if not domain.nvls or ranks <= 4 or gpu.usable_gbs is None or gpu.nvls_share is None:
        return None
    value = gpu.nvls_share * 2 * (ranks - 1) / (ranks + 1) * gpu.usable_gbs
    formula = f"{gpu.nvls_share:g} x 2({ranks}-1)/({ranks}+1) x {gpu.usable_gbs:g} = {value:.1f}"
    if gpu.nvls_cap_gbs is not None and ranks > 8 and value > gpu.nvls_cap_gbs:
        return Term("NVLS", gpu.nvls_cap_gbs, f"{gpu.nvls_cap_gbs:g}, the most seen (formula: {value:.0f})")
    return Term("NVLS", value, formula)


def through_term(domain: Domain) -> Term | Missing | None:
    """The part of a ring over several domains that runs inside one: ``busbw <= L g/(g-1)``.

    None when one rank is alone in its domain, so that nothing runs inside.
    """
    gpu, ranks = domain.gpu, domain.ranks
    if ranks == 1:
        return None
    if domain.fabric == "none":
        return pcie_term(domain)
    if _leaves_island(domain):
        payload = _payload(domain)
        island = gpu.island or 1
        value = island * payload
        return Term("PCIe between islands", value, f"{island} GPUs x {payload:g} = {value:.1f}")
    # On a mesh the usable share of links was measured inside one node; across nodes only the wire itself is certain.
    wire = (gpu.links or 0) * (gpu.link_gbs or 0.0)
    link = wire if domain.fabric == "mesh" and wire else gpu.usable_gbs
    if link is None or domain.fabric == "unknown":
        return Missing((f"the link bandwidth of {gpu.title}, which is not published",))
    value = link * ranks / (ranks - 1)
    return Term("NVLink", value, f"{link:g} x {ranks}/{ranks - 1} = {value:.1f}")


def pcie_term(domain: Domain) -> Term | Missing:
    """All traffic of a GPU over its one PCIe link."""
    if domain.gpu.pcie_gen is None:
        return Missing((f"the PCIe generation of {domain.gpu.title}",))
    return Term("PCIe", _payload(domain), f"PCIe Gen{domain.gpu.pcie_gen} x16 payload")


def is_pcie(domain: Domain) -> bool:
    """Does a ring inside the domain run over PCIe?"""
    return domain.fabric == "none" or _leaves_island(domain)


def is_ambiguous(domain: Domain) -> bool:
    """Two or three SXM GPUs of a board that may have switches or a mesh: the log does not tell which."""
    small = domain.gpu.small_mesh
    known = domain.board is not None and domain.board >= 8
    return domain.fabric == "nvswitch" and small is not None and 1 < domain.ranks <= small and not known


def _leaves_island(domain: Domain) -> bool:
    island = domain.gpu.island
    return domain.fabric == "bridge" and island is not None and domain.ranks > island


def _payload(domain: Domain) -> float:
    payload: float = table("rates.toml")["pcie_x16"][str(domain.gpu.pcie_gen)]
    return payload
