"""The command lines of mpirun: Open MPI 4 and 5, and Hydra (MPICH, Intel MPI).

Sources: mpirun(1) of Open MPI 4.1 and 5.0; the guide of the Hydra process manager. Tried: openmpi 5.0.11, mpich 5.0.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import Surroundings

SSH_OPTIONS = (
    *("-o", "BatchMode=yes"),
    # A new host is learned; a changed key is refused. Never "no".
    *("-o", "StrictHostKeyChecking=accept-new"),
    *("-o", "ConnectTimeout=10"),
    # A host that died is noticed by ssh within 15 s, although TCP alone would wait for hours.
    *("-o", "ServerAliveInterval=5"),
    *("-o", "ServerAliveCountMax=3"),
)

# The daemon on a host that was cut off ends itself and its ranks after some 15 s; by default it takes eight minutes.
_PRTE_KEEPALIVE = (
    *("--prtemca", "oob_tcp_keepalive_time", "5"),
    *("--prtemca", "oob_tcp_keepalive_intvl", "2"),
    *("--prtemca", "oob_tcp_keepalive_probes", "3"),
)

_FORWARDED = ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_")
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,3}")


class Mpi(Struct, frozen=True):
    """The mpirun that was found."""

    path: str
    family: str
    """``openmpi`` or ``hydra``."""
    major: int | None
    title: str
    """As it says of itself: ``openmpi 5.0.11``."""


def found_mpi(here: Surroundings) -> Mpi:
    """The mpirun of these surroundings. Raises SlowlinkError when there is none, or one of a kind not known."""
    title = here.mpi or ""
    family = family_of(title)
    names = ("mpirun", "mpiexec") if family == "openmpi" else ("mpiexec.hydra", "mpirun", "mpiexec")
    path = next((here.programs[name] for name in names if name in here.programs), None)
    if path is None:
        raise SlowlinkError(
            "there is no mpirun here: not beside this Python and not on PATH",
            hint="pip install 'slowlink[mpi]', or install or load (module load openmpi) Open MPI or MPICH",
            slug="no-mpirun",
        )
    if family is None and "home directory" in title:
        raise SlowlinkError(
            f"{path} does not start for a user without a home directory: {title[:80]}",
            hint="set HOME to a directory of yours: export HOME=/tmp",
            slug="no-home",
        )
    if family is None:
        raise SlowlinkError(
            f"{path} is neither Open MPI nor MPICH: {title[:80] or 'it says no version'}",
            hint="put the mpirun of Open MPI or MPICH first on PATH",
            slug="unknown-mpi",
        )
    version = _VERSION.search(title)
    return Mpi(path, family, int(version.group().split(".")[0]) if version else None, title)


def family_of(title: str) -> str | None:
    """``openmpi`` or ``hydra`` from a name such as ``openmpi 5.0.11``, ``mpich 5.0.2``, ``intel-mpi 2021.13``."""
    lowered = title.lower()
    if lowered.startswith(("openmpi", "open mpi")):
        return "openmpi"
    return "hydra" if lowered.startswith(("mpich", "intel", "hydra", "mvapich")) else None


def split_environment(mpi: Mpi, env: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Variables for mpirun itself, and variables for ranks. Open MPI carries its own parameters to every node."""
    if mpi.family != "openmpi":
        return {}, dict(env)
    own = {name: value for name, value in env.items() if name.startswith(_FORWARDED)}
    return own, {name: value for name, value in env.items() if name not in own}


def environment_flags(mpi: Mpi, env: Mapping[str, str]) -> list[str]:
    """Flags that give these variables to every rank."""
    flags: list[str] = []
    for name in sorted(env):
        flags += ["-x", f"{name}={env[name]}"] if mpi.family == "openmpi" else ["-genv", name, env[name]]
    return flags


def openmpi_placement(uid: int, *, oversubscribed: bool) -> list[str]:
    """Flags of Open MPI that every launch needs."""
    flags = ["--allow-run-as-root"] if uid == 0 else []
    if oversubscribed:
        # Without yielding, ranks that share a core spin: milliseconds instead of microseconds a call.
        flags += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    # Filled by slot, ranks of a node are consecutive. Bound to one core, NCCL's own threads would share it.
    return [*flags, "--map-by", "slot", "--bind-to", "none"]


def agent_flags(mpi: Mpi, agent: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Flags and variables that make mpirun use this ssh. Its words hold no blanks: mpirun splits them there."""
    if mpi.family == "openmpi":
        if mpi.major is not None and mpi.major >= 5:
            return ["--prtemca", "plm_ssh_agent", " ".join(agent), *_PRTE_KEEPALIVE], {}
        return ["--mca", "plm_rsh_agent", " ".join(agent)], {}
    extra = " ".join(agent[1:])
    flags = ["-launcher", "ssh", "-launcher-exec", agent[0]]
    return flags, {"HYDRA_LAUNCHER_EXTRA_ARGS": extra, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": extra}
