from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def test_no_driver() -> None:
    text = (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.\n"
    )
    assert said("gpu-unreachable", text) == snapshot(
        [
            (
                "gpu-missing",
                "critical",
                "likely",
                "nvidia-smi cannot talk to the driver: the kernel module is not loaded, or failed",
            )
        ]
    )


def test_no_device() -> None:
    assert said("gpu-unreachable", "No devices were found\n") == snapshot(
        [("gpu-missing", "critical", "likely", "nvidia-smi finds no GPU: none was handed in, or none started")]
    )
    assert findings_of("gpu-unreachable", "WARN: No devices were found that match the filter\n") == ()


def test_a_gpu_without_a_handle_is_lost() -> None:
    text = "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n"
    assert said("gpu-missing", text) == snapshot(
        [("gpu-missing", "critical", "certain", "GPU 0000:3b:00.0 is gone: the driver cannot reach it any more")]
    )


def test_amds_tools_without_their_driver() -> None:
    (finding,) = findings_of("gpu-unreachable", "ERROR:root:Driver not initialized (amdgpu not found in modules)\n")
    assert (finding.cause, finding.message, finding.remedy[0].command) == snapshot(
        (
            "gpu-missing",
            "AMD's tools cannot talk to the driver: the module amdgpu is not loaded, or failed",
            "lsmod | grep amdgpu; lspci -d 1002:",
        )
    )


def test_it_says_what_to_do() -> None:
    text = (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.\n"
    )
    assert remedies_of("gpu-unreachable", text) == snapshot(
        [
            [
                ("See whether the module is loaded and the GPUs are there.", "lsmod | grep nvidia; lspci -d 10de:"),
                ("See why it failed.", "dmesg | grep -e NVRM -e nvidia; dkms status"),
            ]
        ]
    )
