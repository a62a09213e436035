"""CUDA's, HIP's and NVML's own errors, as any program prints them.

From PyTorch and from nvidia-smi::

    RuntimeError: CUDA error: an illegal memory access was encountered
    Failed to initialize NVML: Driver/library version mismatch

Source: the error strings of the CUDA runtime and driver (``cudaGetErrorString``), NVML, PyTorch's wrappers. A generic
CUDA error counts only where an exception names it: sentences speak of CUDA errors, too.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

MESSAGES = (
    EventPattern(
        "cuda-driver-too-old",
        "driver",
        r"(?:CUDA driver version is insufficient for CUDA runtime version|NVIDIA driver on your system"
        r" is too old"
        r"|forward compatibility was attempted on non supported HW)",
        (
            "CUDA driver version is insufficient for CUDA runtime version",
            "The NVIDIA driver on your system is too old (found 11040).",
        ),
    ),
    EventPattern(
        "cuda-system-not-initialized",
        "system not yet initialized",
        r"system not yet initialized",
        ("RuntimeError: Unexpected error from cudaGetDeviceCount(): Error 802: system not yet initialized",),
    ),
    EventPattern(
        "nvml-version-mismatch",
        "Driver/library version mismatch",
        r"Driver/library version mismatch",
        ("Failed to initialize NVML: Driver/library version mismatch",),
    ),
    EventPattern(
        "cuda-out-of-memory",
        "CUDA out of memory",
        r"CUDA out of memory\. Tried to allocate (?P<size>[\d.]{1,20} \w{1,4})",
        (
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.1"
            "5 GiB total capacity)",
        ),
    ),
    EventPattern(
        "cuda-error",
        "CUDA error",
        r"(?:RuntimeError|AcceleratorError|terminate|what\(\)):? .{0,60}?CUDA error: (?P<error>[\w ,.'"
        r"-]{1,120})",
        ("RuntimeError: CUDA error: an illegal memory access was encountered",),
    ),
    EventPattern(
        "gpu-lost",
        "GPU is lost",
        r"(?:Unable to determine the device handle for (?:GPU|gpu) ?(?:\d{1,3}: (?=[0-9A-Fa-f]{4,8}:))?"
        r"(?P<pci>[0-9A-Fa-f:.]{7,20}|\d{1,3}): )?GPU is lost",
        (
            "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the sys"
            "tem to recover this GPU",
        ),
    ),
)


class Cuda(MessageParser):
    """Events of the GPU runtime and of NVML, whichever program prints them."""

    kind: ClassVar[str] = "cuda"
    origin: ClassVar[str] = "cuda"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = Cuda
