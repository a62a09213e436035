"""Logins that fail."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.ssh import Ssh

LOG = """\
Warning: Permanently added '10.0.0.9' (ED25519) to the list of known hosts.
ssh: connect to host gpu02 port 22: Connection refused
ssh: connect to host gpu03 port 2222: Connection timed out
ssh: connect to host 10.0.0.9 port 22: No route to host
ssh: Could not resolve hostname gpu99: Name or service not known
root@gpu04: Permission denied (publickey,password).
gpu05: 08:00:01 up 3 days,  1 user,  load average: 0.01, 0.02, 0.00
Host key verification failed.
kex_exchange_identification: Connection closed by remote host
Connection closed by 10.0.0.9 port 22
"""


def test_each_way_to_fail_with_its_host() -> None:
    assert events_of(Ssh, LOG) == snapshot(
        [
            ("ssh-connection-refused", "gpu02", None, {"host": "gpu02", "port": "22"}, 1),
            ("ssh-timeout", "gpu03", None, {"host": "gpu03", "port": "2222"}, 1),
            ("ssh-no-route", "10.0.0.9", None, {"host": "10.0.0.9", "port": "22"}, 1),
            ("ssh-unknown-host", "gpu99", None, {"host": "gpu99"}, 1),
            (
                "ssh-permission-denied",
                "gpu04",
                None,
                {"user": "root", "host": "gpu04", "methods": "publickey,password"},
                1,
            ),
            ("ssh-host-key", None, None, {}, 1),
            ("ssh-connection-closed", None, None, {"error": "Connection closed by remote host"}, 1),
            ("ssh-connection-closed", "10.0.0.9", None, {"host": "10.0.0.9", "port": "22"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "bash: ./all_reduce_perf: Permission denied",
        "connect to the host on port 22 first",
        "Connection to gpu02 closed.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Ssh, text) == []
