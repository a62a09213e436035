"""Engines for reading on more than one machine: the ranks of an MPI job, and the workers of a Dask cluster.

Both are others' programs (mpi4py.futures, dask.distributed); slowlink hands them batches and takes records back. MPI is
for an allocation, where every rank starts the same command: rank 0 asks, the others read. Dask's workers are processes
that run already, anywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.parsers.reading.engine import Engine, Workers
from slowlink.workflows.watched_executor import WatchedExecutor

if TYPE_CHECKING:
    from concurrent.futures import Executor

PATIENCE_S = 20
"""So long is waited for a Dask scheduler."""
_TALKERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
"""What these say of a lost scheduler are tracebacks."""
_ANSWERS_WITHIN_S = 5
GONE_AFTER_S = 15
"""Workers that are away for so long do not come back: what they had in hand is read here."""


class Served(SystemExit):
    """This process was one that reads for another, which has its answer now."""


@contextmanager
def mpi_engine() -> Iterator[Workers]:
    """The other ranks of this MPI job, on rank 0; on the others ``Served`` is raised once rank 0 needs them no more.

    One rank alone reads by itself. Raises SlowlinkError without mpi4py and where MPI cannot be started.
    """
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPICommExecutor
    except (ImportError, RuntimeError) as error:
        raise SlowlinkError(
            f"--workers mpi: {error}",
            hint="pip install 'slowlink[mpi]', and start all ranks: mpirun -n 16 slowlink analyze --workers mpi LOGS",
        ) from error
    size = MPI.COMM_WORLD.Get_size()
    if size == 1:
        yield 1
        return
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is not None:
            yield Engine(cast("Executor", executor), size - 1)
            return
    raise Served


@contextmanager
def _muted() -> Iterator[None]:
    """The talkers are silent meanwhile, and as they were afterwards: they are also those of whoever uses slowlink."""
    loggers = [logging.getLogger(talker) for talker in _TALKERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def dask_engine(address: str) -> Iterator[Workers]:
    """The workers of the Dask scheduler at ``address`` (``tcp://host:8786``).

    Raises SlowlinkError without dask.distributed, where nobody answers, where no worker is there, and where one has no
    slowlink or another version of it.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise SlowlinkError(f"--workers {address}: {error}", hint="pip install 'slowlink[dask]'") from error
    with _muted():
        try:
            client: Any = Client(address, timeout=PATIENCE_S, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise SlowlinkError(f"--workers {address}: {error}") from error
        with client:
            cores = client.ncores()
            if not cores:
                raise SlowlinkError(f"--workers {address}: the scheduler has no workers")
            _require_this_version(client.run(_version, on_error="return"), address)
            executor = client.get_executor(pure=False)
            try:
                with WatchedExecutor(executor, partial(_has_workers, client), GONE_AFTER_S) as watched:
                    yield Engine(watched, sum(cores.values()))
            finally:
                with suppress(Exception):  # there may be no scheduler any more that could be told
                    executor.shutdown(wait=False)


def _has_workers(client: Any) -> bool:
    return bool(client.ncores(callback_timeout=_ANSWERS_WITHIN_S))


def _version() -> str:
    return __version__


def _require_this_version(told: dict[str, object], address: str) -> None:
    other = {worker: version for worker, version in told.items() if version != __version__}
    if other:
        worker, version = next(iter(other.items()))
        raise SlowlinkError(
            f"--workers {address}: {len(other)} of {len(told)} workers have no slowlink {__version__}: "
            f"{worker} says {version}",
            hint="Install the same version where the workers run.",
        )
