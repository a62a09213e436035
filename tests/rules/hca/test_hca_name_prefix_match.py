from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_1\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_HCA set by environment to =mlx5_1,mlx5_10\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
)


def test_names_the_device_that_came_along() -> None:
    assert said("hca-name-prefix-match", FAILED) == snapshot(
        [
            (
                "hca-name-prefix-match",
                "warning",
                "likely",
                "NCCL_IB_HCA=mlx5_1 also takes mlx5_10: without = the names are prefixes",
            )
        ]
    )


def test_silent_on_exact_names() -> None:
    assert findings_of("hca-name-prefix-match", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("hca-name-prefix-match", FAILED) == snapshot(
        [[("Ask for exact names.", "export NCCL_IB_HCA='=mlx5_1'")]]
    )
