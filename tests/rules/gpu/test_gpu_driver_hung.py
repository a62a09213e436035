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


NOT_STARTED = (
    "[   41.2] NVRM: GPU2 kgspInitRm_IMPL: cannot bootstrap riscv/gsp: 0x65\n"
    "[   41.3] NVRM: GPU2 RmInitAdapter: Cannot initialize GSP firmware RM\n"
    "[   41.4] NVRM: GPU 0000:5d:00.0: RmInitAdapter failed! (0x62:0x65:1989)\n"
)
FELL_OFF = "[   40.1] NVRM: Xid (PCI:0000:5d:00): 79, pid=4711, name=train, GPU has fallen off the bus.\n"


def test_firmware_that_did_not_start_is_why_the_gpu_is_missing() -> None:
    assert said("gpu-driver-hung", NOT_STARTED) == snapshot(
        [
            (
                "gpu-driver-hung",
                "critical",
                "certain",
                "GPU 0000:5d:00.0 did not start: its firmware (GSP, FSP) gave no answer or failed",
            )
        ]
    )
    (hung,) = findings_of("gpu-driver-hung", NOT_STARTED)
    (missing,) = findings_of("gpu-missing", NOT_STARTED)
    assert "gpu-missing" in hung.explains
    assert "gpu-driver-hung" not in missing.explains
    assert missing.message == snapshot("GPU 0000:5d:00.0 is gone: the driver could not start it")


def test_a_gpu_off_the_bus_is_why_its_firmware_does_not_start() -> None:
    assert findings_of("gpu-driver-hung", FELL_OFF + NOT_STARTED) == ()
    (missing,) = findings_of("gpu-missing", FELL_OFF + NOT_STARTED)
    assert "gpu-driver-hung" in missing.explains
