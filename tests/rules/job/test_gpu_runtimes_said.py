"""What ROCm's runtime says when a GPU stops a process."""

from __future__ import annotations

import pytest
from text_findings import diagnoses_of

QUEUE = ":0:rocdevice.cpp            :2726: 28916374 us: [pid:3402  tid:0x7fa0ed3f] Callback: Queue 0x7f9f80000000 "


@pytest.mark.parametrize(
    "line, cause",
    [
        (
            "Memory access fault by GPU node-4 (Agent handle: 0x3d41) on address 0x1556c000. Reason: Unknown.",
            "gpu-application-fault",
        ),
        (
            "Memory access fault by GPU node-2 (Agent handle: 0x3d41) on address 0x1556c000(may not be exact address). "
            "Reason: Page not present or supervisor privilege.",
            "gpu-application-fault",
        ),
        (
            "Memory access fault by GPU node-2 (Agent handle: 0x3d41) on address 0x1556c000. Reason: SRAM ECC failure.",
            "gpu-memory-errors",
        ),
        ("HW Exception by GPU node-5 (Agent handle: 0x55) reason :GPU Hang", "gpu-driver-hung"),
        ("HW Exception by GPU node-5 (Agent handle: 0x55) reason :ECC", "gpu-memory-errors"),
        (
            f"{QUEUE}aborting with error : HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: An illegal shader. code: 0x2a",
            "gpu-application-fault",
        ),
        (
            f"{QUEUE}Aborting with error : HSA_STATUS_ERROR_OUT_OF_RESOURCES: Failed. Code: 0x1008 Available Free mem : 0 MB",
            "gpu-out-of-memory",
        ),
    ],
)
def test_the_reason_names_the_cause(line: str, cause: str) -> None:
    assert [diagnosis.cause for diagnosis in diagnoses_of(f"{line}\n")] == [cause]
