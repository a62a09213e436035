from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def exported(gpu: int, xid: int) -> str:
    return f'DCGM_FI_DEV_XID_ERRORS{{gpu="{gpu}",Hostname="gpu07",modelName="NVIDIA H200"}} {xid}\n'


def test_errors_of_the_hardware() -> None:
    assert said("gpu-last-xid", exported(0, 0) + exported(1, 79) + exported(2, 94)) == snapshot(
        [
            (
                "gpu-missing",
                "error",
                "likely",
                "gpu07 GPU 1: the last Xid that DCGM saw is Xid 79 (GPU has fallen off the bus)",
            ),
            (
                "gpu-memory-errors",
                "error",
                "likely",
                "gpu07 GPU 2: the last Xid that DCGM saw is Xid 94 (contained ECC error)",
            ),
        ]
    )


def test_what_a_program_left_behind_is_no_fault() -> None:
    assert findings_of("gpu-last-xid", exported(0, 31) + exported(1, 43)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-last-xid", exported(0, 0) + exported(1, 79) + exported(2, 94)) == snapshot(
        [
            [("See when it was, and whether the GPU was reset since.", "dmesg -T | grep Xid")],
            [("See when it was, and whether the GPU was reset since.", "dmesg -T | grep Xid")],
        ]
    )
