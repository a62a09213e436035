"""The start of NVIDIA's kernel modules, and a GPU that falls off the bus."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.kernel.nvidia_driver_log import NvidiaDriverLog
from slowlink.parsers.reading.read import read

LOADED = """\
[    9.1] nvidia-nvlink: Nvlink Core is being initialized, major device number 510
[    9.2] nvidia 0000:3b:00.0: enabling device (0140 -> 0142)
[    9.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.99.01  Release Build  (dvs-builder@x)
[    9.4] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.99.01
[    9.5] [drm] [nvidia-drm] [GPU ID 0x00003b00] Loading driver
[    9.6] nvidia-persistenced[412]: Started (412)
"""
LOST = """\
Mar 03 08:00:01 gpu07 kernel: NVRM: GPU Board Serial Number: 4711
Mar 03 08:00:03 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.
Mar 03 08:00:03 gpu07 kernel: NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.
Mar 03 08:00:04 gpu07 systemd[1]: Starting Cleanup of Temporary Directories...
Mar 03 08:04:00 gpu07 kernel: nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up
Mar 03 08:09:00 gpu07 kernel: NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x65:1860)
"""


def test_a_start_is_quiet_and_leaves_nothing_unread() -> None:
    assert events_of(NvidiaDriverLog, LOADED) == []
    (source,) = read([Input("t", None, [LOADED.encode()])], workers=1).sources
    assert (source.used, source.ignored, source.unread) == snapshot((1, 5, 0))


def test_a_gpu_that_is_lost_gives_its_events_and_nothing_else() -> None:
    assert events_of(NvidiaDriverLog, LOST) == snapshot(
        [
            ("kernel-xid", "gpu07", None, {"pci": "0000:3b:00", "xid": "79", "pid": "4711", "name": "train"}, 1),
            ("kernel-gpu-lost", "gpu07", None, {"pci": "0000:3b:00.0"}, 1),
            (
                "nvswitch-error",
                "gpu07",
                None,
                {"pci": "0000:c1:00.0", "error": "20034", "severity": "Fatal", "port": "30"},
                1,
            ),
            ("kernel-gpu-init-failed", "gpu07", None, {"pci": "0000:3b:00.0"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.99.01  Tue Mar  5 22:23:56 UTC 2024",
        "Xid 79 means that the GPU has fallen off the bus.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(NvidiaDriverLog, text) == []
