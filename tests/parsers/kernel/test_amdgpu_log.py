"""The kernel log of a node with AMD GPUs."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.amdgpu_log import AmdgpuLog

LOG = """\
Mar  3 08:00:01 gpu07 kernel: [  801.101] [drm] amdgpu kernel modesetting enabled.
Mar  3 08:00:02 gpu07 kernel: [  802.000] amdgpu 0000:43:00.0: amdgpu: 4 correctable hardware errors detected in umc block
Mar  3 08:00:02 gpu07 kernel: [  802.120] amdgpu 0000:43:00.0: amdgpu: socket: 1, die: 0, 2 new deferred hardware errors detected in umc block
Mar  3 08:00:03 gpu07 sshd[812]: Accepted publickey for root from 10.0.0.1 port 51122 ssh2
Mar  3 08:00:04 gpu07 kernel: [  804.300] amdgpu 0000:43:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process python3 pid 4711 thread python3 pid 4711)
Mar  3 08:00:14 gpu07 kernel: [  814.400] amdgpu 0000:43:00.0: amdgpu: ring sdma0 timeout, signaled seq=41, emitted seq=43
Mar  3 08:00:14 gpu07 kernel: [  814.410] amdgpu 0000:43:00.0: amdgpu: GPU reset begin!
Mar  3 08:00:14 gpu07 kernel: [  814.410] amdgpu 0000:43:00.0: amdgpu: GPU reset begin!
Mar  3 08:00:19 gpu07 kernel: [  819.990] amdgpu 0000:43:00.0: amdgpu: GPU reset(2) failed
Mar  3 08:00:20 gpu07 kernel: [  820.000] amdgpu 0000:63:00.0: amdgpu: XGMI PCS TrainingErr detected
Mar  3 08:00:20 gpu07 kernel: [  820.001] amdgpu 0000:43:00.0: amdgpu: GPU reset end with ret = -62
"""


def test_a_gpu_that_hangs_is_reset_and_lost() -> None:
    assert events_of(AmdgpuLog, LOG) == snapshot(
        [
            (
                "kernel-amdgpu-ras",
                "gpu07",
                None,
                {"pci": "0000:43:00.0", "count": "2", "severity": "deferred", "block": "umc"},
                1,
            ),
            (
                "kernel-amdgpu-page-fault",
                "gpu07",
                None,
                {"pci": "0000:43:00.0", "hub": "gfxhub0", "name": "python3", "pid": "4711"},
                1,
            ),
            ("kernel-amdgpu-hung", "gpu07", None, {"pci": "0000:43:00.0", "ring": "sdma0"}, 1),
            ("kernel-amdgpu-hung", "gpu07", None, {"pci": "0000:43:00.0", "error": "GPU reset begin"}, 2),
            ("kernel-gpu-lost", "gpu07", None, {"pci": "0000:43:00.0", "error": "GPU reset(2) failed"}, 1),
            ("kernel-amdgpu-xgmi", "gpu07", None, {"pci": "0000:63:00.0", "error": "XGMI PCS TrainingErr"}, 1),
            ("kernel-gpu-lost", "gpu07", None, {"pci": "0000:43:00.0", "error": "-62"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "amdgpu 0000:43:00.0: amdgpu: GPU reset(2) succeeded!",
        "amdgpu 0000:43:00.0: amdgpu: 7 correctable hardware errors detected in total in gfx block",
        "nvidia 0000:43:00.0: GPU reset begin!",
        "ring the bell after a timeout",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(AmdgpuLog, text) == []
