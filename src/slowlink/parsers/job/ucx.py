"""UCX's log (``UCX_LOG_LEVEL``): errors that carry more than their words; debug and trace lines are no fault.

An error of a transfer, and one that ended the process::

    [1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on mlx5_3:1/IB (synd 0x15)
    [gpu01:4711:0:4711] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_3:1/IB (synd 0x15 vend 0x81)

Source: UCX 1.6 to 1.19: ``[time] [host:pid:thread] file.c:line UCX LEVEL text``, and ``ucs_log_fatal_error``:
``[host:pid:thread:tid] file.c:line text``. An error about locked memory is the
limit's own kind of event, whichever program meets it. All other messages stand in ``vocabulary/network/ucx.toml``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_LEAD = r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+)?\] +)?(?:[\w.-]{1,60}:\d+ +)?"
_FATAL = r"\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}:\d+:\d+\] +[\w.-]{1,60}:\d+ +"
_STATUS = (
    r"(?P<status_name>Transport retry count exceeded"
    r"|Receive-no-ready retry count exceeded|Local (?:length|protection|access|QP operation)|Memory window bind"
    r"|Bad response|Invalid request|Remote (?:access|operation|side aborted)|Generic) ?(?:error )?"
    r"on (?P<hca>[\w.-]{1,40}):\d{1,3}/"
)

MESSAGES = (
    EventPattern(
        "memlock-limit",
        "max locked memory",
        r"(?:" + _LEAD + r"UCX +(?P<level>[A-Z]{4,5}) .{0,300}?)?"
        r"[Pp]lease set max locked memory \(ulimit -l\) to 'unlimited' \(current: (?P<limit>[\w ]{1,40})\)",
        (
            "UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory : Please set max locke"
            "d memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
            "[1700.1] [gpu01:4711:0] ib_iface.c:1078 UCX  ERROR mlx5_3: ibv_create_qp() failed: Cannot allocate memory "
            ": Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
        ),
    ),
    EventPattern(
        "ib-completion-error",
        " (synd ",
        _FATAL + _STATUS,
        (
            "[gpu01:4711:0:4711] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_3:1/IB (synd 0x15 vend 0x81 "
            "hw_synd 0/0)",
        ),
    ),
    EventPattern(
        "ib-completion-error",
        "UCX ",
        _LEAD + r"UCX +(?:ERROR|FATAL) +" + _STATUS,
        (
            "[1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on mlx5_3:1/IB "
            "(synd 0x15 vend 0x81 hw_synd 0/0)",
            "[1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR Remote access error on mlx5_0:1/RoCE (synd 0x13)",
            "[1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR Local QP operation error on mlx5_0:1/IB (synd 0x2)",
        ),
    ),
)

NOISE = (
    NoisePattern(
        "UCX ",
        r"UCX +(?:INFO|DEBUG|TRACE|DIAG(?! +IB Async event)|REQ|DATA|FUNC)",
        ("[17.1] [gpu01:4711:0] ib.c:9 UCX  DEBUG mlx5_0: ok",),
    ),
)


class Ucx(MessageParser):
    """Events of UCX: the locked-memory limit, and transfers that failed."""

    kind: ClassVar[str] = "ucx"
    origin: ClassVar[str] = "ucx"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Ucx
