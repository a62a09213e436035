"""MPI on CPU memory: mpi4py and numpy buffers. Loaded only when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from slowlink.errors import SlowlinkError
from slowlink.probe import host_clock
from slowlink.probe.backend import PLACEMENTS, Buffer, Call, Device, Prepared
from slowlink.probe.launched import Launched

if TYPE_CHECKING:
    from mpi4py import MPI

DATATYPES: Mapping[str, str] = {
    "int8": "i1",
    "uint8": "u1",
    "int32": "i4",
    "uint32": "u4",
    "int64": "i8",
    "uint64": "u8",
    "float": "f4",
    "double": "f8",
}
_HINT = "install it where the ranks run: pip install 'slowlink[mpi]', or mpi4py for the MPI that is there"


def open_backend(launched: Launched) -> MpiBackend:
    """Start MPI. Raises SlowlinkError when mpi4py is missing, or belongs to another MPI than the launcher."""
    import warnings

    try:
        with warnings.catch_warnings():
            # mpi4py suspects another launcher by its variables; the check below knows.
            warnings.simplefilter("ignore", RuntimeWarning)
            from mpi4py import MPI
    except ImportError as error:
        raise SlowlinkError(f"mpi4py cannot be loaded: {error}", hint=_HINT, slug="mpi4py-missing") from error
    except RuntimeError as error:
        first = str(error).strip().split("\n", 1)[0]
        raise SlowlinkError(f"mpi4py finds no MPI library: {first}", hint=_HINT, slug="mpi-missing") from error
    backend = MpiBackend(MPI)
    if launched.nranks > 1 and backend.nranks == 1:
        raise SlowlinkError(
            f"{launched.launcher} started {launched.nranks} ranks, but mpi4py's library ({backend.library}) sees one: "
            "it is another MPI than the launcher's",
            hint="use the mpirun of that library, or build mpi4py with the launcher's mpicc",
            slug="wrong-mpi",
        )
    return backend


class MpiBackend:
    """``MPI.COMM_WORLD``. Errors of MPI are exceptions (mpi4py's default)."""

    def __init__(self, mpi: Any) -> None:
        self.name = "mpi"
        self._mpi = mpi
        self._comm: MPI.Intracomm = mpi.COMM_WORLD
        self.rank: int = self._comm.Get_rank()
        self.nranks: int = self._comm.Get_size()
        first = mpi.Get_library_version().strip().split("\n", 1)[0].split(",", 1)[0]
        self.library: str = " ".join(first.strip("\0").split())[:80]

    def device(self, local_rank: int) -> Device:
        return Device(local_rank, "0000:00:00", "CPU (mpi)")

    def itemsize(self, datatype: str) -> int | None:
        return np.dtype(DATATYPES[datatype]).itemsize if datatype in DATATYPES else None

    def redops(self) -> Sequence[str]:
        return ("sum", "prod", "min", "max")

    def placements(self, collective: str) -> Sequence[str]:  # noqa: ARG002  (the same for all)
        return PLACEMENTS

    def exchange(self, payload: bytes) -> list[bytes]:
        send = np.frombuffer(payload, np.uint8)
        received = np.empty((self.nranks, len(payload)), np.uint8)
        self._comm.Allgather(send, received)
        return [row.tobytes() for row in received]

    def barrier(self) -> None:
        self._comm.Barrier()

    def prepare(
        self, collective: str, placement: str, datatype: str, redop: str, root: int, elements: tuple[int, int]
    ) -> Prepared:
        kind = np.dtype(DATATYPES[datatype])
        op = {"sum": self._mpi.SUM, "prod": self._mpi.PROD, "min": self._mpi.MIN, "max": self._mpi.MAX}[redop]
        sent, received = elements
        if placement == "in_place":
            both = np.zeros(max(sent, received), kind)
            return self._in_place(collective, both, op, root, elements)
        return self._out_of_place(collective, np.zeros(sent, kind), np.zeros(received, kind), op, root)

    def _out_of_place(self, collective: str, send: Buffer, recv: Buffer, op: Any, root: int) -> Prepared:
        comm, at_root = self._comm, self.rank == root
        after, before = (self.rank + 1) % self.nranks, (self.rank - 1) % self.nranks
        if collective == "broadcast":
            # MPI's broadcast has one buffer: the root's is the source, the others' the destination.
            own = send if at_root else recv
            return Prepared(partial(comm.Bcast, own, root), send, own)
        calls: dict[str, Callable[..., object]] = {
            "all_reduce": partial(comm.Allreduce, send, recv, op),
            "all_gather": partial(comm.Allgather, send, recv),
            "reduce_scatter": partial(comm.Reduce_scatter_block, send, recv, op),
            "alltoall": partial(comm.Alltoall, send, recv),
            "reduce": partial(comm.Reduce, send, recv if at_root else None, op, root),
            "sendrecv": partial(comm.Sendrecv, send, after, 0, recv, before, 0),
        }
        return Prepared(calls[collective], send, recv if at_root or collective != "reduce" else None)

    def _in_place(self, collective: str, both: Buffer, op: Any, root: int, elements: tuple[int, int]) -> Prepared:
        comm, here, at_root = self._comm, self._mpi.IN_PLACE, self.rank == root
        after, before = (self.rank + 1) % self.nranks, (self.rank - 1) % self.nranks
        reduce = partial(comm.Reduce, here, both, op, root) if at_root else partial(comm.Reduce, both, None, op, root)
        calls: dict[str, Callable[..., object]] = {
            "all_reduce": partial(comm.Allreduce, here, both, op),
            "all_gather": partial(comm.Allgather, here, both),
            "reduce_scatter": partial(comm.Reduce_scatter_block, here, both, op),
            "alltoall": partial(comm.Alltoall, here, both),
            "broadcast": partial(comm.Bcast, both, root),
            "reduce": reduce,
            "sendrecv": partial(comm.Sendrecv_replace, both, after, 0, before, 0),
        }
        sent, received = elements
        source = both[self.rank * sent : (self.rank + 1) * sent] if collective == "all_gather" else both[:sent]
        return Prepared(calls[collective], source, both[:received] if at_root or collective != "reduce" else None)

    def write(self, buffer: Buffer, values: np.ndarray[Any, Any]) -> None:
        repeat_into(buffer, values)

    def read(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = buffer
        return array

    def total(self, call: Call, iterations: int) -> int:
        return host_clock.total(call, iterations)

    def stamps(self, call: Call, iterations: int, before: Call | None) -> tuple[list[int], list[int]]:
        return host_clock.stamps(call, iterations, before)

    def abort(self, status: int) -> None:
        self._comm.Abort(status)

    def close(self) -> None:
        self._mpi.Finalize()


def repeat_into(buffer: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
    """Fill ``buffer`` by repeating ``values``, without a second array of its size."""
    whole = len(buffer) // len(values) * len(values)
    buffer[:whole].reshape(-1, len(values))[:] = values
    buffer[whole:] = values[: len(buffer) - whole]
