"""A shared library or a program is missing on a node.

The loader did not find a library that the program, or one of its libraries, needs; or the launcher did not find the
program itself. Where a shell does not find the daemon of the launcher by its bare name (``prted: command not found``),
its PATH is another one there, and the launcher failed. A library that is opened on demand counts where its absence
takes a function away: libfabric without libcuda.so cannot register GPU memory.

Why it matters: ranks do not start, or run without the function.
How to confirm: ``ldd $(which PROGRAM)`` and ``echo $LD_LIBRARY_PATH`` on the node that is named, through the same
launcher.
What to do: install the library there, or pass the path on (``mpirun -x LD_LIBRARY_PATH``, ``module load`` in the
job's script); in containers mount the driver's libraries. A program must be on a shared file system or on every node.
When it is wrong: the job runs well without libraries that are only probed for (plug-ins for tuning and profiling,
drivers of other vendors); they are left out, and one may have slipped through. A command that is missing in the
script around the job is only a note, and what a completed run follows is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.programs.system_programs import is_system_program
from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import LD_SO, OPEN_MPI
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    by_fault,
    groups_of,
    happened,
    hosts_of,
    listed,
    overcome,
    refs_of,
    reported,
)

CAUSES = ("library-missing", "launcher-failed")

_PROGRAM = ("executable-missing", "ompi-missing-executable", "executable-wrong-format", "executable-not-permitted")
_SHELLS = ("loader", "shell")
_LAUNCHES_RANKS = regex(
    r"_perf$|_bw$|_lat$|^(?:mpi|ompi|orte|prte|hydra_|pmi_proxy|srun|torchrun|python|deepspeed|accelerate|nvbandwidth)"
)
"""Programs without which no rank starts: benchmarks, launchers and their daemons, interpreters of training scripts."""
_DAEMONS = ("orted", "prted", "hydra_pmi_proxy", "pmi_proxy")
"""What a launcher starts on the other nodes (Open MPI, PRRTE, MPICH). A bare name is looked for in the PATH there."""
_NO_PROGRAM = regex(
    r"/(?:etc|proc|sys|dev|var|run)/|[\w./+-]{1,200}\.(?:conf|cfg|env|sh\.inc|json|ya?ml|toml|txt|log)$"
)
"""Paths that a script reads, sources or redirects from: the shell complains of them in the words of a program."""
_GPU_MEMORY = ("libfabric-hmem-missing", "hmem-init-failed")


def check(events: Events | None, warnings: Warnings | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding each for libraries (of nodes that lack the same ones), programs, and libfabric without GPU memory."""
    libraries = _of_jobs(happened(events, "library-missing", "library-symbol-missing", "library-version-missing"))
    programs = tuple(e for e in happened(events, *_PROGRAM) if not _NO_PROGRAM.match(e.groups.get("executable", "")))
    daemons = tuple(event for event in programs if event.groups.get("executable", "") in _DAEMONS)
    if daemons:
        yield _no_daemon(daemons, sweeps)
    programs = tuple(event for event in programs if event not in daemons)
    for alike in by_fault(libraries, lambda event: event.groups.get("library", "")):
        names = groups_of(alike, "library")
        yield _missing(alike, f"the loader cannot load {listed(names) or 'a library'}", sweeps)
    stopping = tuple(event for event in programs if _starts_ranks(event))
    if programs:
        programs = stopping or programs  # where ranks could not start, commands of the script are beside the point
        names = groups_of(programs, "executable") or groups_of(programs, "path")
        yield _missing(
            programs,
            f"the program {listed(names) + ' ' if names else ''}is not there or cannot be run",
            sweeps,
            bool(stopping),
        )
    if without_gpu_memory := reported(warnings, events, *_GPU_MEMORY):
        yield _without_gpu_memory(without_gpu_memory)


def _of_jobs(found: Sequence[JobEvent]) -> tuple[JobEvent, ...]:
    """Without those of daemons and desktops, whose journal stands beside the job's log."""
    return tuple(event for event in found if not is_system_program(event.groups.get("executable", "")))


def _starts_ranks(event: JobEvent) -> bool:
    """Is it the job's program or its launcher? A script survives the absence of another command."""
    name = event.groups.get("executable", "").rsplit("/", 1)[-1]
    return event.origin not in _SHELLS or _LAUNCHES_RANKS.search(name) is not None


def _missing(found: Sequence[JobEvent], what: str, sweeps: Sweeps | None, stopping: bool = True) -> Finding:
    hosts = hosts_of(found)
    ran = overcome(refs_of(found), sweeps) or not stopping
    return finding(
        "library-missing",
        f"{at_hosts(hosts)}{what}",
        severity=("info" if not stopping else "warning") if ran else "critical",
        confidence="possible" if ran else "certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=() if ran else ("tool-failed", "tcp-unreachable", "launcher-failed", "process-crashed", *FAILED_RUN),
        remedy=[
            ("See what the loader finds, through the same launcher.", "srun ldd ./all_reduce_perf"),
            ("Pass the library path on to the ranks.", "mpirun -x LD_LIBRARY_PATH ..."),
        ],
        references=[LD_SO],
    )


def _no_daemon(found: Sequence[JobEvent], sweeps: Sweeps | None) -> Finding:
    """The shell of a node has another PATH than the one that mpirun was called in."""
    ran = overcome(refs_of(found), sweeps)
    names = groups_of(found, "executable")
    return finding(
        "launcher-failed",
        f"{at_hosts(hosts_of(found))}the shell on a node does not find {listed(names)}, which the launcher starts "
        "there: its PATH lacks the launcher's directory, or the launcher is not installed there",
        severity="warning" if ran else "critical",
        confidence="possible" if ran else "certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        explains=() if ran else ("tool-failed", "tcp-unreachable", "process-crashed", "library-missing", *FAILED_RUN),
        remedy=[
            ("Call the launcher with its prefix, or by its whole path.", "mpirun --prefix /opt/openmpi ..."),
            ("See what a shell without a terminal finds there.", "ssh NODE 'echo $PATH; command -v prted orted'"),
        ],
        references=[OPEN_MPI],
    )


def _without_gpu_memory(found: Sequence[LogMessage]) -> Finding:
    hosts = hosts_of(found)
    names = groups_of(found, "library")
    return finding(
        "library-missing",
        f"{at_hosts(hosts)}libfabric cannot use GPU memory: it does not find {listed(names) or 'the GPU driver'}",
        severity="error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("memory-registration-failed", "gdr-disabled", "busbw-below-expected"),
        remedy=[
            ("Give the container the driver's libraries, libcuda.so as well as libcuda.so.1.", ""),
            ("See whether libfabric has CUDA support then.", "fi_info -p cxi -v | grep -i hmem"),
        ],
        references=["https://ofiwg.github.io/libfabric/main/man/fi_domain.3.html"],
    )
