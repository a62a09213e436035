"""The calls of a simulated training as the Inspector's columns, one for each rank and communicator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from slowlink.model.source import Ref
from slowlink.model.timed_calls import ENDED, INSPECTOR, KIND, NUMBER, TIME, CallKind, TimedCalls
from slowlink.simulate.training.job import Called, Job, Shape

if TYPE_CHECKING:
    from slowlink.simulate.training.job import Array

BEGAN = 1_790_000_000.0
_FIRST_PID = 4100


def host_of(node: int, nodes: int) -> str:
    """``node007`` of more than 99."""
    return f"node{node + 1:0{max(2, len(str(nodes)))}}"


def columns_of(job: Job, steps: int) -> Iterator[TimedCalls]:
    """Everything that the Inspector of each rank would have written."""
    calls = list(job.calls(steps))
    shape = job.shape
    for stage in range(shape.pipeline):
        table = _Table([call for call in calls if call.kind == "tensor" and call.stage == stage])
        for data in range(shape.data):
            for tensor in range(shape.tensor):
                yield _collectives(shape, table, (0, data, tensor), (stage, data, tensor), "tensor")
    table = _Table([call for call in calls if call.kind == "data"])
    for rank in _everyone(shape):
        yield _collectives(shape, table, rank, rank, "data")
    if shape.pipeline > 1:
        pipes = [[call for call in calls if call.kind == "pipe" and call.stage == s] for s in range(shape.pipeline - 1)]
        for stage, data, tensor in _everyone(shape):
            yield _sends(shape, pipes, (stage, data, tensor))


def _everyone(shape: Shape) -> Iterable[tuple[int, int, int]]:
    return (
        (stage, data, tensor)
        for stage in range(shape.pipeline)
        for data in range(shape.data)
        for tensor in range(shape.tensor)
    )


class _Table:
    """Calls that have the same ranks, one after the other: arrays of [call, pipeline, data, tensor]."""

    def __init__(self, calls: list[Called]) -> None:
        import numpy as np

        kinds = [CallKind(call.collective, call.size_bytes) for call in calls]
        self.kinds = tuple(dict.fromkeys(kinds))
        self.index = np.array([self.kinds.index(each) for each in kinds])
        self.numbers = np.array([kinds[:place].count(each) for place, each in enumerate(kinds)])
        self.took_us = np.stack([call.took_us for call in calls])
        self.ended_us = np.stack([call.ended_us for call in calls])


def _collectives(
    shape: Shape, table: _Table, at: tuple[int, int, int], rank: tuple[int, int, int], kind: str
) -> TimedCalls:
    one, two, three = at
    took, ended = (column[:, one, two, three] for column in (table.took_us, table.ended_us))
    return _record(shape, rank, kind, table.kinds, table.index, table.numbers, took, ended)


def _sends(shape: Shape, pipes: list[list[Called]], rank: tuple[int, int, int]) -> TimedCalls:
    """Receives from the stage before, sends to the stage behind, as they took turns."""
    import numpy as np

    stage, data, tensor = rank
    known: list[CallKind] = []
    rows: list[tuple[float, int, float]] = []
    for kind, other, place in (("recv", stage - 1, 1), ("send", stage + 1, 0)):
        if not 0 <= other < shape.pipeline:
            continue
        calls = pipes[min(stage, other)]
        known.append(CallKind(kind, calls[0].size_bytes, other))
        rows += [
            (float(call.ended_us[place, data, tensor]), len(known) - 1, float(call.took_us[place, data, tensor]))
            for call in calls
        ]
    rows.sort()
    ended, kinds, took = (np.array(column) for column in zip(*rows, strict=True))
    return _record(shape, rank, "pipe", tuple(known), kinds, np.arange(len(rows)), took, ended)


def _record(
    shape: Shape,
    rank: tuple[int, int, int],
    kind: str,
    kinds: tuple[CallKind, ...],
    index: Array,
    numbers: Array,
    took_us: Array,
    ended_us: Array,
) -> TimedCalls:
    """Whole microseconds, as the Inspector writes them."""
    import numpy as np

    stage, data, tensor = rank
    node = stage * shape.data + data
    of = {
        "tensor": (f"{node:x}", tensor, shape.tensor, 1),
        "data": (f"{stage * shape.tensor + tensor:x}", data, shape.data, shape.data),
        "pipe": (f"{data * shape.tensor + tensor:x}", stage, shape.pipeline, shape.pipeline),
    }
    number, own, nranks, nnodes = of[kind]
    host = host_of(node, shape.data * shape.pipeline)
    pid = _FIRST_PID + tensor
    return TimedCalls(
        tool=INSPECTOR,
        comm=f"0x{ {'tensor': 'a', 'data': 'b', 'pipe': 'c'}[kind] }{number:0>6}",
        comm_name={"tensor": "TP", "data": "DP", "pipe": "PP"}[kind],
        rank=own,
        nranks=nranks,
        nnodes=nnodes,
        host=host,
        pid=pid,
        world_rank=None,
        gpu=None,
        kinds=kinds,
        kind=index.astype(KIND).tobytes(),
        number=numbers.astype(NUMBER).tobytes(),
        time_us=np.maximum(1, np.floor(took_us)).astype(TIME).tobytes(),
        ended=(BEGAN + np.ceil(ended_us / 1e6)).astype(ENDED).tobytes(),
        timed_by={"kernel_gpu": len(index)},
        ref=Ref(f"{host}-pid{pid}.log", 1, f"rank {own} of {nranks} in communicator {kind}"),
    )
