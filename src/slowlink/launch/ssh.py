"""Ranks on hosts that can be reached by ssh, by mpirun: Open MPI or Hydra. The same paths on every host."""

from __future__ import annotations

from typing import ClassVar

from slowlink.errors import SlowlinkError
from slowlink.launch.hostfiles import hydra_hostfile, openmpi_hostfile, target
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.launch.layout import Share, in_words, lay_out
from slowlink.launch.mpi_flags import (
    SSH_OPTIONS,
    Mpi,
    agent_flags,
    environment_flags,
    found_mpi,
    openmpi_placement,
    split_environment,
)
from slowlink.model.plan import Allocation, Detection, Plan, PlannedFile, RankJob
from slowlink.quoting import quote


class Ssh:
    """mpirun starts its daemons on the hosts by ssh; ending mpirun, or losing a host, ends every rank."""

    name: ClassVar[str] = "ssh"

    def detect(self, here: Surroundings) -> Detection:
        if "ssh" not in here.programs:
            return Detection(self.name, False, "there is no ssh on PATH; install the OpenSSH client")
        try:
            mpi = found_mpi(here)
        except SlowlinkError as error:
            return Detection(self.name, False, f"{error.message}; {error.hint}")
        return Detection(self.name, True, f"{mpi.title} at {mpi.path} over {here.programs['ssh']}")

    def allocation(self, here: Surroundings) -> Allocation | None:  # noqa: ARG002  (the interface's signature)
        return None

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        mpi = found_mpi(here)
        shares = lay_out(job, allocation)
        if "ssh" not in here.programs:
            raise SlowlinkError("there is no ssh on PATH", hint="install the OpenSSH client", slug="no-ssh")
        config = _ssh_config(shares)
        agent = ("{scratch}/ssh.sh" if config else here.programs["ssh"], *SSH_OPTIONS)
        flags, env = agent_flags(mpi, agent)
        own, ranks_env = split_environment(mpi, job.env)
        argv = [mpi.path, *flags, *_placement(mpi, job, here)]
        argv += [*environment_flags(mpi, ranks_env), *options.extra, *job.argv]
        hostfile = openmpi_hostfile(shares) if mpi.family == "openmpi" else hydra_hostfile(shares)
        files = [PlannedFile("hostfile", hostfile)]
        if config:
            files += [PlannedFile("ssh_config", config), _ssh_script(here.programs["ssh"])]
        return Plan(
            launcher=self.name,
            argv=tuple(argv),
            env={**env, **own},
            files=tuple(files),
            timeout_s=options.timeout_s or job.timeout_s,
            nodes=tuple(share.node.name for share in shares),
            note=f"{mpi.title} over ssh: {in_words(shares)}\n"
            f"{mpi.path} and {job.argv[0]} are expected at the same paths on every node (slowlink nodes --check)",
        )


def _placement(mpi: Mpi, job: RankJob, here: Surroundings) -> list[str]:
    where = ["--hostfile" if mpi.family == "openmpi" else "-f", "{scratch}/hostfile"]
    count = ["-n", str(job.nranks)]
    if mpi.family == "openmpi":
        directory = [] if job.cwd is None else ["--wdir", job.cwd]
        return [*openmpi_placement(here.uid, oversubscribed=False), *where, *count, *directory]
    directory = [] if job.cwd is None else ["-wdir", job.cwd]
    return [*where, *count, "-ppn", str(job.ranks_per_node), *directory]


def _ssh_config(shares: tuple[Share, ...]) -> str:
    """What the user's own configuration cannot know: users and ports that came with the nodes."""
    lines: list[str] = []
    for node in (share.node for share in shares):
        own = [("User", node.user), ("Port", None if node.port is None else str(node.port))]
        given = [f"  {key} {value}" for key, value in own if value is not None]
        lines += [f"Host {target(node)}", *given] if given else []
    # The first value wins in ssh's configuration: what came with the nodes, then the user's, then the system's.
    end = ["Host *", "  Include ~/.ssh/config", "  Include /etc/ssh/ssh_config"]
    return "\n".join([*lines, *end]) + "\n" if lines else ""


def _ssh_script(ssh: str) -> PlannedFile:
    """ssh with this run's configuration, as one word: both kinds of mpirun take a program for their agent."""
    text = f'#!/bin/sh\nexec {quote([ssh])} -F "$(dirname "$0")/ssh_config" "$@"\n'
    return PlannedFile("ssh.sh", text, mode=0o700)


LAUNCHER = Ssh()
