from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

DOMAIN = """\
[root@tray01 ~]# nvidia-imex-ctl -N
Connectivity Table Legend:
I - Invalid - Node wasn't reachable, no connection status available
C - Connected - Ready for operation

1/2/2031 03:04:05.678
Nodes:
Node #0   - 10.0.0.1        - READY                - Version: 570.133.20
Node #1   - 10.0.0.2        - {node:<20} - Version: 570.133.20

 Nodes From\\To  0   1
       0        C   C
Domain State: {domain}
"""
MISSING = "ls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory\n"


def test_a_node_that_waits() -> None:
    text = DOMAIN.format(node="WAITING_FOR_PEERS", domain="DOWN")
    assert said("imex-state", text) == snapshot(
        [
            (
                "imex-channel-missing",
                "error",
                "certain",
                "tray01: the IMEX service of 10.0.0.2 is WAITING_FOR_PEERS, the domain is DOWN",
            )
        ]
    )


def test_all_ready_is_fine() -> None:
    assert findings_of("imex-state", DOMAIN.format(node="READY", domain="UP")) == ()


def test_a_missing_channel_where_there_is_a_domain() -> None:
    text = DOMAIN.format(node="READY", domain="UP") + MISSING
    assert said("imex-state", text) == snapshot(
        [("imex-channel-missing", "error", "certain", "tray01: no IMEX channel is there")]
    )


def test_a_missing_channel_elsewhere_is_nothing() -> None:
    assert findings_of("imex-state", "[root@gpu07 ~]# ls /dev/nvidia-caps-imex-channels\n" + MISSING) == ()


def test_channels_that_are_there() -> None:
    text = DOMAIN.format(node="READY", domain="UP") + "/dev/nvidia-caps-imex-channels/channel0\n"
    assert findings_of("imex-state", text) == ()


def test_it_says_what_to_do() -> None:
    text = DOMAIN.format(node="WAITING_FOR_PEERS", domain="DOWN")
    assert remedies_of("imex-state", text) == snapshot(
        [
            [
                ("See the state of all nodes of the domain.", "nvidia-imex-ctl -N"),
                ("See whether a channel is there.", "ls -l /dev/nvidia-caps-imex-channels"),
            ]
        ]
    )


def test_a_program_that_is_refused_failed_for_this() -> None:
    refused = "[CUDA_ERROR_NOT_PERMITTED] operation not permitted in expression cuMemCreate(&handle) in memcpy.cpp:61\n"
    broken = DOMAIN.format(node="UNAVAILABLE", domain="DEGRADED")
    (found,) = findings_of("imex-state", broken + refused)
    assert (found.severity, found.confidence, "application-error" in found.explains) == ("critical", "certain", True)
    (other,) = findings_of("imex-state", broken + refused.replace("NOT_PERMITTED", "INVALID_VALUE"))
    assert (other.severity, "application-error" in other.explains) == ("error", False)
    assert findings_of("imex-state", DOMAIN.format(node="READY", domain="UP") + refused) == ()
