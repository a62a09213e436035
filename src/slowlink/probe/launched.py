"""What the launcher says about this rank in its environment, before any library is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

_VARIABLES = (
    # (launcher, rank, number of ranks); mpirun inside a Slurm allocation sets its own besides Slurm's.
    ("Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("mpiexec", "PMI_RANK", "PMI_SIZE"),
    ("mpirun of MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("torchrun", "RANK", "WORLD_SIZE"),
    ("srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)


class Launched(Struct, frozen=True):
    """Which rank of how many, and who said so. One rank of one, by nobody, when started without a launcher."""

    rank: int
    nranks: int
    launcher: str
    """"" when there is none."""


def launched_by(environment: Mapping[str, str]) -> Launched:
    """What the variables of the known launchers say; the first that has both wins."""
    for launcher, rank_name, size_name in _VARIABLES:
        rank, size = environment.get(rank_name, ""), environment.get(size_name, "")
        if rank.isdecimal() and size.isdecimal() and len(rank) < 9 and len(size) < 9:
            return Launched(int(rank), int(size), launcher)
    return Launched(0, 1, "")
