"""The operating system's own errors."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.system_errors import SystemErrors

LOG = """\
libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.
    This will severely limit memory registrations.
OSError: [Errno 28] No space left on device: '/dev/shm/x'
write /dev/shm/seg: No space left on device
bind to 0.0.0.0:29500 failed: Address already in use
connect to 10.0.0.9:29500: Connection refused
ssh: connect to host gpu02 port 22: Connection refused
[gpu01][[1,1],0][btl_tcp.c:625:mca_btl_tcp] connect() to 10.1.0.7 failed: Connection refused (111)
OSError: [Errno 113] No route to host
gpu01:4711:4760 [0] NCCL WARN NET/Socket : connect to 10.1.0.7<41> failed : No route to host
"""


def test_errors_of_the_system_whoever_prints_them() -> None:
    assert events_of(SystemErrors, LOG) == snapshot(
        [
            ("memlock-limit", None, None, {"limit": "65536"}, 1),
            ("no-space", None, None, {"file": "/dev/shm/x"}, 1),
            ("no-space", None, None, {"path": "/dev/shm/seg"}, 1),
            ("address-in-use", None, None, {}, 1),
            ("connection-refused", None, None, {"peer": "10.0.0.9:29500"}, 1),
            ("no-route", None, None, {}, 1),
        ]
    )


def test_a_path_that_begins_nowhere_is_not_cut_into_one_that_begins_at_the_root() -> None:
    text = 'could not extend file "base/1/2": No space left on device\n'
    assert events_of(SystemErrors, text) == [("no-space", None, None, {}, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "ssh: connect to host gpu02 port 22: No route to host",
        "There is space left on the device.",
        "the address is already in use by design",
        "the connection was refused by its author",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(SystemErrors, text) == []
