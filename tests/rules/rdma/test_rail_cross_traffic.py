from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

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
