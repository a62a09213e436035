"""What a launcher is: pure methods that turn a job into a Plan. A launcher is a module here with a ``LAUNCHER``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

from msgspec import Struct, field

from slowlink.model.plan import Allocation, Detection, Plan, RankJob


class Surroundings(Struct, frozen=True):
    """What detection may look at: collected once by ``launch.surroundings``, made up in tests."""

    environment: Mapping[str, str]
    programs: Mapping[str, str]
    """Program name -> absolute path, for those that were found: mpirun, mpiexec.hydra, srun, sbatch, kubectl, ssh"""
    mpi: str | None
    """``openmpi 5.0.11``, ``mpich 5.0.2``, ``intel-mpi 2021.13``, as it says of itself; None: no mpirun."""
    uid: int
    cpus: int
    scratch: str
    run_id: str = "run"
    """A word of this run, unique: names of what is made elsewhere (Kubernetes objects, Slurm jobs) carry it."""
    slurm_state: str | None = None
    """State of the job that SLURM_JOB_ID names, as Slurm says now; ``unknown`` when Slurm does not know it any more."""
    slurm_mpi: tuple[str, ...] = ()
    """What ``srun --mpi=list`` offers; empty when that could not be asked."""


class KubernetesOptions(Struct, frozen=True):
    """What pods are given, and what runs them."""

    operator: str = "job"
    """``job``: an Indexed Job; ``mpijob`` (kubeflow.org/v2beta1) and ``jobset`` (v1alpha2) need their operator."""
    gpu_resource: str = "nvidia.com/gpu"
    """Or ``amd.com/gpu``."""
    rdma_resource: str | None = None
    """For instance ``rdma/hca_shared_devices_a``: named by the cluster's device plugin."""
    rdma_count: int = 1
    host_network: bool = False
    """The node's own network: RDMA and EFA without a device plugin."""
    service_account: str | None = None
    node_selector: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[str, ...] = ()
    """Keys of taints that the pods stand, besides that of the GPUs."""
    pull_secrets: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    """Further networks of each pod, as Multus knows them: ``name`` or ``namespace/name``."""
    priority_class: str | None = None
    sshd: bool = True
    """The image has one. Without it slowlink hands commands on to the pods: its user may exec in them then."""


class LaunchOptions(Struct, frozen=True):
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
    kubernetes: KubernetesOptions = field(default_factory=KubernetesOptions)


class Launcher(Protocol):
    """Starts ranks. Two questions are kept apart: which nodes (``Allocation``) and how to start ranks there."""

    name: ClassVar[str]

    def detect(self, here: Surroundings) -> Detection:
        """Usable here, and why. Pure."""

    def allocation(self, here: Surroundings) -> Allocation | None:
        """Nodes that the surroundings name (SLURM_JOB_NODELIST, this machine); None when they name none. Pure.

        Without nodes when the scheduler is to choose them: then the number of ranks says how many.
        """

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        """The launch as a value. Pure. Raises SlowlinkError for what cannot work: no slots, too few nodes."""
