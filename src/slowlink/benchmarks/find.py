"""Finds a benchmark program: where the user says, on PATH, at the usual places; says where it looked for it."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import slowlink.benchmarks
from slowlink.benchmarks.inspect_program import inspect_program
from slowlink.benchmarks.interface import Benchmark, Program
from slowlink.benchmarks.perf_programs import PerfPrograms
from slowlink.errors import SlowlinkError
from slowlink.quoting import quote

_INSIDE = ("", "build", "bin", "src")
"""Where under a directory that the user named."""


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """Every module here with a ``BENCHMARK``, by name."""
    found = {}
    for name in sorted(module.name for module in iter_modules(slowlink.benchmarks.__path__)):
        benchmark = getattr(import_module(f"slowlink.benchmarks.{name}"), "BENCHMARK", None)
        if benchmark is not None:
            found[benchmark.name] = benchmark
    return found


def find(benchmark: Benchmark, collective: str, *, path: str | None = None, search: str | None = None) -> Program:
    """The best program for ``collective``. One that is known to lack MPI is taken only when there is no other.

    ``path``: a program or a directory that the user named. ``search``: PATH to look in; None for our own.
    Raises SlowlinkError, with what was looked at, when nothing is there.
    """
    names = benchmark.candidates(collective)
    if path is not None:
        return _named(names, path)
    spare: Program | None = None
    for candidate in _places(names, os.environ.get("PATH", "") if search is None else search):
        program = inspect_program(candidate)
        if program.with_mpi is not False or not isinstance(benchmark, PerfPrograms):
            return program
        spare = spare or program
    if spare is not None:
        return spare
    raise SlowlinkError(
        f"{benchmark.name}: no program for {collective} here; looked for {_looked(names)}",
        hint=_hint(benchmark),
        slug="benchmark-not-found",
    )


def _looked(names: Sequence[str]) -> str:
    """``all_reduce_perf on PATH, in /opt/nccl-tests/build ...``: names once, then places once."""
    programs = dict.fromkeys(name.rsplit("/", 1)[-1] for name in names)
    places = dict.fromkeys(name.rsplit("/", 1)[0] for name in names if "/" in name)
    return f"{' and '.join(programs)} on PATH" + (f" and in {', '.join(places)}" if places else "")


def _hint(benchmark: Benchmark) -> str:
    if benchmark.name == "nccl-tests":
        return "slowlink build-tests builds it, --path names it; --benchmark probe needs no GPU"
    return "name it with --path"


def _named(names: Sequence[str], path: str) -> Program:
    place = Path(path)
    if place.is_dir():
        tried = [place / inside / name for inside in _INSIDE for name in names if "/" not in name]
        found = next((file for file in tried if _is_program(file)), None)
        if found is None:
            looked = ", ".join(dict.fromkeys(str(file) for file in tried[:6]))
            raise SlowlinkError(f"no benchmark program in {path}; looked for {looked}", slug="benchmark-not-found")
        place = found
    elif not place.exists():
        raise SlowlinkError(f"{path} does not exist", slug="benchmark-not-found")
    elif not _is_program(place):
        raise SlowlinkError(
            f"{path} is not an executable file", hint=f"chmod +x {quote([path])}", slug="benchmark-not-program"
        )
    return inspect_program(str(place.absolute()))


def _places(names: Sequence[str], search: str) -> Iterator[str]:
    """Programs that are there, best first."""
    for name in names:
        if "/" not in name:
            for directory in filter(None, search.split(os.pathsep)):
                if _is_program(Path(directory) / name):
                    yield str(Path(directory) / name)
        else:
            yield from (place for place in sorted(glob.glob(name)) if _is_program(Path(place)))  # noqa: PTH207


def _is_program(path: Path) -> bool:
    # access() first: is_file() raises below a locked directory, such as those of root on an inherited PATH.
    return os.access(path, os.X_OK) and path.is_file()
