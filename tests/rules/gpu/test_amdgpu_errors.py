from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said


def kernel(text: str, pci: str = "43:00.0") -> str:
    return f"[ 812.125] amdgpu 0000:{pci}: amdgpu: {text}\n"


def test_uncorrectable_errors_of_memory() -> None:
    assert said("amdgpu-errors", kernel("3 uncorrectable hardware errors detected in umc block")) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 0000:43:00.0: uncorrectable errors in block umc")]
    )


def test_correctable_and_zero_counts_are_no_fault() -> None:
    text = kernel("9 correctable hardware errors detected in umc block") + kernel(
        "0 uncorrectable hardware errors detected in total in umc block"
    )
    assert findings_of("amdgpu-errors", text) == ()


def test_a_deferred_error_is_only_a_warning() -> None:
    assert said(
        "amdgpu-errors", kernel("socket: 0, die: 1, 2 new deferred hardware errors detected in umc block")
    ) == snapshot([("gpu-memory-errors", "warning", "possible", "GPU 0000:43:00.0: deferred errors in block umc")])


def test_links_rings_and_faults() -> None:
    text = (
        kernel("XGMI PCS TrainingErr detected")
        + "[ 813.1] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=4, emitted seq=6\n"
        + kernel("GPU reset begin!", "63:00.0")
        + kernel(
            "[gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:3, for process train pid 47 thread train)"
        )
    )
    assert said("amdgpu-errors", text) == snapshot(
        [
            ("nvlink-down", "error", "likely", "GPU 0000:43:00.0: errors of xGMI links"),
            ("gpu-driver-hung", "critical", "likely", "GPU 0000:63:00.0: ring sdma0 timed out"),
            ("gpu-application-fault", "critical", "likely", "GPU 0000:43:00.0: page fault of a kernel of train"),
        ]
    )


def test_a_reset_that_failed_loses_the_gpu() -> None:
    assert said("gpu-missing", kernel("GPU reset(3) failed")) == snapshot(
        [("gpu-missing", "critical", "certain", "GPU 0000:43:00.0 is gone: the driver cannot reach it any more")]
    )
    assert findings_of("gpu-missing", kernel("GPU reset(3) succeeded!")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("amdgpu-errors", kernel("3 uncorrectable hardware errors detected in umc block")) == snapshot(
        [
            [
                ("Read the counts of all blocks.", "rocm-smi --showrasinfo all; amd-smi metric --ecc"),
                ("See how many pages were retired; replace a GPU whose errors come again.", "amd-smi bad-pages"),
            ]
        ]
    )


def test_the_fault_of_a_program_is_looked_for_in_the_program() -> None:
    text = kernel(
        "[gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:3, for process train pid 47 thread train)"
    )
    assert remedies_of("amdgpu-errors", text) == snapshot(
        [[("Find the kernel that faults: launch one at a time.", "AMD_SERIALIZE_KERNEL=3 PROGRAM")]]
    )


UMC = "1 uncorrectable hardware errors detected in umc block"
ATHUB = "1 uncorrectable hardware errors detected in athub block"
RING = "ring sdma0 timeout, signaled seq=41, emitted seq=43"
RESET = "GPU reset begin!"
BUSES = "$ rocm-smi --showbus\nGPU[1]\t\t: PCI Bus: 0000:43:00.0\nGPU[5]\t\t: PCI Bus: 0000:C6:00.0\n"


def causes_of(*lines: str) -> list[tuple[str, str, str]]:
    return [(found.cause, found.severity, found.message) for found in diagnoses_of("".join(lines))]


def test_what_a_gpu_does_after_an_error_of_its_memory_follows_from_it() -> None:
    threshold = kernel("RAS records:257 exceed threshold:256")
    assert causes_of(kernel(UMC), kernel(ATHUB), threshold, kernel(RING), kernel(RESET)) == [
        (
            "gpu-memory-errors",
            "critical",
            "GPU 0000:43:00.0: uncorrectable errors in block umc; then the driver reset it",
        )
    ]
    (found,) = diagnoses_of(kernel(UMC) + threshold + kernel(RESET))
    assert "nvidia" not in str([step.command for step in found.remedy])


def test_a_job_that_met_the_error_lost_it() -> None:
    met = "[rank1]: torch.AcceleratorError: HIP error: uncorrectable ECC error encountered\n"
    assert causes_of(kernel(UMC), met) == [
        ("gpu-memory-errors", "critical", "GPU 0000:43:00.0: uncorrectable errors in block umc; a job met them")
    ]


def test_another_block_is_a_fault_of_the_hardware() -> None:
    assert causes_of(kernel(ATHUB), kernel(RESET)) == [
        (
            "gpu-hardware-fault",
            "critical",
            "GPU 0000:43:00.0: uncorrectable errors in block athub; then the driver reset it",
        )
    ]


def test_each_gpu_answers_for_its_own_errors() -> None:
    both = (kernel(UMC), kernel(RESET), kernel(RING, "c6:00.0"), BUSES)
    assert causes_of(*both) == [
        ("gpu-memory-errors", "critical", "GPU 1: uncorrectable errors in block umc; then the driver reset it"),
        ("gpu-driver-hung", "critical", "GPU 5: ring sdma0 timed out"),
    ]


def test_a_reset_before_the_error_is_no_consequence_of_it() -> None:
    assert [cause for cause, *_ in causes_of(kernel(RESET), kernel(UMC))] == ["gpu-driver-hung", "gpu-memory-errors"]
