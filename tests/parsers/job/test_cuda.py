"""Errors of the GPU runtime in the output of jobs."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.cuda import Cuda

LOG = """\
Epoch 3: loss 1.25
RuntimeError: CUDA error: an illegal memory access was encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
[rank3]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB total capacity)
$ nvidia-smi
Failed to initialize NVML: Driver/library version mismatch
Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the system to recover this GPU
RuntimeError: Unexpected error from cudaGetDeviceCount(): Error 802: system not yet initialized
RuntimeError: Unexpected error from cudaGetDeviceCount(): Error 802: system not yet initialized
The NVIDIA driver on your system is too old (found version 11040).
"""


def test_errors_of_cuda_and_nvml_whoever_prints_them() -> None:
    assert events_of(Cuda, LOG) == snapshot(
        [
            ("cuda-error", None, None, {"error": "an illegal memory access was encountered"}, 1),
            ("cuda-out-of-memory", None, 3, {"size": "2.00 GiB"}, 1),
            ("nvml-version-mismatch", None, None, {}, 1),
            ("gpu-lost", None, None, {"pci": "0000:3B:00.0"}, 1),
            ("cuda-system-not-initialized", None, None, {}, 2),
            ("cuda-driver-too-old", None, None, {}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "There was a CUDA error on the other node, they say.",
        "# catches CUDA error: an illegal memory access",
        "CUDA out of memory is what we feared.",
        "torch.cuda.is_available() -> True",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Cuda, text) == []
