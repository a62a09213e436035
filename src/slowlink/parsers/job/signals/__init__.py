"""Processes that died of a signal: what shells, signal handlers, the C library and UCX print.

Open MPI's handler, and bash::

    [gpu01:04711] *** Process received signal ***
    [gpu01:04711] Signal: Segmentation fault (11)
    [gpu01:04711] [ 0] /lib64/libc.so.6(+0x54db0)[0x7f1a2b3c4d50]
    ./run.sh: line 9:  4711 Killed                  ./train

Source: bash job messages, Open MPI's and UCX's signal handlers, glibc's abort messages, faulthandler. A process that
somebody interrupted (Ctrl-C) has a kind of its own: nothing is broken then. ``graceful_stops`` has the words of
frameworks that catch a signal and stop themselves.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import DetailPattern, EventPattern, MessageParser, NoisePattern
from slowlink.parsers.job.signals.graceful_stops import STOPS

_NAME = r"(?P<name>Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception)"
_FRAME = r"^\s*(?:\[[\w.:-]{1,120}\] )?(?:\[ ?\d+\]|\d+) +\S{1,400}\([^)]{0,400}\) ?\[0x[0-9a-f]{1,16}\]"
"""A frame of a backtrace: UCX puts a blank before the address, Open MPI none."""

MESSAGES = (
    EventPattern(
        "process-crashed",
        "aught signal",
        r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+){0,3}\] )?Caught signal (?P<signal>\d+) \(("
        r"?P<name>[^:)]{1,60})",
        (
            "[gpu01:4711:0:4712] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x20)",
            "[gpu01:4711 :0:4712] Caught signal 4 (Illegal instruction: illegal operand)",
        ),
    ),
    EventPattern(
        "process-crashed",
        "*** Process received signal ***",
        r"\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+)\] \*\*\* Process received signal \*\*\*",
        ("[gpu01:04711] *** Process received signal ***",),
    ),
    EventPattern(
        "process-crashed",
        "atal Python error",
        r"Fatal Python error: " + _NAME,
        ("Fatal Python error: Segmentation fault",),
    ),
    EventPattern(
        "process-crashed",
        "received at time=",
        r"\*\*\* (?P<name>SIG[A-Z]{2,6}) received at time=",
        ("*** SIGSEGV received at time=1700000000 on cpu 3 ***",),
    ),
    EventPattern(
        "process-crashed",
        "core dumped",
        r"(?:line \d+: +(?P<pid>\d+) )?" + _NAME + r" +\(core dumped\)",
        (
            "Segmentation fault (core dumped)",
            "./launch.sh: line 14: 4711 Aborted                 (core dumped) $@",
        ),
    ),
    EventPattern(
        "user-interrupt",
        "eyboardInterrupt",
        r"^\s*(?:\[rank(?P<rank>\d+)\]: ?)?KeyboardInterrupt\b",
        ("KeyboardInterrupt",),
    ),
    EventPattern(
        "user-interrupt",
        "killing job...",
        r"(?:mpirun|prterun|orterun): killing job\.\.\.",
        ("^Cmpirun: killing job...",),
    ),
    EventPattern(
        "user-interrupt",
        "SIGINT death signal",
        r"Received (?:Signals\.SIGINT|2) death signal",
        ("[WARNING] Received Signals.SIGINT death signal, shutting down workers",),
    ),
    EventPattern(
        "user-interrupt",
        "sending Ctrl-C to",
        r"srun: sending Ctrl-C to ",
        ("srun: sending Ctrl-C to StepId=4711.0",),
    ),
    EventPattern(
        "process-killed",
        "Killed",
        r"line \d+: +(?P<pid>\d+) (?P<name>Killed)\b",
        ("./run.sh: line 9:  4711 Killed                  ./train",),
    ),
    EventPattern(
        "process-aborted",
        "terminate called after throwing",
        r"terminate called after throwing an instance of '(?P<exception>[^']{1,120})'",
        ("terminate called after throwing an instance of 'std::bad_alloc'",),
    ),
    EventPattern(
        "heap-corruption",
        "()",
        r"^\s*(?:\S{1,120}: )?(?:free|malloc|realloc|munmap_chunk)\(\): (?P<error>invalid [\w ]{1,40}|"
        r"corrupted [\w ]{1,40})",
        ("free(): invalid pointer",),
    ),
    EventPattern(
        "heap-corruption",
        "corruption",
        r"double free or corruption(?: \((?P<error>[^)]{1,20})\))?",
        ("double free or corruption (out)",),
    ),
    EventPattern(
        "heap-corruption",
        "stack smashing detected",
        r"\*\*\* stack smashing detected \*\*\*",
        ("*** stack smashing detected ***: terminated",),
    ),
)

DETAILS = (
    DetailPattern(
        ("process-crashed",),
        "Signal: ",
        r"\] Signal: (?P<name>[\w ]{1,40}) \((?P<signal>\d+)\)",
        ("[gpu01:04711] Signal: Segmentation fault (11)",),
    ),
)

NOISE = (
    NoisePattern(
        "==== backtrace",
        r"==== backtrace(?: \(tid: +\d+\))? ====",
        ("==== backtrace (tid:   4711) ====",),
    ),
    NoisePattern(
        ") [",
        _FRAME,
        ("    3  /opt/lib/libucp.so.0(ucp_progress+0x3a) [0x2aab1a0834fa]",),
    ),
    NoisePattern(
        ")[",
        _FRAME,
        ("[gpu01:04711] [ 0] /lib64/libc.so.6(+0x54db0)[0x7f1a2b3c4d50]",),
    ),
)


class Signals(MessageParser):
    """Events of processes that a signal, the C library or a user ended, or that stopped for a signal."""

    kind: ClassVar[str] = "signals"
    origin: ClassVar[str] = "shell"
    messages: ClassVar[tuple[EventPattern, ...]] = (*MESSAGES, *STOPS)
    details: ClassVar[tuple[DetailPattern, ...]] = DETAILS
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Signals
