from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

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
