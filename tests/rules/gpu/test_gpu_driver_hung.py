from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 119, pid=4711, name=nvidia-smi, Timeout after 6s of waiting "
    "for RPC response from GPU4 GSP!\n"
    "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 119, pid=4711, name=nvidia-smi, Timeout after 6s of waiting "
    "for RPC response from GPU4 GSP!\n"
)

FINE = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n"


def test_counts_the_timeouts() -> None:
    assert said("gpu-driver-hung", FAILED) == snapshot(
        [
            (
                "gpu-driver-hung",
                "critical",
                "certain",
                "GPU 0000:3b:00.0 stopped answering its driver: Xid 119 (GSP RPC timeout), 2 times",
            )
        ]
    )


def test_silent_on_a_fault_of_the_program() -> None:
    assert findings_of("gpu-driver-hung", FINE) == ()


def test_a_start_that_failed() -> None:
    text = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 143, GPU Initialization Failed\n"
    assert [f.message for f in findings_of("gpu-driver-hung", text)] == snapshot(
        ["GPU 0000:3b:00.0 stopped answering its driver: Xid 143 (GPU initialisation failed), 1 time"]
    )


def test_a_gpu_that_requires_a_reset_is_not_lost() -> None:
    text = "Unable to determine the device handle for GPU3: 0000:3B:00.0: GPU requires reset\n"
    assert findings_of("gpu-missing", text) == ()
    assert said("gpu-driver-hung", text) == snapshot(
        [
            (
                "gpu-driver-hung",
                "error",
                "likely",
                "GPU 0000:3b:00.0 cannot be used before it is reset: nvidia-smi says so",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-driver-hung", FAILED) == snapshot(
        [
            [
                ("Collect the driver's report before anything else.", "nvidia-bug-report.sh"),
                ("NVIDIA advises for Xid 119: drain the node and reset the GPU.", "nvidia-smi --gpu-reset -i N"),
            ]
        ]
    )
