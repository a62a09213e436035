"""Open MPI's boxes and single messages."""

from __future__ import annotations

import pytest
from event_logs import events_of, secondary_kinds
from inline_snapshot import snapshot

from slowlink.parsers.job.openmpi import OpenMpi

LOG = """\
gpu01:4711:4711 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>
--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD
with errorcode 6.
--------------------------------------------------------------------------
mpirun noticed that process rank 5 with PID 4711 on node gpu07 exited on signal 9 (Killed).
--------------------------------------------------------------------------
ORTE has lost communication with a remote daemon.

  HNP daemon   : [[4711,0],0] on node gpu01
  Remote daemon: [[4711,0],2] on node gpu02
--------------------------------------------------------------------------
There are not enough slots available in the system to satisfy the 24
slots that were requested by the application:
[gpu01][[1,1],0][btl_tcp.c:625:mca_btl_tcp] connect() to 10.1.0.7 failed: Connection timed out (110)
[gpu01:00991] PMIX ERROR: UNREACHABLE in file ptl_tcp.c at line 1849
"""


def test_boxes_give_rank_host_and_code() -> None:
    assert events_of(OpenMpi, LOG) == snapshot(
        [
            ("ompi-abort", None, 3, {"rank": "3", "comm": "MPI_COMM_WORLD", "code": "6"}, 1),
            (
                "ompi-signal",
                "gpu07",
                5,
                {"launcher": "mpirun", "rank": "5", "pid": "4711", "host": "gpu07", "signal": "9", "name": "Killed"},
                1,
            ),
            ("ompi-daemon-lost", "gpu02", None, {"host": "gpu02"}, 1),
            ("ompi-not-enough-slots", None, None, {"slots": "24"}, 1),
            ("ompi-tcp-unreachable", None, None, {"peer": "10.1.0.7", "error": "Connection timed out"}, 1),
            ("pmi-failure", None, None, {"error": "UNREACHABLE"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "mpirun: Forwarding signal 18 to job",
        "Authorization required, but no authorization protocol specified",
        "mpirun (Open MPI) 4.1.5",
        "There are enough slots for everybody.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(OpenMpi, text) == []


def test_the_box_of_a_process_that_exited() -> None:
    box = """\
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[31337,1],6]
  Exit code:    3
"""
    assert events_of(OpenMpi, box) == snapshot(
        [("ompi-process-exited", None, 6, {"launcher": "mpirun", "rank": "6", "code": "3"}, 1)]
    )


def test_what_follows_from_another_failure_is_secondary() -> None:
    text = "Primary job  terminated normally, but 1 process returned\na non-zero exit code. Per user-direction, the job has been aborted.\n"
    assert secondary_kinds(OpenMpi, text) == ["ompi-job-aborted"]
    assert secondary_kinds(OpenMpi, LOG) == []
