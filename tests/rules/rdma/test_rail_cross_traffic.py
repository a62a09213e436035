from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on "
    "dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.1.0.4, "
    "remote GID ::ffff:10.2.0.5\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on "
    "dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.1.0.4, "
    "remote GID ::ffff:10.1.0.5\n"
)


def test_two_subnets_are_two_rails() -> None:
    assert said("rail-cross-traffic", FAILED) == snapshot(
        [
            (
                "rail-cross-traffic",
                "critical",
                "likely",
                "node07: 1 queue pair got no answer from the other HCA (mlx5_0): the two are on different subnets",
            )
        ]
    )


def test_silent_on_one_subnet() -> None:
    assert findings_of("rail-cross-traffic", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("rail-cross-traffic", FAILED) == snapshot(
        [
            [
                ("Keep each ring on its own rail.", "export NCCL_CROSS_NIC=0"),
                (
                    "See whether the two addresses reach each other; if they do, the GID index is wrong.",
                    "ping -I LOCAL REMOTE",
                ),
            ]
        ]
    )


def test_pings_that_are_lost_between_two_rails_are_no_fault_of_their_own() -> None:
    ping = (
        "$ ping -c1 -W1 -I rail0 10.2.0.5\nPING 10.2.0.5 (10.2.0.5) from 10.1.0.4 rail0: 56(84) bytes of data.\n\n"
        "--- 10.2.0.5 ping statistics ---\n1 packets transmitted, 0 received, 100% packet loss, time 0ms\n"
    )
    assert [each.cause for each in diagnoses_of(ping)] == ["tcp-unreachable"]
    assert [each.cause for each in diagnoses_of(FAILED + ping)] == ["rail-cross-traffic"]
