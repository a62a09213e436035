from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


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
        [[("Read the counts of all blocks.", "rocm-smi --showrasinfo all; amd-smi metric --ecc")]]
    )


def test_the_fault_of_a_program_is_looked_for_in_the_program() -> None:
    text = kernel(
        "[gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:3, for process train pid 47 thread train)"
    )
    assert remedies_of("amdgpu-errors", text) == snapshot(
        [[("Find the kernel that faults: launch one at a time.", "AMD_SERIALIZE_KERNEL=3 PROGRAM")]]
    )
