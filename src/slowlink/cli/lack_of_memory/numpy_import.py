"""Before numpy is imported, wherever that is, memory is asked for, and its BLAS is told to start no threads.

OpenBLAS starts a thread for each core when it is loaded, each with memory of its own: time, and on a large node address
space that a limit (``ulimit -v``) may not leave. Where it gets none it ends the program with exit status 1, which says
"findings" here. slowlink's matrices are small: one thread is enough. The variables are set for the time of the import
alone, as programs that slowlink starts inherit the environment, and are to be measured as they are.

Source: OpenBLAS, README (``OPENBLAS_NUM_THREADS``) and driver/others/memory.c (``exit(1)`` after ten tries).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_NEEDED_BYTES = 128 << 20
"""Measured with numpy 2 and Python 3.11: the import maps 80 MiB with one thread, 118 MiB with two; the
rest is spare."""


class OneThread(MetaPathFinder):
    """Finds numpy, once, with a loader that watches its import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "numpy":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Watched(spec.loader)
        return spec


class _Watched(Loader):
    """Imports numpy as the loader does that it has."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader  # all else is asked of that one
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        _ask_for_memory()
        given = [name for name in _THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(given, "1"))
        try:
            self._loader.exec_module(module)
        finally:
            for name in given:
                os.environ.pop(name, None)


def watch_numpy() -> None:
    """From now on, until numpy is imported."""
    if "numpy" not in sys.modules:
        sys.meta_path.insert(0, OneThread())


def _ask_for_memory() -> None:
    """Raise MemoryError where a limit leaves less than OpenBLAS needs, which would end the program."""
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

    if getrlimit(RLIMIT_AS)[0] == RLIM_INFINITY:
        return
    import mmap

    try:
        # Address space alone: no page of it is touched.
        mmap.mmap(-1, _NEEDED_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError from error
