"""Builds nccl-tests with MPI: says what is missing before anything is started, and looks at what came out.

What a build needs is NVIDIA's README: make, a C++ compiler, nvcc, NCCL's and MPI's headers. The source tree's Makefile
is run, and nothing else of it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from slowlink.benchmarks.inspect_program import inspect_program
from slowlink.benchmarks.interface import Program
from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.model.plan import Step
from slowlink.workflows.build_openmpi import openmpi_steps, require_cuda

REPOSITORY = "https://github.com/NVIDIA/nccl-tests.git"
FIRST_PROGRAM = "all_reduce_perf"
_BUILD_LIMIT_S = 3600.0
_CLONE_LIMIT_S = 300.0
_LAST_LINES = 12

Which = Callable[[str], str | None]


class Wish(Struct, frozen=True):
    """What the user asked for; None: to be found."""

    source: Path
    fetch: bool = False
    prefix: Path | None = None
    cuda_home: Path | None = None
    mpi_home: Path | None = None
    nccl_home: Path | None = None
    openmpi: Path | None = None
    """A release of Open MPI to build with CUDA first."""


class Missing(Struct, frozen=True):
    """One prerequisite that is not there."""

    what: str
    looked: str
    install: str


class Build(Struct, frozen=True):
    """What will be run, and where the programs will lie."""

    steps: tuple[Step, ...]
    directory: Path
    missing: tuple[Missing, ...]
    openmpi: Path | None = None
    """Where the Open MPI will lie that is built, too."""


def plan_build(wish: Wish, *, which: Which = shutil.which, root: Path = Path("/"), jobs: int | None = None) -> Build:
    """Look for every prerequisite. Starts nothing. ``root``: where absolute places are looked for (tests)."""
    missing: list[Missing] = []
    make, git, nvcc = which("make"), which("git"), _nvcc(wish, which, root)
    if make is None:
        missing.append(Missing("make", "PATH", "apt-get install make g++ (dnf install make gcc-c++)"))
    if which("c++") is None and which("g++") is None:
        missing.append(Missing("a C++ compiler", "PATH (c++, g++)", "apt-get install g++ (dnf install gcc-c++)"))
    if nvcc is None:
        looked = f"{wish.cuda_home}/bin/nvcc" if wish.cuda_home else "PATH, /usr/local/cuda/bin"
        missing.append(Missing("nvcc", looked, "the CUDA toolkit (cuda-toolkit), or --cuda-home DIR where it lies"))
    nccl = _first(_nccl_homes(wish, root, nvcc), "include/nccl.h")
    if nccl is None:
        looked = str(wish.nccl_home or "/usr, /usr/local, /usr/local/cuda, /opt/nccl")
        missing.append(
            Missing("nccl.h", looked, "apt-get install libnccl-dev (dnf install libnccl-devel), or --nccl-home")
        )
    directory = (wish.prefix or wish.source / "build").absolute()
    openmpi = directory / "openmpi" if wish.openmpi is not None else None
    mpi = openmpi or _first(_mpi_homes(wish, which, root), "include/mpi.h")
    if wish.openmpi is not None and _file(wish.openmpi / "configure") is None:
        missing.append(_no_openmpi(str(wish.openmpi)))
    if mpi is None:
        looked = str(wish.mpi_home or "beside mpicc, /usr/lib/*/openmpi, /usr/local/mpi, /opt/hpcx/ompi")
        missing.append(
            Missing("mpi.h", looked, "apt-get install libopenmpi-dev (dnf install openmpi-devel), or --mpi-home")
        )
    if wish.fetch and git is None:
        missing.append(Missing("git", "PATH", "apt-get install git, or --source DIR with the sources"))
    if not wish.fetch:
        missing += _not_a_source(wish.source)
    count = jobs or os.cpu_count() or 1
    steps = [Step((git or "git", "clone", "--depth", "1", REPOSITORY, str(wish.source)), _CLONE_LIMIT_S)]
    steps = steps if wish.fetch else []
    if wish.openmpi is not None and openmpi is not None:
        cuda_home = nvcc.parent.parent if nvcc else None
        steps += openmpi_steps(wish.openmpi, openmpi, cuda_home, make or "make", count)
    homes = [f"CUDA_HOME={nvcc.parent.parent if nvcc else '?'}", f"MPI_HOME={mpi or '?'}", f"NCCL_HOME={nccl or '?'}"]
    building = (make or "make", "-C", str(wish.source), f"-j{count}", "MPI=1", *homes, f"BUILDDIR={directory}")
    return Build((*steps, Step(building, _BUILD_LIMIT_S)), directory, tuple(missing), openmpi)


def build(planned: Build, say: Callable[[str], None]) -> Program:
    """Run the steps, then look at the first program. Raises SlowlinkError when one fails or MPI was left out."""
    for step in planned.steps:
        say(" ".join(step.argv))
        done = capture(step.argv, step.timeout_s or _BUILD_LIMIT_S)
        if done.status != 0:
            last = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-_LAST_LINES:])
            ended = f"exit status {done.status}" if done.status is not None else "it was ended"
            raise SlowlinkError(f"{step.argv[0]} failed ({ended}):\n  {last}", slug="build-failed")
    if planned.openmpi is not None:
        require_cuda(planned.openmpi)
    return verify(planned.directory)


def verify(directory: Path) -> Program:
    """What was built. Raises SlowlinkError when it is not there, or is not linked with MPI."""
    path = directory / FIRST_PROGRAM
    if not path.is_file():
        raise SlowlinkError(f"the build ended well, but {path} is not there", slug="build-without-program")
    program = inspect_program(str(path))
    if program.with_mpi is not True:
        raise SlowlinkError(
            f"{path} is not linked with MPI: every rank would run alone",
            hint="an older build may lie there: remove the directory, or choose another --prefix",
            slug="build-without-mpi",
        )
    return program


def _no_openmpi(looked: str) -> Missing:
    return Missing(
        "the sources of Open MPI",
        looked,
        "unpack a release (not a git checkout, which has no configure) from open-mpi.org",
    )


def _nvcc(wish: Wish, which: Which, root: Path) -> Path | None:
    if wish.cuda_home is not None:
        return _file(wish.cuda_home / "bin/nvcc")
    found = which("nvcc")
    return Path(found) if found else _file(root / "usr/local/cuda/bin/nvcc")


def _nccl_homes(wish: Wish, root: Path, nvcc: Path | None) -> Iterable[Path]:
    if wish.nccl_home is not None:
        return [wish.nccl_home]
    beside = [nvcc.parent.parent] if nvcc is not None else []
    return [root / "usr", root / "usr/local", *beside, root / "usr/local/cuda", root / "opt/nccl"]


def _mpi_homes(wish: Wish, which: Which, root: Path) -> Iterable[Path]:
    if wish.mpi_home is not None:
        return [wish.mpi_home]
    mpicc = which("mpicc")
    beside = [Path(mpicc).resolve().parent.parent] if mpicc else []
    # Debian keeps headers and libraries of each MPI in a home of its own; its /usr/include has none.
    homes = [*sorted((root / "usr/lib").glob("*/openmpi")), *sorted((root / "usr/lib64").glob("openmpi"))]
    return [*beside, *homes, root / "usr/local/mpi", root / "opt/hpcx/ompi", root / "usr/local"]


def _first(homes: Iterable[Path], header: str) -> Path | None:
    return next((home for home in homes if _file(home / header)), None)


def _file(path: Path) -> Path | None:
    return path if path.is_file() else None


def _not_a_source(source: Path) -> list[Missing]:
    if all(
        os.access(place, os.R_OK) and place.is_file() for place in (source / "Makefile", source / "src/all_reduce.cu")
    ):
        return []
    return [Missing("the sources of nccl-tests", str(source), f"git clone {REPOSITORY}, or --fetch")]
