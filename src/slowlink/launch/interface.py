"""What a launcher is: pure methods that turn a job into a Plan. A launcher is a module here with a ``LAUNCHER``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from slowlink.model.plan import Allocation, Detection, Plan, RankJob


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What detection may look at: collected once by ``launch.surroundings``, made up in tests."""

    environment: Mapping[str, str]
    programs: Mapping[str, str]
    """Program name -> absolute path, for those that were found (mpirun, mpiexec, mpiexec.hydra, srun, sbatch, kubectl, ssh)."""
    mpi: str | None
    """``openmpi 5.0.11``, ``mpich 5.0.2``, ``intel-mpi ...``, as mpirun says of itself; None when there is no mpirun."""
    uid: int
    cpus: int
    scratch: str


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """Choices of the user that are not part of the job."""

    timeout_s: float | None = None
    extra: tuple[str, ...] = ()
    """Passed to the launcher as they are (``--launcher-arg``)."""
    partition: str | None = None
    account: str | None = None
    namespace: str | None = None
    image: str | None = None
    context: str | None = None
    batch: bool = False
    """Slurm: sbatch from a login node instead of srun in an allocation."""


class Launcher(Protocol):
    """Starts ranks. Two questions are kept apart: which nodes (``Allocation``) and how to start ranks there."""

    name: ClassVar[str]

    def detect(self, here: Surroundings) -> Detection:
        """Usable here, and why. Pure."""

    def allocation(self, here: Surroundings) -> Allocation | None:
        """Nodes that the surroundings name (SLURM_JOB_NODELIST, this machine); None when they name none. Pure."""

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        """The launch as a value. Pure. Raises SlowlinkError for what cannot work: no slots, too few nodes."""
