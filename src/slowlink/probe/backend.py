"""What the probe needs of a communication library. Two modules have it: ``mpi_backend`` and ``torch_backend``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np

Call = Callable[[], object]
Buffer = Any
"""Memory of the library's own kind: a numpy array, a tensor."""
PLACEMENTS = ("out_of_place", "in_place")


class Device(Struct, frozen=True):
    """What a rank computes on."""

    index: int
    bus_id: str
    name: str


class Prepared(Struct, frozen=True):
    """One collective on buffers that are there: ``call`` runs it once."""

    call: Call
    source: Buffer
    """What this rank gives. Filled before a checked call, and the result's own memory when in place."""
    result: Buffer | None
    """What this rank gets; None where it gets nothing (``reduce`` away from the root)."""


class Backend(Protocol):
    """A process group with buffers, collectives and a clock."""

    name: str
    rank: int
    nranks: int
    library: str
    """``Open MPI v5.0.11``, as the library says of itself."""

    def device(self, local_rank: int) -> Device:
        """What this rank uses."""

    def itemsize(self, datatype: str) -> int | None:
        """Bytes of one element; None for a type that the library cannot reduce."""

    def redops(self) -> Sequence[str]:
        """Reductions that it has."""

    def placements(self, collective: str) -> Sequence[str]:
        """Those of ``PLACEMENTS`` that the library offers for this collective."""

    def exchange(self, payload: bytes) -> list[bytes]:
        """The payloads of all ranks, in rank order. All are equally long."""

    def barrier(self) -> None:
        """Nobody leaves before all have come."""

    def prepare(
        self, collective: str, placement: str, datatype: str, redop: str, root: int, elements: tuple[int, int]
    ) -> Prepared:
        """Buffers of (sent, received) elements and the call."""

    def write(self, buffer: Buffer, values: np.ndarray[Any, Any]) -> None:
        """Fill a buffer by repeating ``values``."""

    def read(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        """The contents of a buffer."""

    def total(self, call: Call, iterations: int) -> int:
        """Nanoseconds that so many calls take together, the clock read only before and after them."""

    def stamps(self, call: Call, iterations: int, before: Call | None) -> tuple[list[int], list[int]]:
        """Start and end of each call, nanoseconds of this host's monotonic clock. ``before`` runs ahead of each."""

    def abort(self, status: int) -> None:
        """End all ranks now."""

    def close(self) -> None:
        """Leave the group in order."""
