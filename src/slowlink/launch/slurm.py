"""Ranks by Slurm: ``srun`` inside an allocation, or a batch job from a login node.

Sources: srun(1), sbatch(1), scancel(1) of Slurm 20.11 to 25.05. srun can end with 0 after a node failure: judge a run
by its table.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.launch.layout import Share, in_words, lay_out
from slowlink.launch.mpi_flags import family_of
from slowlink.launch.slurm_allocation import allocation_of
from slowlink.launch.slurm_batch import batch_files, placement
from slowlink.model.plan import Allocation, Detection, Node, Plan, RankJob, Step
from slowlink.nodes import fold

_ALIVE = ("RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED")
_STEP_WAIT_S = 60
_DEFAULT_LIMIT_S = 1800.0


class Slurm:
    """Steps of an allocation, or jobs. No endless wait: a step starts within a minute or fails, a job has a limit."""

    name: ClassVar[str] = "slurm"

    def detect(self, here: Surroundings) -> Detection:
        job = here.environment.get("SLURM_JOB_ID")
        if "srun" not in here.programs:
            return Detection(self.name, False, "there is no srun on PATH")
        if job is None:
            return Detection(
                self.name, "sbatch" in here.programs, "no allocation (SLURM_JOB_ID is not set); sbatch can ask for one"
            )
        if _expired(here):
            return Detection(self.name, False, _why_expired(here))
        return Detection(self.name, True, f"inside the allocation of Slurm job {job}")

    def allocation(self, here: Surroundings) -> Allocation | None:
        return allocation_of(here.environment) or Allocation((), basis="Slurm chooses the nodes")

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        inside = "SLURM_JOB_ID" in here.environment
        if options.batch or not inside:
            return _batch(self.name, job, allocation, here, options)
        if "srun" not in here.programs:
            raise SlowlinkError(
                "there is no srun on PATH", hint="load Slurm's programs, or use --on ssh", slug="no-srun"
            )
        if _expired(here):
            raise SlowlinkError(
                _why_expired(here), hint="ask for a new one: salloc -N 4, or --batch", slug="expired-allocation"
            )
        shares = lay_out(job, allocation)
        # Variables travel in srun's own environment: a comma in a value would break --export=NAME=VALUE.
        argv = [here.programs["srun"], *_step_flags(job, shares, here), "--export=ALL"]
        argv += [f"--immediate={_STEP_WAIT_S}", *options.extra, *job.argv]
        return Plan(
            launcher=self.name,
            argv=tuple(argv),
            env=dict(job.env),
            timeout_s=options.timeout_s or job.timeout_s,
            nodes=tuple(share.node.name for share in shares),
            note=f"a step of Slurm job {here.environment['SLURM_JOB_ID']}: {in_words(shares)}",
        )


def _step_flags(job: RankJob, shares: tuple[Share, ...], here: Surroundings) -> list[str]:
    flags = [
        f"--job-name={job.name}",
        f"--nodes={len(shares)}",
        f"--ntasks={job.nranks}",
        *placement(job),
        f"--nodelist={fold(share.node.name for share in shares)}",
        f"--mpi={process_interface(here)}",
        "--kill-on-bad-exit=1",
        # A step beside this one, an interactive shell for instance, must not make us wait.
        "--overlap",
        "--cpu-bind=none",
        "--unbuffered",
    ]
    if job.gpus_per_node:
        flags.append(f"--gpus-per-node={job.gpus_per_node}")
    if job.cwd:
        flags.append(f"--chdir={job.cwd}")
    if job.timeout_s:
        flags.append(f"--time={_minutes(job.timeout_s)}")
    return flags


def process_interface(here: Surroundings) -> str:
    """``pmix`` for Open MPI, ``pmi2`` for MPICH, as this Slurm offers it.

    Raises SlowlinkError (``no-pmi``) when Slurm was asked and has neither.
    """
    wanted = "pmi2" if family_of(here.mpi or "") == "hydra" else "pmix"
    if not here.slurm_mpi or wanted in here.slurm_mpi:
        return wanted
    versioned = sorted(name for name in here.slurm_mpi if name.startswith(f"{wanted}_"))
    if versioned:
        return versioned[-1]
    raise SlowlinkError(
        f"this Slurm offers no {wanted}, which {here.mpi or 'Open MPI'} needs (it has {', '.join(here.slurm_mpi)})",
        hint='start ranks by mpirun instead: --on ssh --nodes "$SLURM_JOB_NODELIST"',
        slug="no-pmi",
    )


def _batch(name: str, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
    if "sbatch" not in here.programs:
        raise SlowlinkError(
            "there is no Slurm allocation here and no sbatch on PATH",
            hint="run inside salloc, or on a login node of the cluster",
            slug="no-allocation",
        )
    nodes = -(-job.nranks // job.ranks_per_node)
    named = tuple(node.name for node in lay_nodes(job, allocation))
    unique = f"{job.name}-{here.run_id}"
    limit = job.timeout_s or options.timeout_s or _DEFAULT_LIMIT_S
    files = batch_files(job, named, unique, process_interface(here), limit, options)
    collect = (Step(("sh", "{scratch}/collect.sh"), timeout_s=150),) if job.around is not None else ()
    where = f"on {fold(named)}" if named else f"on {nodes} nodes that Slurm chooses"
    return Plan(
        launcher=name,
        argv=("sh", "{scratch}/submit.sh"),
        files=files,
        timeout_s=options.timeout_s,
        # The name is this run's own: nothing else can be cancelled by it, and it is known before the job has an id.
        cleanup=(*collect, Step((here.programs.get("scancel", "scancel"), f"--name={unique}"), timeout_s=30)),
        nodes=named,
        note=f"a batch job {where}: {job.nranks} ranks, {job.ranks_per_node} on each node, "
        f"at most {_minutes(limit)} minutes\nthe working directory must be on a file system that the nodes share",
    )


def lay_nodes(job: RankJob, allocation: Allocation) -> tuple[Node, ...]:
    """Nodes that a batch job is to ask for by name; none when Slurm is to choose."""
    return tuple(share.node for share in lay_out(job, allocation)) if allocation.nodes else ()


def _expired(here: Surroundings) -> bool:
    return here.slurm_state is not None and here.slurm_state not in _ALIVE


def _why_expired(here: Surroundings) -> str:
    job = here.environment.get("SLURM_JOB_ID")
    return f"the allocation of Slurm job {job} is over: its state is {here.slurm_state}"


def _minutes(seconds: float) -> int:
    return max(1, -(-int(seconds) // 60))


LAUNCHER = Slurm()
