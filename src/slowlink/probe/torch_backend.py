"""torch.distributed: gloo on CPU memory, nccl on GPUs. Loaded only when it is opened.

Placements are those that torch.distributed has: all_reduce, broadcast and reduce in place, the others out of place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np

from slowlink.errors import SlowlinkError
from slowlink.probe import host_clock
from slowlink.probe.backend import Buffer, Call, Device, Prepared
from slowlink.probe.launched import Launched

_TYPES: Mapping[str, str] = {
    "int8": "int8",
    "uint8": "uint8",
    "int32": "int32",
    "int64": "int64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
}
_IN_PLACE = frozenset({"all_reduce", "broadcast", "reduce"})
_LOCAL_RANK = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")


def open_backend(name: str, launched: Launched) -> TorchBackend:
    """Start the process group. Raises SlowlinkError when torch, a GPU or the address of rank 0 is missing."""
    try:
        import torch
        import torch.distributed as dist
    except (ImportError, OSError) as error:
        first = str(error).split("\n", 1)[0]
        raise SlowlinkError(
            f"torch cannot be loaded: {first}", hint="install torch where the ranks run", slug="torch-missing"
        ) from error
    if name == "nccl" and not torch.cuda.is_available():
        raise SlowlinkError("torch sees no GPU here", hint="--backend gloo or mpi need none", slug="no-gpu")
    if launched.nranks == 1:
        os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
        os.environ.setdefault("MASTER_PORT", "29517")
    if "MASTER_ADDR" not in os.environ or "MASTER_PORT" not in os.environ:
        raise SlowlinkError(
            "MASTER_ADDR and MASTER_PORT are not set: torch.distributed meets at the host of rank 0",
            hint="torchrun sets them; with mpirun give them to every rank: -x MASTER_ADDR=node01 -x MASTER_PORT=29517",
            slug="no-master",
        )
    dist.init_process_group(backend=name, rank=launched.rank, world_size=launched.nranks)
    return TorchBackend(name, torch, dist)


class TorchBackend:
    """The default process group."""

    def __init__(self, name: str, torch: Any, dist: Any) -> None:
        self.name = name
        self._torch, self._dist = torch, dist
        self.rank: int = dist.get_rank()
        self.nranks: int = dist.get_world_size()
        self._gpu = name == "nccl"
        self._device = "cpu"
        if self._gpu:
            local = next((os.environ[key] for key in _LOCAL_RANK if key in os.environ), str(self.rank))
            self._index = int(local) % torch.cuda.device_count()
            torch.cuda.set_device(self._index)
            self._device = f"cuda:{self._index}"
        nccl = f", NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}" if self._gpu else ""
        self.library = f"torch {torch.__version__} {name}{nccl}"

    def device(self, local_rank: int) -> Device:
        if not self._gpu:
            return Device(local_rank, "0000:00:00", f"CPU ({self.name})")
        found = self._torch.cuda.get_device_properties(self._index)
        domain, bus, slot = (getattr(found, f"pci_{part}_id", 0) for part in ("domain", "bus", "device"))
        return Device(self._index, f"{domain:04x}:{bus:02x}:{slot:02x}", str(found.name))

    def itemsize(self, datatype: str) -> int | None:
        if datatype not in _TYPES:
            return None
        return int(self._torch.empty(0, dtype=self._type(datatype)).element_size())

    def redops(self) -> Sequence[str]:
        return ("sum", "prod", "min", "max")

    def placements(self, collective: str) -> Sequence[str]:
        return ("in_place",) if collective in _IN_PLACE else ("out_of_place",)

    def exchange(self, payload: bytes) -> list[bytes]:
        torch = self._torch
        own = torch.frombuffer(bytearray(payload), dtype=torch.uint8).to(self._device)
        received = [torch.empty_like(own) for _ in range(self.nranks)]
        self._dist.all_gather(received, own)
        return [part.cpu().numpy().tobytes() for part in received]

    def barrier(self) -> None:
        self._dist.barrier()
        self._synchronize()

    def prepare(
        self, collective: str, placement: str, datatype: str, redop: str, root: int, elements: tuple[int, int]
    ) -> Prepared:
        dist, torch = self._dist, self._torch
        kind = self._type(datatype)
        op = {"sum": "SUM", "prod": "PRODUCT", "min": "MIN", "max": "MAX"}[redop]
        reduce_op = getattr(dist.ReduceOp, op)
        sent, received = elements
        if placement == "in_place":
            both = torch.zeros(max(sent, received), dtype=kind, device=self._device)
            calls: dict[str, Call] = {
                "all_reduce": lambda: dist.all_reduce(both, op=reduce_op),
                "broadcast": lambda: dist.broadcast(both, src=root),
                "reduce": lambda: dist.reduce(both, dst=root, op=reduce_op),
            }
            return Prepared(calls[collective], both, both if collective != "reduce" or self.rank == root else None)
        send = torch.zeros(sent, dtype=kind, device=self._device)
        recv = torch.zeros(received, dtype=kind, device=self._device)
        calls = {
            "all_gather": lambda: dist.all_gather_into_tensor(recv, send),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(recv, send, op=reduce_op),
            "alltoall": lambda: dist.all_to_all_single(recv, send),
            "sendrecv": lambda: self._shift(send, recv),
        }
        return Prepared(calls[collective], send, recv)

    def _shift(self, send: Buffer, recv: Buffer) -> None:
        dist = self._dist
        after, before = (self.rank + 1) % self.nranks, (self.rank - 1) % self.nranks
        both = [dist.P2POp(dist.isend, send, after), dist.P2POp(dist.irecv, recv, before)]
        for work in dist.batch_isend_irecv(both):
            work.wait()

    def write(self, buffer: Buffer, values: np.ndarray[Any, Any]) -> None:
        period = self._torch.from_numpy(np.ascontiguousarray(values)).to(buffer.dtype).to(self._device)
        whole = len(buffer) // len(period) * len(period)
        buffer[:whole].view(-1, len(period)).copy_(period)
        buffer[whole:].copy_(period[: len(buffer) - whole])

    def read(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        narrow = buffer.dtype in (self._torch.bfloat16, self._torch.float16)
        array: np.ndarray[Any, Any] = (buffer.float() if narrow else buffer).cpu().numpy()
        return array

    def total(self, call: Call, iterations: int) -> int:
        if not self._gpu:
            return host_clock.total(call, iterations)
        self._synchronize()
        start = perf_counter_ns()
        for _ in range(iterations):
            call()
        self._synchronize()
        return perf_counter_ns() - start

    def stamps(self, call: Call, iterations: int, before: Call | None) -> tuple[list[int], list[int]]:
        if not self._gpu:
            return host_clock.stamps(call, iterations, before)
        event = self._torch.cuda.Event
        zero = event(enable_timing=True)
        pairs = [(event(enable_timing=True), event(enable_timing=True)) for _ in range(iterations)]
        self._synchronize()
        zero.record()
        self._synchronize()
        origin = perf_counter_ns()
        for start, end in pairs:
            if before is not None:
                before()
            start.record()
            call()
            end.record()
        self._synchronize()
        return (
            [origin + round(zero.elapsed_time(start) * 1e6) for start, _ in pairs],
            [origin + round(zero.elapsed_time(end) * 1e6) for _, end in pairs],
        )

    def abort(self, status: int) -> None:
        """The launcher ends the others when one rank leaves with an error; a process group has no abort of its own."""
        os._exit(status)

    def close(self) -> None:
        self._dist.destroy_process_group()

    def _type(self, datatype: str) -> Any:
        return getattr(self._torch, _TYPES[datatype])

    def _synchronize(self) -> None:
        if self._gpu:
            self._torch.cuda.synchronize()
