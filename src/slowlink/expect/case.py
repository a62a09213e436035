"""What an expectation is asked for, and what it is made of."""

from __future__ import annotations

from msgspec import Struct

from slowlink.catalog.bands import Band
from slowlink.catalog.load import table
from slowlink.model.facts import Hardware

COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "sendrecv",
)
"""Collectives that the model knows. Gather, scatter, hypercube and alltoallv have no published results."""

ALGORITHMS = ("ring", "tree", "nvls", "nvlstree", "collnet", "p2p")
"""Algorithms that have a bound; ``p2p`` is what all-to-all and sendrecv do."""


class Case(Struct, frozen=True):
    """One collective on one kind of hardware, at large sizes."""

    collective: str
    nranks: int
    nnodes: int
    hardware: Hardware
    algorithm: str | None = None
    """Forced by NCCL_ALGO (one of ``ALGORITHMS``); None: NCCL chooses."""
    nvls: bool | None = None
    """Known from the log; None: as the hardware has it."""
    gdr: bool | None = None
    """False: data is staged through host memory. None is taken as True: what the hardware should do."""
    sockets: bool = False
    """TCP sockets carry the data between nodes."""
    sharp: bool = False
    """Reduction in the network is set up."""
    mtu_bytes: int | None = None
    """Ethernet MTU; up to 1500 costs RoCE 7 %."""
    max_channels: int | None = None
    """NCCL_MAX_NCHANNELS, where set."""
    nic_measured_gbit: float | None = None
    """What a NIC was measured to give (ib_write_bw), Gb/s: a better basis than its line rate."""
    nic_pcie_gbs: float | None = None
    """What the slot of one NIC can carry, where it is known to be narrower than the NIC."""
    nvlink_domain: int | None = None
    """GPUs joined by NVLink, where known otherwise than from the system (MNNVL lines of the log)."""
    bridged: bool | None = None
    """Do bridges join the cards that can have some? None: not known, taken to be there."""

    @property
    def ranks_per_node(self) -> int:
        """Ranks on the fullest node."""
        return -(-self.nranks // max(self.nnodes, 1))


class Term(Struct, frozen=True):
    """One limit. The least ``value`` of all terms is the bound, the least ``usual`` the reference."""

    name: str
    """``NICs``, ``NVLink``, ``NVLS``, ``PCIe``, ``host staging``, ``TCP sockets`` ..."""
    value: float
    """GB/s that cannot be passed. Infinite where nothing bounds, and only experience tells what is usual."""
    formula: str
    """``8 x 400 Gb/s x 0.981 = 392.4``."""
    usual: float
    """GB/s of busbw that this limit usually gives: what bands are shares of."""

    @property
    def words(self) -> str:
        """``NVLink 396.4, usually 370.8``, with the formula."""
        return f"{self.name} {self.formula}"


class Bound(Struct, frozen=True):
    """The highest busbw that one algorithm can have here, GB/s, and what healthy systems make of it."""

    algorithm: str
    terms: tuple[Term, ...]
    band: Band
    note: str = ""

    @property
    def binding(self) -> Term:
        """The term that limits."""
        return min(self.terms, key=lambda term: term.value)

    @property
    def value(self) -> float:
        return self.binding.value

    @property
    def reference(self) -> float:
        """What the limits usually give: the least of them."""
        return min(self.value, *(term.usual for term in self.terms))

    @property
    def typical(self) -> float:
        """What a healthy system shows."""
        return self.reference * self.band.typical

    @property
    def warn(self) -> float:
        return self.reference * self.band.warn

    @property
    def fail(self) -> float:
        return self.reference * self.band.fail

    @property
    def ceiling(self) -> float:
        """A higher measured value is not credible on this hardware: the bound and the noise of measuring."""
        return self.value * noise()


def noise() -> float:
    """How far a measurement may pass a bound, as a factor."""
    share: float = table("rates.toml")["noise"]["share"]
    return share


class Missing(Struct, frozen=True):
    """Why there is no expectation: what would have to be known, in words for the user."""

    names: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return "no expectation: " + "; ".join(self.names)
