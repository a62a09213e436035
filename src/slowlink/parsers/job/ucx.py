"""UCX's log (``UCX_LOG_LEVEL``): errors and warnings; its debug and trace lines say nothing about a fault.

An error::

    [1700.1] [gpu01:4711:0] cuda_ipc_md.c:62   UCX  ERROR cuCtxGetDevice(&dev) is failed. ret:invalid device context

Source: UCX 1.6 to 1.17: ``[time] [host:pid:thread] file.c:line UCX LEVEL text``. An error about locked memory is the
limit's own kind of event, whichever program meets it.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_LEAD = r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+)?\] +)?(?:[\w.-]{1,60}:\d+ +)?"

MESSAGES = (
    EventPattern(
        "memlock-limit",
        "max locked memory",
        r"[Pp]lease set max locked memory \(ulimit -l\) to 'unlimited' \(current: (?P<limit>[\w ]{1,40})\)",
        (
            "UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory : Please set max locke"
            "d memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
        ),
    ),
    EventPattern(
        "ucx-error",
        "UCX ",
        _LEAD + r"UCX +ERROR (?P<error>.{1,200})",
        (
            "[1700.1] [gpu01:4711:0] cuda_ipc_md.c:62   UCX  ERROR cuCtxGetDevice(&dev) is failed. re"
            "t:invalid device context",
        ),
    ),
    EventPattern(
        "ucx-warning",
        "UCX ",
        _LEAD + r"UCX +WARN +(?P<error>.{1,200})",
        ("[1700.1] [gpu01:4711:0] parser.c:1885 UCX  WARN  unused environment variable: UCX_HOME",),
    ),
)

NOISE = (
    NoisePattern(
        "UCX ",
        r"UCX +(?:INFO|DEBUG|TRACE|DIAG|REQ|DATA|FUNC)",
        ("[17.1] [gpu01:4711:0] ib.c:9 UCX  DEBUG mlx5_0: ok",),
    ),
)


class Ucx(MessageParser):
    """Events of UCX: its errors and warnings, with their text."""

    kind: ClassVar[str] = "ucx"
    origin: ClassVar[str] = "ucx"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Ucx
