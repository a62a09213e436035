"""Sources side by side: small ones go in batches to a few processes and come back in order.

A heap of ten thousand ranks' files, or the answers of a thousand nodes, is as much work as one large log and has no
large part. A large source and one that is no text are read here: the first has parts of its own (``workers``).

The processes are this machine's own, or those of an engine that was given.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from msgspec import Struct, field

from slowlink.inputs import Input
from slowlink.parsers.reading.engine import ONE_AT_A_TIME, Engine, Workers
from slowlink.parsers.reading.workers import MAX_WORKERS, cores

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

ALONE_BYTES = 2 << 20
"""So much is read here before processes are worth their start."""
BATCH_BYTES = 1 << 19
LARGE_BYTES = 4 << 20
BATCHES_A_PROCESS = 2
"""That are under way or done and not yet taken: what bounds the memory."""

Raw = TypeVar("Raw")
"""What is read, as it goes into a parcel."""
Answer = TypeVar("Answer")
"""What comes out of it."""


class Taken(Struct):
    """A small text as a whole: an input that another process can read."""

    name: str
    size: int | None
    data: bytes
    problem: str | None
    partial: bool

    def as_input(self) -> Input:
        return Input(self.name, self.size, [self.data], problem=self.problem, partial=self.partial)


class _Batch(Struct):
    texts: list[Taken] = field(default_factory=list)
    length: int = 0
    future: Future[Any] | None = None
    """None where no process takes it."""


ReadOne = Callable[[Input, Workers], Raw]
"""Reads one input with so many processes. A function of a module, so that another process knows it."""


class LostError(Exception):
    """A parcel that cannot be unpacked, for want of one that was lost."""


class Parcels(Protocol[Raw, Answer]):
    """How answers are sent from one process to another."""

    packed: Callable[[list[Raw]], Any]
    """In the process that has read. Those of one process are unpacked in the order in which they were packed, but for
    those that were lost."""

    def unpacked(self, parcel: Any) -> list[Answer]:
        """In this one. Raises LostError; what is packed after that stands in need of nothing before it."""


def side_by_side(
    inputs: Iterable[Input], read_one: ReadOne[Raw], workers: Workers, parcels: Parcels[Raw, Answer]
) -> Generator[Answer]:
    """What ``read_one`` gives for each input, in order, as it comes out of its parcel, wherever it was read."""
    engine = workers if isinstance(workers, Engine) else _processes(workers)
    if engine is None:
        for item in inputs:
            yield from _here(parcels, read_one(item, workers))
        return
    pool = _Pool(read_one, engine, parcels)
    alone = ALONE_BYTES if workers is None else 0
    with pool:
        for item in inputs:
            taken = _taken(item)
            if taken is None:
                yield from pool.ended()
                yield from _here(parcels, read_one(item, workers))
            elif alone > 0:
                alone -= len(taken.data) + 1
                yield from _here(parcels, read_one(taken.as_input(), 1))
            else:
                yield from pool.add(taken)
        yield from pool.ended()


def _here(parcels: Parcels[Raw, Answer], answer: Raw) -> list[Answer]:
    try:
        return parcels.unpacked(parcels.packed([answer]))
    except LostError:  # it speaks of what was forgotten meanwhile
        return parcels.unpacked(parcels.packed([answer]))


def _processes(workers: int | None) -> int | None:
    """How many processes of this machine; None where they could not help, or not be forked safely."""
    count = min(cores(), MAX_WORKERS) if workers is None else workers
    return None if count < 2 or sys.platform != "linux" or threading.active_count() > 1 else count


def _taken(item: Input) -> Taken | None:
    """A small text as a whole; None, and nothing is lost, for a large one and for what is no text."""
    data = item.whole(LARGE_BYTES)
    return None if data is None else Taken(item.name, item.size, data, item.problem, item.partial)


class _Pool(Generic[Raw, Answer]):
    """Processes for batches, its own started at need; none is left when the block is left, however it is left."""

    def __init__(self, read_one: ReadOne[Raw], engine: Engine | int, parcels: Parcels[Raw, Answer]) -> None:
        """``engine``: one that is there, or how many processes of its own."""
        self._read_one = read_one
        self._parcels = parcels
        self._own = isinstance(engine, int)
        self._count = engine if isinstance(engine, int) else engine.size
        self._executor: Executor | None = None if isinstance(engine, int) else engine.executor
        self._open: _Batch = _Batch()
        self._sent: deque[_Batch] = deque()

    def add(self, taken: Taken) -> Iterator[Answer]:
        """Take one more text; gives answers to earlier ones where enough is under way."""
        self._open.texts.append(taken)
        self._open.length += len(taken.data) + 1
        if self._open.length >= BATCH_BYTES:
            self._send()
            if len(self._sent) > BATCHES_A_PROCESS * self._count:
                yield from self._answers(self._sent.popleft())

    def ended(self) -> Iterator[Answer]:
        """All answers that are still to come; then no process is left."""
        if self._open.texts:
            self._send()
        while self._sent:
            yield from self._answers(self._sent.popleft())
        self._end()

    def _send(self) -> None:
        from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
        from multiprocessing import get_context

        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._count, get_context("fork"), _leave_interrupts_to_the_parent)
        with suppress(BrokenExecutor):
            self._open.future = self._executor.submit(
                _read_batch, self._read_one, self._parcels.packed, self._open.texts
            )
        self._sent.append(self._open)
        self._open = _Batch()

    def _answers(self, batch: _Batch) -> list[Answer]:
        from concurrent.futures import BrokenExecutor

        with suppress(BrokenExecutor, LostError):  # somebody killed a process, for instance for want of memory
            if batch.future is not None:
                return self._parcels.unpacked(batch.future.result())
        return self._parcels.unpacked(_read_batch(self._read_one, self._parcels.packed, batch.texts))

    def _end(self) -> None:
        if self._own and self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for batch in self._sent:  # left in the middle: nobody waits for what is under way
            if batch.future is not None:
                batch.future.cancel()
        if self._own and self._executor is not None:
            from multiprocessing import active_children

            for child in active_children():
                child.kill()
            self._executor.shutdown(cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read_batch(read_one: ReadOne[Raw], packed: Callable[[list[Raw]], object], texts: Sequence[Taken]) -> object:
    with ONE_AT_A_TIME:
        return packed([read_one(taken.as_input(), 1) for taken in texts])
