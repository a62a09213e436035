"""NFS servers that answer late."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "nfs-slow"
CLIENT = "Client rpc stats:\ncalls      retrans    authrefrsh\n{}    {}     {}\n"
MOUNT = "Stats for nfs:/export mounted on /data:\nREAD:\n\t{} ops (89%) \t{} retrans (6%) \t0 major timeouts\n"


def test_a_server_that_was_asked_again() -> None:
    assert said(RULE, CLIENT.format(9000000, 800000, 9000000)) == snapshot(
        [
            (
                "data-loading-slow",
                "warning",
                "possible",
                "an NFS server answers late: 8.9 % of the calls were sent again (all of NFS)",
            )
        ]
    )
    assert said(RULE, MOUNT.format(80000, 5000)) == snapshot(
        [
            (
                "data-loading-slow",
                "warning",
                "possible",
                "an NFS server answers late: 6.2 % of the calls were sent again (/data)",
            )
        ]
    )


def test_a_server_that_answers_raises_nothing() -> None:
    assert findings_of(RULE, CLIENT.format(9000000, 12, 9000000)) == ()
    assert findings_of(RULE, MOUNT.format(90, 45)) == ()
