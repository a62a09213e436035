"""What a benchmark program can do, read from its file. It is never run for this."""

from __future__ import annotations

import re
from collections.abc import Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from slowlink.benchmarks.elf import needed_libraries
from slowlink.benchmarks.interface import Program

FEATURES: Mapping[str, bytes] = {
    "json": b"-J,--output_file",
    "per-iteration": b"-I,--per_iter_timing",
    "rccl-json": b"--rccl_output_format",
    "rccl-json-short": b"-Z,--output_format",
    "rccl": b"rccl-tests",
    "cuda": b"--use_cuda",
    "cuda-dmabuf": b"--use_cuda_dmabuf",
    "rocm": b"--use_rocm",
    "maca": b"--use_maca",
    "nvbandwidth-json": b"--json",
}
"""Feature -> a piece of the program's own help text."""
_VERSION = re.compile(rb"\0(2\.\d{1,2}\.\d{1,3})\0")
"""nccl-tests keeps its version as a string of its own since 2.17.4."""
_NAMES_VERSION = b"-tests version %s"


def inspect_program(path: str) -> Program:
    """Total: of a file that cannot be read, or is no binary, everything is unknown."""
    try:
        with Path(path).open("rb") as file:
            return _inspect(path, file)
    except (OSError, ValueError):
        return Program(path, None, None)


def _inspect(path: str, file: BinaryIO) -> Program:
    libraries = needed_libraries(file)
    if libraries is None:
        return Program(path, None, None)
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        features = frozenset(name for name, text in FEATURES.items() if content.find(text) >= 0)
        version = _version(content) if content.find(_NAMES_VERSION) >= 0 else None
        # A static MPI leaves no NEEDED entry, but its messages.
        with_mpi = any(is_mpi(name) for name in libraries) or content.find(b"MPI_Init") >= 0
    return Program(path, version, with_mpi, features)


def is_mpi(library: str) -> bool:
    """``libmpi.so.40``, ``libmpich.so.12``, ``libmpi_gnu_91.so`` (Cray), ``libmpi_ibm.so`` ..."""
    name = library.partition(".so")[0]
    return name in {"libmpi", "libmpich", "libmsmpi"} or name.startswith(("libmpi_", "libmpich_"))


def _version(content: mmap) -> str | None:
    found = {match.group(1) for match in _VERSION.finditer(content)}
    return found.pop().decode() if len(found) == 1 else None
