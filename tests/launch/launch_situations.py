"""Surroundings, jobs and allocations that tests plan for: made up, and the same on every machine."""

from __future__ import annotations

from slowlink.launch.interface import Surroundings
from slowlink.model.plan import Allocation, Node, RankJob

OPENMPI_5 = Surroundings(
    environment={},
    programs={
        "mpirun": "/opt/openmpi/bin/mpirun",
        "ssh": "/usr/bin/ssh",
        "srun": "/usr/bin/srun",
        "sbatch": "/usr/bin/sbatch",
        "scancel": "/usr/bin/scancel",
        "kubectl": "/usr/bin/kubectl",
    },
    mpi="openmpi 5.0.7",
    uid=1000,
    cpus=8,
    scratch="/scratch",
    run_id="1a2b",
)


def surroundings(
    *,
    mpi: str | None = "openmpi 5.0.7",
    uid: int = 1000,
    environment: dict[str, str] | None = None,
    without: tuple[str, ...] = (),
    slurm_state: str | None = None,
    slurm_mpi: tuple[str, ...] = (),
) -> Surroundings:
    programs = {name: path for name, path in OPENMPI_5.programs.items() if name not in without}
    if mpi is not None and mpi.startswith("mpich"):
        programs["mpirun"] = "/opt/mpich/bin/mpirun"
        programs["mpiexec.hydra"] = "/opt/mpich/bin/mpiexec.hydra"
    return Surroundings(
        environment=environment or {},
        programs=programs,
        mpi=mpi,
        uid=uid,
        cpus=8,
        scratch="/scratch",
        run_id="1a2b",
        slurm_state=slurm_state,
        slurm_mpi=slurm_mpi,
    )


IN_SLURM = {
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_NODELIST": "gpu[07-10]",
    "SLURM_JOB_CPUS_PER_NODE": "64(x4)",
}

JOB = RankJob(
    argv=("/opt/nccl-tests/build/all_reduce_perf", "-b", "8", "-e", "1G", "-f", "2", "-g", "1"),
    nranks=16,
    ranks_per_node=8,
    env={"NCCL_DEBUG": "INFO", "NCCL_IB_HCA": "=mlx5_0:1,mlx5_1:1"},
    gpus_per_node=8,
    timeout_s=900,
)
SMALL = RankJob(argv=("python", "-m", "slowlink.probe"), nranks=4, ranks_per_node=4)
NASTY = RankJob(
    argv=("/opt/my tools/probe", "it's", "$(reboot)", "a;b", "*"),
    nranks=3,
    ranks_per_node=2,
    env={"TEXT": "two words; 'and' \"quotes\" $HOME", "OMPI_MCA_btl": "tcp,self"},
    cwd="/home/me/my runs",
)


def nodes(*names: str, slots: int | None = None) -> Allocation:
    return Allocation(tuple(Node(name, slots=slots) for name in names), basis="--nodes " + ",".join(names))
