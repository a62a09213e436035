"""How PBS and LSF say why they ended a job.

PBS into the job's own output, LSF into the report that it writes below it or mails::

    =>> PBS: job killed: walltime 43214 exceeded limit 43200
    TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.

Sources: OpenPBS 20 and 23, ``mom_main.c`` and ``linux/mom_mach.c``; termination reasons in the documents of LSF 10.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

MESSAGES = (
    EventPattern(
        "batch-time-limit",
        "=>> PBS: job killed: ",
        r"=>> PBS: job killed: (?:walltime|cput) .{0,60}?exceeded limit (?P<limit>\d{1,12})",
        (
            "=>> PBS: job killed: walltime 43214 exceeded limit 43200",
            "=>> PBS: job killed: cput job total 7300 secs exceeded limit 7200",
        ),
    ),
    EventPattern(
        "batch-memory-limit",
        "=>> PBS: job killed: ",
        r"=>> PBS: job killed: (?:p?v?mem) .{0,60}?exceeded limit (?P<limit>\d{1,15}\w{0,2})",
        (
            "=>> PBS: job killed: mem 2097152kb exceeded limit 1048576kb",
            "=>> PBS: job killed: vmem job total 9 kb exceeded limit 4 kb",
        ),
    ),
    EventPattern(
        "batch-time-limit",
        "TERM_",
        r"\bTERM_(?P<reason>RUNLIMIT|CPULIMIT|PROCESSLIMIT|DEADLINE)\b: job killed",
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.",),
    ),
    EventPattern(
        "batch-memory-limit",
        "TERM_",
        r"\bTERM_(?P<reason>MEMLIMIT|SWAP)\b: job killed",
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",),
    ),
    EventPattern(
        "batch-preempted",
        "TERM_",
        r"\bTERM_(?P<reason>PREEMPT)\b: job killed",
        ("TERM_PREEMPT: job killed after preemption.",),
    ),
    EventPattern(
        "user-interrupt",
        "TERM_",
        r"\bTERM_(?P<reason>OWNER|FORCE_OWNER|ADMIN|FORCE_ADMIN)\b: job killed",
        ("TERM_OWNER: job killed by owner.", "TERM_ADMIN: job killed by root or LSF administrator."),
    ),
    EventPattern(
        "process-exited",
        "Exited with exit code ",
        r"^Exited with exit code (?P<code>\d{1,3})\.$",
        ("Exited with exit code 137.",),
    ),
)


class BatchSystems(MessageParser):
    """Events of PBS and LSF."""

    kind: ClassVar[str] = "batch-systems"
    origin: ClassVar[str] = "batch"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = BatchSystems
