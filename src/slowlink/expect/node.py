"""The rates of one NVLink domain of a job: what its links and NICs can carry.

Bandwidths are GB/s, one direction. "Domain" is a node, or the nodes that NVLink joins (GB200 NVL72).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from slowlink.catalog.bands import Band, band
from slowlink.catalog.gpus import Gpu, Shares, all_gpus
from slowlink.catalog.load import table
from slowlink.catalog.systems import System, all_systems
from slowlink.expect.case import Case, Missing, Term
from slowlink.model.facts import NicGroup
from slowlink.units import tenths


class Domain(Struct, frozen=True):
    """One NVLink domain of a job."""

    gpu: Gpu
    fabric: str
    ranks: int
    """Ranks in the fullest domain (g in formulas)."""
    count: int
    """Domains in the job (m)."""
    nranks: int
    board: int | None
    """GPUs that a node has, whether the job uses them or not; None when unknown."""
    peers: int | None
    network: tuple[Term, ...]
    """Limits of one domain towards the others; empty when there is only one domain."""
    nvls: bool
    shares: Mapping[str, tuple[Shares, str]]
    """Class -> this hardware's own shares, and whose they are."""
    rack: bool
    """Several nodes that NVLink joins."""

    @property
    def network_gbs(self) -> float:
        """C: the least of the network's limits."""
        return min(term.value for term in self.network)

    @property
    def usual_network_gbs(self) -> float:
        """What the network usually gives: less than C where hosts or processors are in the way."""
        return min(min(term.value, term.usual) for term in self.network)

    def band(self, name: str) -> Band:
        """The class ``name``, with this hardware's own shares where the catalogue has them."""
        own = self.shares.get(name)
        return band(name) if own is None else band(name).with_shares(own[0], own[1])


