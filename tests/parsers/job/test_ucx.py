"""UCX's log."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.ucx import Ucx

LOG = """\
[1700000000.100001] [gpu01:4711:0]       ucp_context.c:1969 UCX  INFO  UCP version is 1.15 (release 0)
[1700000000.100002] [gpu01:4711:0]          parser.c:1885 UCX  WARN  unused environment variable: UCX_HOME
[1700000000.100003] [gpu01:4711:0]          ib_mlx5.c:9    UCX  DEBUG mlx5_0: created qp 0x93
step 40 loss 1.25
[1700000000.200001] [gpu01:4711:0]      cuda_ipc_md.c:62   UCX  ERROR cuCtxGetDevice(&dev) is failed. ret:invalid device context
[1700000000.200002] [gpu02:4800:0]         ib_iface.c:745  UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)
[1700000000.200003] [gpu01:4711:0]      ib_mlx5_log.c:177  UCX  ERROR Invalid request error on mlx5_4:1/RoCE (synd 0x12 vend 0x88 hw_synd 0/0)
"""


def test_the_limit_and_the_failed_transfer_but_no_debug_lines() -> None:
    assert events_of(Ucx, LOG) == snapshot(
        [
            (
                "memlock-limit",
                "gpu02",
                None,
                {"host": "gpu02", "pid": "4800", "level": "ERROR", "limit": "64 kbytes"},
                1,
            ),
            (
                "ib-completion-error",
                "gpu01",
                None,
                {"host": "gpu01", "pid": "4711", "status_name": "Invalid request", "hca": "mlx5_4"},
                1,
            ),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "[17.1] [gpu01:4711:0] ib.c:9 UCX  TRACE mlx5_0: ok",
        "UCX is a library of many transports.",
        "UCX errors were seen by us.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Ucx, text) == []
