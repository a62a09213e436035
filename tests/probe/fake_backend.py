"""One process that plays a back end of several ranks: every rank is as this one, and time is counted, not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from slowlink.probe.backend import PLACEMENTS, Device, Prepared


class FakeBackend:
    """Rank 0 of ``nranks``. A call takes one microsecond, and the result of an all-reduce is what it must be."""

    def __init__(self, nranks: int = 2, texts: Sequence[str] = ()) -> None:
        self.name, self.library = "fake", "Fake 1.0"
        self.rank, self.nranks = 0, nranks
        self.calls = 0
        self.aborted: list[int] = []
        self.closed = False
        self._texts = texts

    def device(self, local_rank: int) -> Device:
        return Device(local_rank, "0000:00:00", "CPU (fake)")

    def itemsize(self, datatype: str) -> int | None:
        return {"float": 4, "double": 8}.get(datatype)

    def redops(self) -> Sequence[str]:
        return ("sum",)

    def placements(self, collective: str) -> Sequence[str]:
        return PLACEMENTS if collective != "sendrecv" else PLACEMENTS[:1]

    def exchange(self, payload: bytes) -> list[bytes]:
        others = [text.encode().ljust(len(payload), b"\0") for text in self._texts]
        return [payload, *others] if others else [payload] * self.nranks

    def barrier(self) -> None:
        pass

    def prepare(
        self, collective: str, placement: str, datatype: str, redop: str, root: int, elements: tuple[int, int]
    ) -> Prepared:
        source = np.zeros(elements[0], np.float32)
        result = np.zeros(elements[1], np.float32)

        def call() -> None:
            self.calls += 1
            from slowlink.probe.pattern import reduced, repeated

            values = repeated(reduced(self.nranks, 0, redop, datatype), result.dtype)
            result[:] = np.resize(values, len(result))

        return Prepared(call, source, result)

    def write(self, buffer: Any, values: np.ndarray[Any, Any]) -> None:
        buffer[:] = np.resize(values, len(buffer))

    def read(self, buffer: Any) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = buffer
        return array

    def total(self, call: Callable[[], object], iterations: int) -> int:
        for _ in range(iterations):
            call()
        return 1000 * iterations

    def stamps(
        self, call: Callable[[], object], iterations: int, before: Callable[[], object] | None
    ) -> tuple[list[int], list[int]]:
        for _ in range(iterations):
            call()
        starts = [5000 + 1200 * index for index in range(iterations)]
        return starts, [start + 1000 for start in starts]

    def abort(self, status: int) -> None:
        self.aborted.append(status)

    def close(self) -> None:
        self.closed = True
