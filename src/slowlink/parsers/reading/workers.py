"""Scanning on several cores: the parts of one source go round a few processes and come back in order.

A process is forked, so a script needs no ``__main__`` guard and nothing is imported twice. Forking is safe only while
this process has one thread; otherwise, and where a process cannot be started, the scan runs here. An engine that was
given (``engine``) gets the parts instead.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from slowlink.parsers.forms.lines import Dialect, learn_dialect
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.parsers.reading.engine import ONE_AT_A_TIME, Engine, Workers
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.scan import Scanner
from slowlink.parsers.reading.scanned import Scanned

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

INLINE_BYTES = 16 << 20
"""A source of up to this size is scanned here: a process would cost more than it saves."""
MAX_WORKERS = 4
DIALECT_BYTES = 256 << 10
"""The beginning of a source from which its dialect is learned, to the end of the line."""
BATCH_PARTS = 4
"""Parts that a process gets at a time: its fold starts anew for each batch."""


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def scan_all(
    parts: Iterable[bytes], source: str, fold: NcclFold, workers: Workers = None, first_line: int = 1
) -> Iterator[Scanned]:
    """Each part of a source, scanned, in order; NCCL's lines go into ``fold``.

    How the first lines are prefixed decides how all are read. ``workers`` None: as many as there are cores, for a
    large source.
    """
    iterator = iter(parts)
    first = next(iterator, None)
    if first is None:
        return
    beginning = lines_of(first[: first.find(b"\n", DIALECT_BYTES) + 1 or len(first)])
    dialect = learn_dialect(beginning)
    split = [beginning] if len(first) <= DIALECT_BYTES else []  # all of a small source: it is scanned as it was split
    scanner = Scanner(source, dialect)
    if isinstance(workers, Engine):
        yield from _scan_by(workers, chain([first], iterator), source, dialect, fold, first_line)
        return
    count = min(cores(), MAX_WORKERS) if workers is None else workers
    line, seen = first_line, 0
    for part in chain([first], iterator):
        if count > 1 and (seen >= INLINE_BYTES or workers is not None):
            crew = _Crew(count, source, dialect)
            if crew.started:
                with crew:
                    yield from crew.scan(chain([part], iterator), line, fold)
                return
            count = 1
        yield scanner.scan(part, line, fold, split.pop() if split else None)
        line += part.count(b"\n")
        seen += len(part)


class _Crew:
    """Processes that scan; ended when the block is left, however it is left."""

    def __init__(self, count: int, source: str, dialect: Dialect) -> None:
        self._source, self._dialect = source, dialect
        self._members: list[tuple[BaseProcess, Connection]] = []
        if sys.platform != "linux" or threading.active_count() > 1:
            return
        import multiprocessing

        context = multiprocessing.get_context("fork")
        try:
            for _ in range(count):
                here, there = context.Pipe()
                inherited = [here, *(end for _, end in self._members)]
                process = context.Process(target=_work, args=(there, inherited, source, dialect), daemon=True)
                process.start()
                there.close()
                self._members.append((process, here))
        except OSError:
            self.close()

    @property
    def started(self) -> bool:
        return bool(self._members)

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and wait for them."""
        for _, connection in self._members:
            connection.close()
        for process, _ in self._members:
            process.terminate()
        for process, _ in self._members:
            process.join()
        self._members = []

    def scan(self, parts: Iterable[bytes], line: int, fold: NcclFold) -> Iterator[Scanned]:
        """A batch for each process at a time. Its answer is taken before it gets the next, so no pipe fills up."""
        busy: deque[tuple[Connection, _Batch]] = deque()
        idle = deque(connection for _, connection in self._members)
        for batch in _batches(parts, line):
            if not idle:
                idle.append(busy[0][0])
                yield from self._answer(*busy.popleft(), fold)
            connection = idle.popleft()
            with suppress(OSError):  # the process is gone: its answer will be missed
                connection.send(batch)
            busy.append((connection, batch))
        for connection, batch in busy:
            yield from self._answer(connection, batch, fold)

    def _answer(self, connection: Connection, batch: _Batch, fold: NcclFold) -> list[Scanned]:
        try:
            answer = connection.recv()
        except (EOFError, OSError):  # somebody killed the process, for instance for want of memory: read here
            answer = _scan_batch(Scanner(self._source, self._dialect), batch)
        if isinstance(answer, str):
            raise RuntimeError(f"a scanning process failed:\n{answer}")
        return _taken(answer, fold)


_Batch = tuple[int, list[bytes]]
"""Number of its first line, and parts behind one another."""
_Answer = tuple[list[Scanned], NcclFold]


def _batches(parts: Iterable[bytes], line: int) -> Iterator[_Batch]:
    iterator = iter(parts)
    while batch := list(islice(iterator, BATCH_PARTS)):
        yield line, batch
        line += sum(part.count(b"\n") for part in batch)


def _scan_batch(scanner: Scanner, batch: _Batch) -> _Answer:
    line, parts = batch
    fold = NcclFold()
    scanned = []
    for part in parts:
        scanned.append(scanner.scan(part, line, fold))
        line += part.count(b"\n")
    return scanned, fold


def _scan_elsewhere(source: str, dialect: Dialect, batch: _Batch) -> _Answer:
    with ONE_AT_A_TIME:
        return _scan_batch(Scanner(source, dialect), batch)


def _scan_by(
    engine: Engine, parts: Iterable[bytes], source: str, dialect: Dialect, fold: NcclFold, first_line: int
) -> Iterator[Scanned]:
    """As many batches as the engine does at once are under way. One whose worker is gone is scanned here."""
    sent: deque[tuple[_Batch, Future[_Answer] | None]] = deque()
    scanner = Scanner(source, dialect)
    for batch in _batches(parts, first_line):
        if len(sent) == engine.size:
            yield from _taken(_answer_of(*sent.popleft(), scanner), fold)
        sent.append((batch, _submitted(engine, source, dialect, batch)))
    for batch, future in sent:
        yield from _taken(_answer_of(batch, future, scanner), fold)


def _submitted(engine: Engine, source: str, dialect: Dialect, batch: _Batch) -> Future[_Answer] | None:
    """None where nobody takes it."""
    from concurrent.futures import BrokenExecutor

    try:
        return engine.executor.submit(_scan_elsewhere, source, dialect, batch)
    except BrokenExecutor:
        return None


def _answer_of(batch: _Batch, future: Future[_Answer] | None, scanner: Scanner) -> _Answer:
    from concurrent.futures import BrokenExecutor

    with suppress(BrokenExecutor):
        if future is not None:
            return future.result()
    return _scan_batch(scanner, batch)


def _taken(answer: _Answer, fold: NcclFold) -> list[Scanned]:
    scanned, folded = answer
    fold.merge(folded)
    return scanned


def _work(connection: Connection, inherited: list[Connection], source: str, dialect: Dialect) -> None:
    """Scan batches until the pipe ends. Only the parent handles an interrupt; then the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for end in inherited:
        end.close()
    scanner = Scanner(source, dialect)
    try:
        while True:
            connection.send(_scan_batch(scanner, connection.recv()))
    except (EOFError, OSError):
        return
    except Exception:  # noqa: BLE001 - handed to the parent, which raises it
        import traceback

        connection.send(traceback.format_exc())
