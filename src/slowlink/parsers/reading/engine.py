"""Who reads: processes of this machine, or any executor of ``concurrent.futures`` (MPI ranks, Dask's workers)."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from concurrent.futures import Executor
else:
    Executor = object  # help() asks for the annotation when it runs; the import would cost each start


class Engine(Struct, frozen=True):
    """An executor that somebody else starts and ends. Its processes have this version of slowlink."""

    executor: Executor
    size: int
    """How many things it does at once."""


ONE_AT_A_TIME = Lock()
"""Readers remember what they saw last, for the whole process: its threads read one after another."""

Workers = int | Engine | None
"""So many processes of this machine; None for as many as there are cores, where there is enough to read."""