def assemble_domain(case: Case) -> Domain | Missing:
    """The domain of a case, or what is missing to know it."""
    missing = _missing(case)
    if missing:
        return Missing(missing)
    hardware = case.hardware
    gpu = all_gpus()[hardware.gpu or ""]
    system = all_systems().get(hardware.system or "")
    size = _domain_size(case, gpu, system)
    if size is None:
        return Missing(("how many GPUs NVLink joins (--system gb200_nvl72 or gb200_nvl4)",))
    per_node = case.ranks_per_node
    count = -(-case.nranks // max(size, per_node))
    # Several racks are used alike: 32 trays are 16 and 16, not 18 and 14.
    ranks = -(-case.nnodes // count) * per_node if size > per_node else min(case.nranks, per_node)
    network: tuple[Term, ...] = ()
    if count > 1:
        if not hardware.nics:
            return Missing(("the NICs of a node (--nics, for instance 8x400)",))
        network = _network(case, gpu, ranks // per_node)
    fabric, peers = _fabric(gpu, system)
    if fabric == "bridge" and case.bridged is False:
        fabric = "none"
    return Domain(
        gpu=gpu,
        fabric=fabric,
        ranks=ranks,
        count=count,
        nranks=case.nranks,
        board=hardware.gpus_per_node,
        peers=peers,
        network=network,
        nvls=gpu.nvls and fabric == "nvswitch" and case.nvls is not False,
        shares=_shares(gpu, system),
        rack=ranks > per_node,
    )


def _shares(gpu: Gpu, system: System | None) -> dict[str, tuple[Shares, str]]:
    """Those of the system win."""
    found = {name: (shares, gpu.id) for name, shares in (gpu.shares or {}).items()}
    if system is not None:
        found.update({name: (shares, system.id) for name, shares in (system.shares or {}).items()})
    return found


def _missing(case: Case) -> tuple[str, ...]:
    names = []
    if case.nranks < 2:
        names.append("more than one rank: busbw of one rank is 0")
    if case.nnodes < 1 or case.nnodes > case.nranks:
        names.append("the number of nodes")
    if case.hardware.gpu is None:
        names.append("the GPU (--system or --gpu)")
    elif case.hardware.gpu not in all_gpus():
        names.append(f"the GPU {case.hardware.gpu} in the catalogue")
    if case.nnodes > 1 and not case.hardware.nics and case.hardware.gpu is None:
        names.append("the NICs of a node (--nics, for instance 8x400)")
    return tuple(names)


def _domain_size(case: Case, gpu: Gpu, system: System | None) -> int | None:
    """GPUs that NVLink joins beyond one node; the ranks of one node where it does not reach further."""
    if case.nvlink_domain is not None:
        return case.nvlink_domain
    if system is not None:
        across = system.nvlink_domain > system.gpus_per_node
        return system.nvlink_domain if across else case.ranks_per_node
    if gpu.rack is not None and case.nnodes > 1:
        return None
    return case.ranks_per_node


def _fabric(gpu: Gpu, system: System | None) -> tuple[str, int | None]:
    if system is not None and system.fabric is not None:
        return system.fabric, system.peers
    return gpu.fabric, gpu.peers


def _network(case: Case, gpu: Gpu, nodes: int) -> tuple[Term, ...]:
    """Limits of the network of one domain of ``nodes`` nodes."""
    if case.sockets:
        return _sockets(case, gpu, nodes)
    terms = [_nics(case, gpu, nodes)]
    ranks = case.ranks_per_node
    if gpu.pcie_gen is not None:
        payload = table("rates.toml")["pcie_x16"][str(gpu.pcie_gen)]
        text = f"{ranks} GPUs x {payload:g} (PCIe Gen{gpu.pcie_gen} x16)"
        terms.append(_term("PCIe of the GPUs", ranks * payload * nodes, text, nodes))
    if case.gdr is False:
        rate = table("rates.toml")["staging"]["pair_gbs"]
        pairs = min(ranks, sum(_used(case, gpu, group) for group in case.hardware.nics))
        text = f"{pairs} GPU-NIC pairs, {rate:g} each seen through the host"
        terms.append(Term("host staging", math.inf, text, pairs * rate * nodes))
    return tuple(terms)


def _sockets(case: Case, gpu: Gpu, nodes: int) -> tuple[Term, ...]:
    """The line after TCP's headers, and what the processor of a node usually moves."""
    rates = table("rates.toml")["sockets"]
    small = case.mtu_bytes is not None and case.mtu_bytes <= 1500
    most = rates["line_mtu_1500"] if small else rates["line"]
    line = sum(_used(case, gpu, group) * group.rate_gbit / 8 for group in case.hardware.nics) * nodes
    names = " + ".join(f"{_used(case, gpu, group)} x {group.rate_gbit:g} Gb/s" for group in case.hardware.nics)
    text = f"{names} x {most:g} under TCP = {line * most:.2f}"
    usual = rates["node_gbs"] * nodes
    return (
        Term("NICs", line * most, text, line * rates["usual_line"]),
        Term("TCP sockets", math.inf, f"{usual:g} usual, known to a factor of two", usual),
    )


def _nics(case: Case, gpu: Gpu, nodes: int) -> Term:
    total, parts = 0.0, []
    for group in case.hardware.nics:
        used, share = _used(case, gpu, group), usable_share(group, case.mtu_bytes)
        rate = group.rate_gbit / 8 * share
        text = f"{used} x {group.rate_gbit:g} Gb/s x {share:g}"
        if case.nic_measured_gbit is not None and case.nic_measured_gbit <= group.rate_gbit:
            rate = case.nic_measured_gbit / 8
            text = f"{used} x {case.nic_measured_gbit:g} Gb/s as measured"
        if case.nic_pcie_gbs is not None and case.nic_pcie_gbs < rate:
            rate = case.nic_pcie_gbs
            text = f"{used} x {rate:g} GB/s (PCIe slot)"
        total += used * rate
        parts.append(text)
    return _term("NICs", total * nodes, " + ".join(parts), nodes)


def _term(name: str, value: float, text: str, nodes: int) -> Term:
    times = f"{nodes} nodes x ({text})" if nodes > 1 else text
    return Term(name, value, f"{times} = {tenths(value)}", value)


def _used(case: Case, gpu: Gpu, group: NicGroup) -> int:
    """NICs of this kind that the ranks of a node use: those near to their GPUs.

    Of a node used in part, its share. Where the board is not known, a GPU has as many NICs beside it as its slot feeds:
    one of 400 Gb/s with PCIe Gen5, two of 200; others belong to GPUs that take no part.
    """
    board, ranks = case.hardware.gpus_per_node, case.ranks_per_node
    if board is not None and ranks < board:
        return max(1, -(-group.count * ranks // board))
    if gpu.pcie_gen is None:
        return group.count
    slot: float = table("rates.toml")["pcie_x16_raw"][str(gpu.pcie_gen)]
    return min(group.count, ranks * max(1, int(slot / (group.rate_gbit / 8))))


def usable_share(group: NicGroup, mtu_bytes: int | None) -> float:
    """The share of the line rate that RDMA delivers: 0.981, or 0.926 with an Ethernet MTU up to 1500."""
    rates = table("rates.toml")["nic"]
    small = mtu_bytes is not None and mtu_bytes <= 1500 and group.link_layer != "IB"
    share: float = rates["usable_mtu_1500"] if small else rates["usable"]
    return share
