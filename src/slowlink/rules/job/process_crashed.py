"""A process of the job crashed.

A rank got a signal for its own fault: an access to memory that is not there (SIGSEGV, SIGBUS), an illegal
instruction (SIGILL), an arithmetic error (SIGFPE) or a damaged heap. The kernel may have noted where: ``segfault at
... in libnccl.so.2``. Signals that others send (SIGKILL, SIGTERM) and SIGABRT are not crashes.

A kernel log tells of every program that crashes. It is the job's where a launcher, a command or NCCL's log names it, or
where it fell in a library of GPUs or networks. Of an interpreter that is probable and not known; any other program is
only worth a note.

Why it matters: the other ranks lose their peer and end with network errors or time-outs that do not name the reason.
How to confirm: ``ulimit -c unlimited`` and the backtrace of the core file; ``dmesg -T | grep segfault`` on the node.
What to do: find the library at fault. In NCCL, try a newer version. In UCX or MPI with GPU buffers, check that each
thread has a GPU context and that the libraries were built for one another; the finding quotes what UCX reported in
the same output.
When it is wrong: a crash on the way out, after the last result, costs nothing but the exit code. A process that had
lost its peer before it crashed, crashed for that: the lost peer leads then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.catalog.programs.system_programs import is_system_program
from slowlink.model.facts import Commands, Communicators, Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.parting import parted
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.job.process_ends import Death, deaths, told

CAUSES = ("process-crashed",)


_INTERPRETER = regex(r"(?i)(?:i?python[\d.]*|pt_[\w-]+|ray(?:::.*)?|julia|torchrun|deepspeed|accelerate)")
_LIBRARY = regex(
    r"lib(?:nccl|rccl|mccl|cuda|cudart|cublas|cudnn|nvidia-|nvrtc|torch|c10|mpi|open-?(?:rte|pal)|pmix|uc[pst]\b|ucc\b|ibverbs"
    r"|mlx5|bnxt_re|efa\b|fabric\b|psm2|hsa-|amdhip|sharp|hcoll|nccl-net|jax|xla|tensorflow)"
)
"""Libraries that programs of a job use, and tools of a machine do not."""
_COMM = 15
"""The kernel names a program by so many characters."""
_SIGNALS = "https://man7.org/linux/man-pages/man7/signal.7.html"


def check(events: Events, commands: Commands | None, comms: Communicators | None) -> Iterator[Finding]:
    """One finding for all crashes of the job, one for those that may be, and one for those of other programs."""
    noted = happened(events, "kernel-segfault", "kernel-trap")
    faults = tuple(f for f in noted if not is_system_program(f.groups.get("process", "")))
    crashed = [death for death in deaths(events) if death.crashed]
    job = _Job.of(crashed, commands, comms)
    owned, others = parted(faults, job.runs)
    maybe, foreign = parted(others, lambda fault: _INTERPRETER.fullmatch(fault.groups.get("process", "")))
    if owned or crashed:
        yield _crash(events, owned, crashed)
    if maybe and not owned and not crashed:
        yield _noted(maybe, "warning", "; whether it is the job's, the kernel does not say")
    if foreign:
        yield _noted(foreign, "info", "; nothing shows that it belongs to a job")


class _Job(Struct, frozen=True):
    """What is known of the job's processes."""

    has_crashed: bool
    """A launcher says that a process of it crashed: what the kernel notes beside it is the same."""
    programs: frozenset[str]
    pids: frozenset[str]

    @classmethod
    def of(cls, crashed: Sequence[Death], commands: Commands | None, comms: Communicators | None) -> _Job:
        typed = [command for command in commands.all if command.launcher is not None] if commands is not None else []
        named = {word.rpartition("/")[2][:_COMM] for command in typed for word in (command.program, *command.argv[:1])}
        inits = comms.all if comms is not None else ()
        return cls(bool(crashed), frozenset(named - {""}), frozenset(str(comm.process.pid) for comm in inits))

    def runs(self, fault: JobEvent) -> bool:
        """Is the crashed process one of this job?"""
        process, library = fault.groups.get("process", ""), fault.groups.get("library", "")
        known = process[:_COMM] in self.programs or fault.groups.get("pid", "") in self.pids
        return self.has_crashed or known or _LIBRARY.match(library) is not None or process.endswith("_perf")


def _noted(faults: Sequence[JobEvent], severity: Severity, but: str) -> Finding:
    """A crash that need not be the job's."""
    names = listed(list(dict.fromkeys(fault.groups.get("process", "a process") for fault in faults)))
    return finding(
        "process-crashed",
        f"{at_hosts(hosts_of(faults))}{names} crashed{but}",
        severity=severity,
        confidence="possible",
        evidence=lines_evidence(refs_of(faults[:4]), 4),
        suspects=(*suspects("node", hosts_of(faults)), *suspects("process", groups_of(faults, "pid"))),
        remedy=[
            ("See whether the job runs it, and when it ended.", "dmesg -T | grep -E 'segfault|general protection'")
        ],
        references=[_SIGNALS],
    )


def _crash(events: Events, faults: Sequence[JobEvent], crashed: Sequence[Death]) -> Finding:
    """The job's. Launchers know rank and signal, the kernel's lines the library."""
    messages = (*faults, *(death.event for death in crashed))
    hosts = hosts_of(messages)
    if crashed:
        known = [death for death in crashed if death.signal is not None] or crashed
        who = told(known)
    else:
        who = [f"{fault.groups.get('process', 'a process')} crashed" for fault in faults[:1]]
    library = groups_of(faults, "library")
    where = f" in {listed(library)}" if library else ""
    sources = {message.ref.source for message in messages}
    ucx = [e for e in events.all if e.origin == "ucx" and e.level == "error" and e.ref.source in sources]
    from_ucx = f"; UCX reported: {ucx[0].text.partition('ERROR')[2].strip() or ucx[0].text}" if ucx else ""
    return finding(
        "process-crashed",
        f"{listed(who, 2)}{where}{from_ucx}",
        severity="critical",
        confidence="certain",
        evidence=lines_evidence(refs_of((*messages[:4], *ucx[:1])), 5),
        suspects=(
            *suspects("node", hosts),
            *suspects("rank", (str(d.event.rank) for d in crashed if d.event.rank is not None)),
            *suspects("process", groups_of(messages, "pid")),
        ),
        explains=("rank-lost", *LOST_PEER),
        remedy=[
            ("See what the kernel noted about it.", "dmesg -T | grep -E 'segfault|general protection'"),
            ("Keep the core file and read its backtrace.", "ulimit -c unlimited"),
        ],
        references=[_SIGNALS],
    )
