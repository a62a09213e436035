"""A node in a few words. What is not said is as it should be: an HGX H100 node with one ConnectX-7 for each GPU."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Vendor = Literal["nvidia", "metax"]


class Busy(Struct, frozen=True):
    """A process that holds a GPU although nothing was started there."""

    gpu: int = 0
    pid: int = 48213
    name: str = "python3"
    memory_mib: int = 21504
    utilisation: int = 97


class SimulatedNode(Struct, frozen=True):
    """One node. GPU ``i`` and HCA ``i`` share a PCIe switch."""

    name: str
    number: int = 1
    """Tells serial numbers, GUIDs and addresses of nodes apart."""
    gpus: int = 4
    vendor: Vendor = "nvidia"
    driver: str = "570.133.20"
    open_driver: bool = False
    """The open kernel modules: HCAs can then reach GPU memory by DMA-BUF, too."""
    kernel: str = "5.15.0-136-generic"
    cpus: int = 8
    governor: str = "performance"
    numa_balancing: bool = False
    acs: bool = False
    """The ports of the PCIe switches redirect peer-to-peer traffic."""
    peermem: bool = True
    """nvidia_peermem is loaded."""
    slow_port: int | None = None
    """HCA whose port runs at half its rate."""
    dead_port: int | None = None
    """HCA whose port has no link."""
    throttled: int | None = None
    """GPU that its hardware slows down."""
    symbol_errors: tuple[int, ...] = ()
    """Lifetime counts by HCA; 0 where none is given."""
    busy: Busy | None = None
    persistence: bool = True

    def guid(self, hca: int) -> int:
        """Of an HCA, of a vendor's range."""
        return 0xA088C20300000000 + (self.number << 12) + (hca << 4)


class Place(Struct, frozen=True):
    """PCI addresses of one switch with a GPU and an HCA below it."""

    base: int

    @classmethod
    def of(cls, index: int) -> Place:
        return cls(0x10 + 0x10 * index)

    @property
    def root_port(self) -> str:
        return f"0000:{self.base:02x}:01.0"

    @property
    def upstream(self) -> str:
        return f"0000:{self.base + 1:02x}:00.0"

    @property
    def above_gpu(self) -> str:
        return f"0000:{self.base + 2:02x}:00.0"

    @property
    def above_hca(self) -> str:
        return f"0000:{self.base + 2:02x}:01.0"

    @property
    def gpu(self) -> str:
        return f"0000:{self.base + 3:02x}:00.0"

    @property
    def hca(self) -> str:
        return f"0000:{self.base + 4:02x}:00.0"
