"""Hydra's box, MPI_Abort, and a launcher that cannot connect."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.mpich import Mpich

LOG = """\
Abort(1091087) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:
MPIR_Init_thread(192): Initialization failed
application called MPI_Abort(MPI_COMM_WORLD, 2) - process 7
[mpiexec@gpu01] HYDU_sock_connect (utils/sock/sock.c:145): unable to connect from gpu01 to gpu02
[proxy:0:0@gpu01] HYDU_create_process (utils/launch/launch.c:74): execvp error on file ./nope (No such file or directory)

===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 991 RUNNING AT gpu01
=   EXIT CODE: 139
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)
This typically refers to a problem with your application.
"""


def test_a_box_is_one_event() -> None:
    assert events_of(Mpich, LOG) == snapshot(
        [
            ("mpich-abort", None, None, {"call": "PMPI_Init", "error": "Other MPI error"}, 1),
            ("mpich-abort", None, 7, {"code": "2", "rank": "7"}, 1),
            ("executable-missing", None, None, {"executable": "./nope", "error": "No such file or directory"}, 1),
            (
                "mpich-bad-termination",
                "gpu01",
                None,
                {"pid": "991", "host": "gpu01", "code": "139", "name": "Segmentation fault", "signal": "11"},
                1,
            ),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "MPICH Slingshot Network Summary: 0 network timeouts",
        "the EXIT CODE: 0 is what we want",
        "MPI_Abort(MPI_COMM_WORLD) may be called by any rank",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Mpich, text) == []
