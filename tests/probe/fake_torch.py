"""As much of torch and torch.distributed as the probe uses, on numpy, as a process group of one rank."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np


class Tensor:
    """A numpy array with torch's names."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.dtype = array.dtype

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, part: slice) -> Tensor:
        return Tensor(self.array[part])

    def element_size(self) -> int:
        return self.array.itemsize

    def to(self, kind: Any) -> Tensor:
        return self if isinstance(kind, str) else Tensor(self.array.astype(kind))

    def view(self, *shape: int) -> Tensor:
        return Tensor(self.array.reshape(*shape))

    def copy_(self, other: Tensor) -> None:
        self.array[...] = other.array

    def cpu(self) -> Tensor:
        return self

    def float(self) -> Tensor:
        return Tensor(self.array.astype(np.float32))

    def numpy(self) -> np.ndarray[Any, Any]:
        return self.array


class Work:
    """Done at once."""

    def wait(self) -> None:
        pass


class Cuda:
    """No GPU."""

    @staticmethod
    def is_available() -> bool:
        return False


def modules() -> dict[str, ModuleType]:
    """``torch`` and ``torch.distributed``; ``dist.started`` and ``dist.destroyed`` tell what was done."""
    torch: Any = ModuleType("torch")
    dist: Any = ModuleType("torch.distributed")
    torch.distributed, torch.cuda, torch.__version__ = dist, Cuda(), "9.9"
    for name in ("int8", "uint8", "int32", "int64", "float16", "float32", "float64"):
        setattr(torch, name, np.dtype(name))
    torch.bfloat16 = np.dtype("V2")
    torch.zeros = torch.empty = lambda count, dtype, device="cpu": Tensor(np.zeros(count, dtype))
    torch.empty_like = lambda tensor: Tensor(np.empty_like(tensor.array))
    torch.from_numpy = Tensor
    torch.frombuffer = lambda data, dtype: Tensor(np.frombuffer(data, dtype))
    dist.started, dist.destroyed = [], []
    dist.ReduceOp = type("ReduceOp", (), {"SUM": "sum", "PRODUCT": "prod", "MIN": "min", "MAX": "max"})
    dist.init_process_group = lambda **given: dist.started.append(given)
    dist.destroy_process_group = lambda: dist.destroyed.append(True)
    dist.get_rank, dist.get_world_size, dist.barrier = lambda: 0, lambda: 1, lambda: None
    dist.all_gather = lambda parts, own: parts[0].copy_(own)
    dist.all_reduce = lambda tensor, op: None
    dist.broadcast = lambda tensor, src: None
    dist.reduce = lambda tensor, dst, op: None
    dist.all_gather_into_tensor = dist.all_to_all_single = lambda recv, send: recv.copy_(send)
    dist.reduce_scatter_tensor = lambda recv, send, op: recv.copy_(send)
    dist.isend, dist.irecv = "isend", "irecv"
    dist.P2POp = lambda kind, tensor, peer: (kind, tensor, peer)

    def batch(operations: list[Any]) -> list[Work]:
        operations[1][1].copy_(operations[0][1])
        return [Work(), Work()]

    dist.batch_isend_irecv = batch
    return {"torch": torch, "torch.distributed": dist}
