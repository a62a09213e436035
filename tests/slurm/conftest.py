"""A real Slurm: munge, slurmctld and slurmd on four lab hosts, each with its own /run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.lab.lab import Lab
from slowlink.lab.tools import check_machine, find

_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo")
_NODES = 4

_CONF = """\
ClusterName=lab
SlurmctldHost=node1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=/run/slurm/state
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd.pid
SlurmdSpoolDir=/run/slurm/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=20
InactiveLimit=0
KillWait=2
SlurmdParameters=config_overrides
NodeName=node[1-{nodes}] CPUs=4 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


@pytest.fixture(scope="session")
def slurm_possible() -> None:
    """Skips where Slurm cannot run, with the reason."""
    try:
        check_machine()
    except SlowlinkError as error:
        pytest.skip(f"{error.message} ({error.hint})")
    missing = [program for program in _PROGRAMS if find(program) is None]
    if missing:
        pytest.skip(f"Slurm is not installed: no {', '.join(missing)} (apt-get install slurm-wlm munge)")
    if not Path("/etc/slurm").is_dir():
        pytest.skip("this Slurm does not read /etc/slurm")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all hosts see at the same path."""
    return tmp_path_factory.mktemp("shared").resolve()


@pytest.fixture(scope="module")
def slurm(slurm_possible: None, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Four hosts, all of them idle for Slurm; ``srun`` and ``sbatch`` work on each."""
    with slurm_with("", shared, tmp_path_factory.mktemp("settings")) as lab:
        yield lab


@contextmanager
def slurm_with(more: str, shared: Path, settings: Path) -> Iterator[Lab]:
    """A Slurm with ``more`` lines in its slurm.conf, each in the place of ours of that name."""
    own = {line.partition("=")[0] for line in more.splitlines()}
    lines = (line for line in _CONF.format(nodes=_NODES).splitlines() if line.partition("=")[0] not in own)
    (settings / "slurm.conf").write_text("".join(f"{line}\n" for line in lines) + more)
    (settings / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    key = settings / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    with Lab(nodes=_NODES, share=[shared, settings], binds={"/etc/slurm": str(settings)}) as lab:
        for node in lab.nodes:
            start_munge(lab, node, key)
        with (settings / "daemons.log").open("w") as log:
            lab.popen("node1", ["slurmctld", "-D", "-c"], stdout=log)
            for node in lab.nodes:
                lab.popen(node, ["slurmd", "-D"], stdout=log)
        if not all_idle(lab):
            if Path("/sys/fs/cgroup/cgroup.controllers").exists():
                pytest.skip(
                    "this slurmd does not start with the cgroups of this machine (version 2, made for version 1)"
                )
            pytest.fail(f"Slurm did not come up:\n{(settings / 'daemons.log').read_text()}")
        yield lab


@pytest.fixture(scope="module")
def pmix(slurm: Lab) -> None:
    """Skips where Slurm starts no step with PMIx, as ranks of Open MPI need it, with Slurm's own reason.

    ``srun --mpi=list`` names the plug-in ``mpi_pmix.so`` whether or not the library is there that it opens when a step
    starts. So a step is asked for.
    """
    done = slurm.exec("node1", ["srun", "-N1", "--mpi=pmix", "true"])
    if done.returncode != 0 and "Invalid MPI type" in done.stderr:
        reason = done.stderr.partition("\n")[0].partition("error:")[2].strip()
        pytest.skip(f"this Slurm has no PMIx: {reason} (Debian: libpmix-dev, whose libpmix.so Slurm opens)")


def start_munge(lab: Lab, node: str, key: Path) -> None:
    lab.exec(node, ["mkdir", "-p", "/run/munge", "/run/slurm/state", "/run/slurm/spool"])
    own = {
        "key-file": str(key),
        "pid-file": "/run/munge/pid",
        "log-file": "/run/munge/log",
        "seed-file": "/run/munge/seed",
    }
    done = lab.exec(node, ["munged", "--force", *(f"--{name}={path}" for name, path in own.items())])
    assert done.returncode == 0, done.stderr


def all_idle(lab: Lab, patience_s: float = 20) -> bool:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if lab.exec("node1", ["sinfo", "-h", "-t", "idle", "-o", "%D"]).stdout.strip() == str(_NODES):
            return True
        time.sleep(0.1)
    return False
