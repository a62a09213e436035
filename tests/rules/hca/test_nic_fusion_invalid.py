from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said
from whole_inputs import checked

from slowlink.rules.diagnosis import diagnose

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_NET_FORCE_MERGE set by environment to mlx5_0,mlx5_4\n"
    "node07:4711:4712 [0] NCCL WARN Fusing NET devices from different NUMA domains: mlx5_0 mlx5_4\n"
)

FINE = "node07:4711:4712 [0] NCCL INFO NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=400000 ndevs=2\n"


def test_names_devices_and_setting() -> None:
    assert said("nic-fusion-invalid", FAILED) == snapshot(
        [
            (
                "nic-fusion-invalid",
                "error",
                "likely",
                "node07: mlx5_0 mlx5_4 of different NUMA domains are merged into one device "
                "(NCCL_NET_FORCE_MERGE=mlx5_0,mlx5_4)",
            )
        ]
    )


def test_names_the_refusal_that_ends_the_job() -> None:
    text = (
        "node07:4711:4712 [0] graph/topo.cc:1566 (ncclTopoGetVNicParent) NCCL WARN Fusing NET devices from different "
        "NUMA domains is not supported.\n"
        "Test NCCL failure common.cu:1209 'invalid argument (run with NCCL_DEBUG=WARN for details) / '\n"
    )
    found = diagnose(checked(text).findings)
    assert [(d.cause, d.severity, d.message, d.explains) for d in found] == snapshot(
        [
            (
                "nic-fusion-invalid",
                "critical",
                "node07: NICs of different NUMA domains are to be merged, and NCCL stops there",
                ("nccl-error-unexplained",),
            )
        ]
    )


def test_silent_on_a_merge_that_works() -> None:
    assert findings_of("nic-fusion-invalid", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("nic-fusion-invalid", FAILED) == snapshot(
        [
            [
                ("See how the NICs lie to each other.", "nvidia-smi topo -m"),
                ("Merge only the ports of one card.", "unset NCCL_NET_FORCE_MERGE NCCL_NET_MERGE_LEVEL"),
            ]
        ]
    )
