"""Variables that ranks get: what the user says, what a job has, and what is set around us."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.workflows.foreign_settings import reaches_out

_NAME = re.compile(r"[A-Za-z_]\w{0,200}", re.ASCII)
_CARRIED = re.compile(
    r"(?:NCCL|RCCL|MCCL|UCX|UCC|OMPI_MCA|PRTE_MCA|MPICH|FI|OFI|SHARP|IBV|MLX\d|RDMAV|GLOO|HSA|MACA|CUDA|TORCH_NCCL)_\w{1,100}",
    re.ASCII,
)
_OF_ONE_RANK = re.compile(
    r"CUDA_VISIBLE_DEVICES|NCCL_DEBUG_FILE|NCCL_TESTS_\w{1,60}|OMPI_MCA_(?:ess|orte|prte|pmix)\w{0,60}"
)
"""What belongs to one process of the other job and would be wrong in ours."""
_MOST_BYTES = 1 << 20
_QUERY_S = 20.0


def carried(environ: Mapping[str, str]) -> dict[str, str]:
    """The settings of communication libraries in an environment; nothing else of it."""
    return {
        name: value
        for name, value in sorted(environ.items())
        if _CARRIED.fullmatch(name) and not _OF_ONE_RANK.fullmatch(name)
    }


def parse_assignments(texts: Sequence[str]) -> dict[str, str]:
    """``NAME=VALUE`` words of ``--env``. Raises SlowlinkError (``bad-env``)."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not _NAME.fullmatch(name) or "\0" in value:
            raise SlowlinkError(f"'{text}' is no NAME=VALUE", hint="for instance NCCL_IB_HCA=mlx5_0", slug="bad-env")
        found[name] = value
    return found


class Borrowed(Struct, frozen=True):
    """The settings of another job: what is taken, and the names of what its owner would make us run."""

    settings: dict[str, str]
    left_out: tuple[str, ...]


def borrowed(source: str) -> Borrowed:
    """The settings of a job: of a file with NAME=VALUE lines, a process here (its id), or a Slurm job (its id).

    Only what communication libraries read is taken (NCCL_*, UCX_*, OMPI_MCA_* and alike), and nothing that names a
    program to start, a place to load code from or a file to write: the job may be another user's, and this run root's.
    Raises SlowlinkError.
    """
    found = _settings_of(source)
    unsafe = tuple(name for name, value in found.items() if reaches_out(name, value))
    return Borrowed({name: value for name, value in found.items() if name not in unsafe}, unsafe)


def _settings_of(source: str) -> dict[str, str]:
    if os.access(source, os.F_OK) and Path(source).is_file():
        return _required(carried(_file(Path(source))), source)
    if not source.isdecimal():
        raise SlowlinkError(
            f"--env-from {source}: no file that can be reached, and no number of a process or a Slurm job",
            hint="write the job's settings to a file: srun --jobid=JOB --overlap -N1 -n1 env > job.env",
            slug="env-source-not-found",
        )
    if Path(f"/proc/{source}").is_dir():
        return _required(carried(_process(source)), f"process {source}")
    return _required(carried(_slurm_job(source)), f"Slurm job {source}")


def _required(found: dict[str, str], source: str) -> dict[str, str]:
    if not found:
        raise SlowlinkError(
            f"{source} has no setting of NCCL, UCX or MPI",
            hint="take a rank of the job, not its shell: pgrep -u $USER python",
            slug="env-source-empty",
        )
    return found


def _file(path: Path) -> dict[str, str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_BYTES).splitlines()
    except OSError as error:
        raise SlowlinkError(f"cannot read {path}: {error.strerror}", slug="env-source-unreadable") from error
    return _pairs(line.strip().removeprefix("export ").strip() for line in lines)


def _process(pid: str) -> dict[str, str]:
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
    except PermissionError as error:
        raise SlowlinkError(
            f"the environment of process {pid} may not be read",
            hint="run as its owner, or give a file of NAME=VALUE",
            slug="env-source-unreadable",
        ) from error
    except OSError as error:
        raise SlowlinkError(f"process {pid} has ended", slug="env-source-not-found") from error
    return _pairs(text.split("\0"))


def _slurm_job(job: str) -> dict[str, str]:
    answer = capture(("srun", f"--jobid={job}", "--overlap", "-N1", "-n1", "env"), _QUERY_S)
    if answer.status != 0:
        why = (answer.stderr.strip().splitlines() or ["srun does not answer"])[-1]
        raise SlowlinkError(
            f"there is no process {job} here, and no Slurm job {job} that can be asked: {why[:200]}",
            hint="give a file of NAME=VALUE",
            slug="env-source-not-found",
        )
    return _pairs(answer.stdout.splitlines())


def _pairs(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if equals and _NAME.fullmatch(name):
            found[name] = _unquoted(value)
    return found


def _unquoted(value: str) -> str:
    """As a shell takes it, where it is quoted as one word."""
    if not (len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"):
        return value
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    return words[0] if len(words) == 1 else value[1:-1]


def of_this_shell() -> dict[str, str]:
    """The settings around slowlink: launchers to other nodes carry only what they are told to."""
    return carried(os.environ)
