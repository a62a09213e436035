"""Limits of processes: ``ulimit -a`` of bash and dash, /proc/self/limits, /etc/security/limits.conf, systemd units.

The same limit, as it is and as it is configured::

    max locked memory           (kbytes, -l) 65536
    Max locked memory         unlimited            unlimited            bytes
    *               soft    memlock         unlimited
    LimitMEMLOCK=infinity

Units differ: a shell prints KiB, the kernel and ``prlimit`` bytes, limits.conf KiB. The first of two columns is the
soft limit, which is the one that holds.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.state import Value
from slowlink.parsers.forms.limit_values import memlock
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _kbytes(match: re.Match[str]) -> Value | None:
    return memlock(match["value"], 1024)


def _bytes(match: re.Match[str]) -> Value | None:
    return memlock(match["value"], 1)


FACTS = (
    LineFact(
        "memlock-limit",
        "max locked memory",
        r"max locked memory +\(kbytes, -l\) +(?P<value>\w{1,20})\s*$",
        {
            "max locked memory           (kbytes, -l) unlimited": "unlimited",
            "max locked memory       (kbytes, -l) 65536": "65536 KiB",
        },
        _kbytes,
    ),
    LineFact(
        "memlock-limit",
        "locked memory(kbytes)",
        r"locked memory\(kbytes\) +(?P<value>\w{1,20})\s*$",
        {"locked memory(kbytes) 64": "64 KiB"},
        _kbytes,
    ),
    LineFact(
        "memlock-limit",
        "Max locked memory",
        r"Max locked memory {1,40}(?P<value>\w{1,20}) +\w{1,20} +bytes\s*$",
        {
            "Max locked memory         8388608              8388608              bytes     ": "8192 KiB",
            "Max locked memory 65536 65536 bytes": "64 KiB",
        },
        _bytes,
    ),
    LineFact(
        "memlock-limit",
        "MEMLOCK ",
        r"MEMLOCK +max locked-in-memory address space +(?P<value>\w{1,20}) +\w{1,20}(?: bytes)?\s*$",
        {
            "MEMLOCK    max locked-in-memory address space unlimited unlimited bytes": "unlimited",
            "MEMLOCK    max locked-in-memory address space   8388608   8388608 bytes": "8192 KiB",
        },
        _bytes,
    ),
    LineFact(
        "open-files-limit",
        "NOFILE ",
        r"NOFILE +max number of open files +(?P<value>\w{1,20}) +\w{1,20}(?: files)?\s*$",
        {"NOFILE     max number of open files                1024   1048576 files": "1024"},
    ),
    LineFact(
        "open-files-limit",
        "open files",
        r"open files +\(-n\) +(?P<value>\w{1,20})\s*$",
        {"open files                          (-n) 1024": "1024"},
    ),
    LineFact(
        "memlock-configured",
        "memlock",
        r"(?:\*|@?[\w.%-]{1,32})\s{1,20}(?:soft|hard|-)\s{1,20}memlock\s{1,20}(?P<value>-?\w{1,20})\s*$",
        {"*               soft    memlock         unlimited": "unlimited", "@hpc hard memlock 64": "64 KiB"},
        _kbytes,
    ),
    LineFact(
        "memlock-configured",
        "LimitMEMLOCK",
        r"LimitMEMLOCK(?:Soft)?=(?P<value>\w{1,20})\s*$",
        {"LimitMEMLOCK=infinity": "unlimited", "LimitMEMLOCKSoft=65536": "64 KiB"},
        _bytes,
    ),
)
_ULIMITS = (
    *("real-time non-blocking time", "core file size", "data seg size", "scheduling priority", "file size"),
    *("file locks", "pending signals", "max memory size", "pipe size", "POSIX message queues", "real-time priority"),
    *("stack size", "cpu time", "max user processes", "virtual memory", "kqueues", "pseudoterminals", "swap limit"),
)
_PRLIMITS = (
    *("AS", "CORE", "CPU", "DATA", "FSIZE", "LOCKS", "MEMLOCK", "MSGQUEUE", "NICE", "NOFILE", "NPROC", "RSS", "RTPRIO"),
    *("RTTIME", "SIGPENDING", "STACK"),
)


class ShellLimits(ReadingParser):
    """Readings of the limits of locked memory and of open files, as they are and as they are configured."""

    kind: ClassVar[str] = "limits"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        *("Soft Limit", "\nMax ", "RESOURCE"),
        *(f"\n{name} " for name in (*_ULIMITS, *_PRLIMITS)),
    )
    legend: ClassVar[re.Pattern[str] | None] = regex(
        rf"(?:{'|'.join(_ULIMITS)}) +\([\w, -]{{2,40}}\) \S|Limit +Soft Limit +Hard Limit +Units"
        r"|Max [a-z ]{4,24} {2,30}\w{1,20} +\w{1,20}(?: +\w{2,12})?\s*$"
        rf"|RESOURCE +DESCRIPTION +SOFT +HARD UNITS|(?:{'|'.join(_PRLIMITS)})"
        r" +[A-Za-z][A-Za-z -]{5,40} +\w{1,20} +\w{1,20}(?: \w{3,12})?\s*$"
    )


PARSER = ShellLimits
