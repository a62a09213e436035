"""PyTorch's watchdog, its errors of NCCL, and torchrun."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.pytorch import PyTorch

LOG = """\
[rank0]: step 40 loss 1.25
[rank2]:[E703 15:37:17.178 ProcessGroupNCCL.cpp:629] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=7, NumelOut=7, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
[rank2]:[E703 15:37:17.180 ProcessGroupNCCL.cpp:1785] [PG ID 1 PG GUID 5(TP) Rank 0] Exception (either an error or timeout) detected by watchdog at work: 9, last enqueued NCCL work: 12, last completed NCCL work: 8.
[rank5]:[E703 15:37:17.300 ProcessGroupNCCL.cpp:1249] [PG ID 0 PG GUID 0(default_pg) Rank 5] Observed flight recorder dump signal from another rank via TCPStore.
[rank2]: Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent
frame #3: c10d::ProcessGroupNCCL::watchdogHandler() + 0x1e5 (0x15 in /opt/libtorch_cuda.so)
     [1] finished collective #2, but didn't join collective #3 (count from 1)
[rank7]: torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 7/8 clients joined.
E0703 15:38:00.000000 4700 api.py:869] failed (exitcode: -6) local_rank: 2 (pid: 4711) of binary: /usr/bin/python3
Root Cause (first observed failure):
[0]:
  time      : 2031-07-03_15:38:00
  host      : gpu01
  rank      : 2 (local_rank: 2)
  exitcode  : -6 (pid: 4711)
"""


def test_a_hang_as_every_rank_tells_it() -> None:
    assert events_of(PyTorch, LOG) == snapshot(
        [
            (
                "torch-watchdog-timeout",
                None,
                2,
                {
                    "rank": "2",
                    "seq": "9",
                    "op": "ALLREDUCE",
                    "numel_in": "7",
                    "timeout_ms": "600000",
                    "ran_ms": "600031",
                },
                1,
            ),
            (
                "torch-watchdog-exception",
                None,
                2,
                {"group": "5(TP)", "rank": "0", "work": "9", "last_enqueued": "12", "last_completed": "8"},
                1,
            ),
            ("torch-dump-signal", None, 5, {"group": "0(default_pg)", "rank": "5"}, 1),
            ("torch-rank-missing", None, None, {"ranks": "1", "finished": "2", "collective": "3"}, 1),
            ("torch-store-timeout", None, 7, {"seconds": "1801", "joined": "7", "expected": "8"}, 1),
            (
                "torch-elastic-failure",
                None,
                None,
                {"code": "-6", "local_rank": "2", "pid": "4711", "executable": "/usr/bin/python3"},
                1,
            ),
            (
                "torch-elastic-failure",
                "gpu01",
                2,
                {"host": "gpu01", "rank": "2", "local_rank": "2", "code": "-6", "pid": "4711"},
                1,
            ),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "[Rank 2] To avoid data inconsistency, we are taking the entire process down.",
        "[PG ID 0 PG GUID 0(default_pg) Rank 2] First PG on this rank to signal dumping.",
        "Rank 3 joined the collective in time",
        "The watchdog is not running.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(PyTorch, text) == []


def test_the_line_below_last_error_is_its_text() -> None:
    text = """\
[rank3]: torch.distributed.DistBackendError: NCCL error in: ../NCCLUtils.hpp:275, unhandled system error, NCCL version 2.20.5
[rank3]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
[rank3]: Last error:
[rank3]: socketStartConnect: Connect to 10.0.0.9<41> failed : Software caused connection abort
[rank3]: Another line
"""
    assert events_of(PyTorch, text) == snapshot(
        [
            (
                "torch-nccl-error",
                None,
                3,
                {
                    "location": "../NCCLUtils.hpp:275",
                    "error": "unhandled system error",
                    "version": "2.20.5",
                    "code": "ncclSystemError",
                    "last_error": "socketStartConnect: Connect to 10.0.0.9<41> failed : Software caused connection abort",
                },
                1,
            )
        ]
    )


def test_an_error_that_was_wrapped_below_its_name() -> None:
    text = """\
torch.distributed.DistBackendError: NCCL error in:
  ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, internal error,
  NCCL version 2.16.5
ncclInternalError: Internal check failed.
Last error:
Could not find a path from 0 to 3
"""
    assert events_of(PyTorch, text) == snapshot(
        [
            (
                "torch-nccl-error",
                None,
                None,
                {
                    "location": "../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691",
                    "error": "internal error",
                    "code": "ncclInternalError",
                    "last_error": "Could not find a path from 0 to 3",
                },
                1,
            )
        ]
    )


def test_the_rank_of_the_job_wins_over_the_rank_in_the_group() -> None:
    words = "[PG ID 1 PG GUID 5(TP) Rank 0] Observed flight recorder dump signal from another rank via TCPStore."
    assert [event[2] for event in events_of(PyTorch, f"[rank6]:[E703 15:37:17.3 a.cpp:1] {words}")] == [6]
    assert [event[2] for event in events_of(PyTorch, words)] == [0]
