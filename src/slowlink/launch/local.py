"""Ranks on this machine, by mpirun."""

from __future__ import annotations

from typing import ClassVar

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.launch.layout import in_words, lay_out
from slowlink.launch.mpi_flags import environment_flags, found_mpi, openmpi_placement, split_environment
from slowlink.model.plan import Allocation, Detection, Node, Plan, RankJob

_MOST_RANKS_PER_CPU = 64


class Local:
    """One machine. More ranks than processors are allowed: they share, and are told to."""

    name: ClassVar[str] = "local"

    def detect(self, here: Surroundings) -> Detection:
        try:
            mpi = found_mpi(here)
        except SlowlinkError as error:
            return Detection(self.name, False, f"{error.message}; {error.hint}")
        return Detection(self.name, True, f"{mpi.title} at {mpi.path}, {here.cpus} processors")

    def allocation(self, here: Surroundings) -> Allocation | None:  # noqa: ARG002  (the interface's signature)
        return Allocation((Node("localhost"),), basis="this machine")

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        mpi = found_mpi(here)
        shares = lay_out(job, Allocation(allocation.nodes[:1], allocation.basis))
        if job.nranks > _MOST_RANKS_PER_CPU * here.cpus:
            raise SlowlinkError(
                f"{job.nranks} ranks are too many for the {here.cpus} processors of this machine",
                hint=f"at most {_MOST_RANKS_PER_CPU * here.cpus} ranks here",
                slug="no-slots",
            )
        crowded = job.nranks > here.cpus
        own, ranks_env = split_environment(mpi, job.env)
        argv = [mpi.path]
        if mpi.family == "openmpi":
            argv += openmpi_placement(here.uid, oversubscribed=crowded)
        argv += ["-n", str(job.nranks), *environment_flags(mpi, ranks_env), *options.extra, *job.argv]
        note = f"{mpi.title}: {in_words(shares)}"
        if crowded:
            note += f"\n{job.nranks} ranks share {here.cpus} processors: times are not those of a real node"
        return Plan(
            launcher=self.name,
            argv=tuple(argv),
            env=own,
            timeout_s=options.timeout_s or job.timeout_s,
            nodes=tuple(share.node.name for share in shares),
            note=note,
        )


LAUNCHER = Local()
