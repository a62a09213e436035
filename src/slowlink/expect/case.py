"""What an expectation is asked for, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from slowlink.catalog.bands import Band
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


@dataclass(frozen=True, slots=True)
class Case:
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
    nic_pcie_gbs: float | None = None
    """What the slot of one NIC can carry, where it is known to be narrower than the NIC."""
    nvlink_domain: int | None = None
    """GPUs joined by NVLink, where known otherwise than from the system (MNNVL lines of the log)."""
    bridged: bool = True
    """False: cards that bridges can join are taken to have none."""

    @property
    def ranks_per_node(self) -> int:
        """Ranks on the fullest node."""
        return -(-self.nranks // max(self.nnodes, 1))


@dataclass(frozen=True, slots=True)
class Term:
    """One limit: the minimum of all terms is the bound."""

    name: str
    """``NICs``, ``NVLink``, ``NVLS``, ``PCIe``, ``host staging``, ``TCP sockets`` ..."""
    value: float
    formula: str
    """``8 x 400 Gb/s x 0.981 = 392.4``."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The highest busbw that one algorithm can have here, GB/s, and what healthy systems make of it."""

    algorithm: str
    terms: tuple[Term, ...]
    band: Band
    headroom: float
    note: str = ""

    @property
    def binding(self) -> Term:
        """The term that limits."""
        return min(self.terms, key=lambda term: term.value)

    @property
    def value(self) -> float:
        return self.binding.value

    @property
    def typical(self) -> float:
        """What a healthy system shows."""
        return self.value * self.band.typical

    @property
    def warn(self) -> float:
        return self.value * self.band.warn

    @property
    def fail(self) -> float:
        return self.value * self.band.fail

    @property
    def ceiling(self) -> float:
        """A higher measured value is not credible on this hardware."""
        return self.value * self.headroom


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no expectation: what would have to be known, in words for the user."""

    names: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return "no expectation: " + "; ".join(self.names)
