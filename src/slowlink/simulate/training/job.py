"""The clocks of all ranks through the steps of a training that is tensor, pipeline and data parallel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MICROBATCHES = 4
_TENSOR_BYTES, _PIPE_BYTES, _DATA_BYTES = 64 << 20, 32 << 20, 512 << 20
_INSIDE_GBS, _RAIL_GBS = 300.0, 45.0
_LATENCY_US = 20.0


class Noise(Struct, frozen=True):
    """What differs without a fault."""

    gpu: float = 0.004
    """Standard deviation between GPUs, for good."""
    compute: float = 0.01
    """From one piece of work to the next."""
    transfer: float = 0.02
    path: float = 0.01
    """Between communicators, for good."""
    hiccups: float = 0.0
    """Share of the pieces of work that something interrupts."""
    hiccup_us: float = 20_000.0
    tails: bool = False
    """Pieces of work and transfers differ by Student's t with three degrees of freedom, not normally."""
    drift: float = 0.0
    """How much the work of all GPUs changes in the course of the job."""


class Sick(Struct, frozen=True):
    """What is wrong, and from which share of the steps on."""

    gpu: dict[int, float] = field(default_factory=dict)
    """Rank -> share of its speed that is left."""
    hca: dict[int, float] = field(default_factory=dict)
    """Rank -> share of the rate of its HCA that is left."""
    path: dict[tuple[int, int], float] = field(default_factory=dict)
    """Two nodes, by number -> share of the rate between them that is left."""
    since: float = 0.0


class Shape(Struct, frozen=True):
    """Ranks go by tensor, then data, then pipeline; ``tensor`` of them fill a node."""

    tensor: int = 8
    data: int = 32
    pipeline: int = 4

    @property
    def ranks(self) -> int:
        return self.tensor * self.data * self.pipeline


class Called(NamedTuple):
    """One call of all communicators of a kind: arrays of [pipeline, data, tensor], microseconds."""

    kind: str
    """``tensor``, ``pipe`` or ``data``."""
    collective: str
    size_bytes: int
    took_us: Array
    ended_us: Array
    """Since the job began."""
    stage: int | None = None
    """Of ``pipe``: the stage that sends; the next one receives, and both stand in the arrays one after the other."""


class Job:
    """One training job; ``calls`` gives all its calls in the order in which they end."""

    def __init__(self, shape: Shape, noise: Noise, sick: Sick, seed: int, work_us: float = 20_000.0) -> None:
        import numpy as np

        self.shape, self._noise, self._sick, self._work_us = shape, noise, sick, work_us
        self._chance = np.random.default_rng(seed)
        size = (shape.pipeline, shape.data, shape.tensor)
        self._slower = 1 + noise.gpu * self._chance.standard_normal(size)
        self._clock = np.zeros(size)
        self._tensor_path = self._paths((shape.pipeline, shape.data))
        self._data_path = self._paths((shape.pipeline, shape.tensor))
        self._pipe_path = self._paths((shape.pipeline - 1, shape.data, shape.tensor))
        self._left = np.ones(size)
        self._rails = np.ones(size)
        self._pipes = np.ones((shape.pipeline - 1, shape.data, shape.tensor))
        self._rings = np.ones((shape.pipeline, shape.tensor))

    def calls(self, steps: int) -> Iterator[Called]:
        for step in range(steps):
            if step >= self._sick.since * steps:
                self._fall_sick()
            drift = 1 + self._noise.drift * step / max(1, steps - 1)
            for _ in range(MICROBATCHES):
                yield from self._microbatch(drift)
            yield self._data("reduce_scatter")
            yield self._data("all_gather")

    def _microbatch(self, drift: float) -> Iterator[Called]:
        for stage in range(self.shape.pipeline):
            self._work(stage, drift)
            yield self._tensor(stage)
            if stage + 1 < self.shape.pipeline:
                yield self._pipe(stage)

    def _drawn(self, size: tuple[int, ...]) -> Array:
        """Mean 0, standard deviation 1."""
        if self._noise.tails:
            drawn: Array = self._chance.standard_t(3, size) / 3**0.5
            return drawn
        return self._chance.standard_normal(size)

    def _paths(self, size: tuple[int, ...]) -> Array:
        import numpy as np

        factor: Array = np.maximum(0.5, 1 + self._noise.path * self._chance.standard_normal(size))
        return factor

    def _fall_sick(self) -> None:
        shape, sick = self.shape, self._sick
        for rank, left in sick.gpu.items():
            self._left[self._at(rank)] = left
        for rank, left in sick.hca.items():
            stage, data, tensor = self._at(rank)
            self._rings[stage, tensor] = left
            for pipe in (stage - 1, stage):
                if 0 <= pipe < shape.pipeline - 1:
                    self._pipes[pipe, data, tensor] = left
        for (one, other), left in sick.path.items():
            a, b = sorted((divmod(one, shape.data), divmod(other, shape.data)))
            if a[0] == b[0]:
                self._rings[a[0], :] = left  # every ring of the stage goes from node to node in order
            elif a[1] == b[1] and b[0] == a[0] + 1:
                self._pipes[a[0], a[1], :] = left

    def _at(self, rank: int) -> tuple[int, int, int]:
        node, tensor = divmod(rank, self.shape.tensor)
        stage, data = divmod(node, self.shape.data)
        return stage, data, tensor

    def _work(self, stage: int, drift: float) -> None:
        import numpy as np

        size = self._clock[stage].shape
        work = self._work_us * drift * self._slower[stage] / self._left[stage]
        work = work * np.maximum(0.2, 1 + self._noise.compute * self._drawn(size))
        if self._noise.hiccups:
            struck = self._chance.random(size) < self._noise.hiccups
            work = work + struck * self._chance.exponential(self._noise.hiccup_us, size)
        self._clock[stage] += work

    def _took(self, size_bytes: int, gbs: float, factor: Array) -> Array:
        import numpy as np

        took: Array = (_LATENCY_US + size_bytes / (gbs * 1e3)) * factor
        return took * np.maximum(0.5, 1 + self._noise.transfer * self._drawn(took.shape))

    def _tensor(self, stage: int) -> Called:
        clock = self._clock[stage]
        took = self._took(_TENSOR_BYTES, _INSIDE_GBS, self._tensor_path[stage])
        end = clock.max(axis=1) + took
        return self._ended("tensor", "all_reduce", _TENSOR_BYTES, (slice(stage, stage + 1),), end[None, :, None], stage)

    def _pipe(self, stage: int) -> Called:
        both = slice(stage, stage + 2)
        took = self._took(_PIPE_BYTES, _RAIL_GBS, self._pipe_path[stage] / self._pipes[stage])
        end = self._clock[both].max(axis=0) + took
        return self._ended("pipe", "send", _PIPE_BYTES, (both,), end[None], stage)

    def _data(self, collective: str) -> Called:
        took = self._took(_DATA_BYTES, _RAIL_GBS, self._data_path / self._rings)
        end = self._clock.max(axis=1) + took
        return self._ended("data", collective, _DATA_BYTES // self.shape.data, (slice(None),), end[:, None, :], None)

    def _ended(
        self, kind: str, collective: str, size_bytes: int, where: tuple[slice, ...], end: Array, stage: int | None
    ) -> Called:
        """All ranks of ``where`` leave the call at ``end``, give or take what a kernel needs to notice it."""
        import numpy as np

        began = self._clock[where].copy()
        left = np.broadcast_to(end, began.shape) + self._chance.exponential(2.0, began.shape)
        self._clock[where] = left
        return Called(kind, collective, size_bytes, left - began, left, stage)
