"""A process of the job crashed.

A rank got a signal for its own fault: an access to memory that is not there (SIGSEGV, SIGBUS), an illegal
instruction (SIGILL), an arithmetic error (SIGFPE) or a damaged heap. The kernel may have noted where: ``segfault at
... in libnccl.so.2``. Signals that others send (SIGKILL, SIGTERM) and SIGABRT are not crashes.

Why it matters: the other ranks lose their peer and end with network errors or time-outs that do not name the reason.
How to confirm: ``ulimit -c unlimited`` and the backtrace of the core file; ``dmesg -T | grep segfault`` on the node.
What to do: find the library at fault. In NCCL, try a newer version. In UCX or MPI with GPU buffers, check that each
thread has a GPU context and that the libraries were built for one another; the finding quotes what UCX reported in
the same output.
When it is wrong: a crash on the way out, after the last result, costs nothing but the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.programs.system_programs import is_system_program
from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.job.process_ends import deaths

CAUSES = ("process-crashed",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all crashes. Launchers know rank and signal, the kernel's lines the library."""
    noted = happened(events, "kernel-segfault", "kernel-trap")
    faults = tuple(f for f in noted if not is_system_program(f.groups.get("process", "")))
    crashed = [death for death in deaths(events) if death.crashed]
    if not faults and not crashed:
        return
    messages = (*faults, *(death.event for death in crashed))
    hosts = hosts_of(messages)
    if crashed:
        known = [death for death in crashed if death.signal is not None] or crashed
        who = list(dict.fromkeys(f"{death.who} {death.how}" for death in known))
    else:
        who = [f"{fault.groups.get('process', 'a process')} crashed" for fault in faults[:1]]
    library = groups_of(faults, "library")
    where = f" in {listed(library)}" if library else ""
    sources = {message.ref.source for message in messages}
    ucx = [e for e in events.all if e.origin == "ucx" and e.level == "error" and e.ref.source in sources]
    from_ucx = f"; UCX reported: {ucx[0].text.partition('ERROR')[2].strip() or ucx[0].text}" if ucx else ""
    yield finding(
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
        references=["https://man7.org/linux/man-pages/man7/signal.7.html"],
    )
