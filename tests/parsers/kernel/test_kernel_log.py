"""A journal in which a GPU falls off the bus and a job dies."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.kernel_log import KernelLog

LOG = """\
Mar 03 08:00:01 gpu07 kernel: NVRM: GPU Board Serial Number: 4711
Mar 03 08:00:02 gpu07 kernel: pcieport 0000:3a:01.0: AER: Multiple Corrected error received: 0000:3b:00.0
Mar 03 08:00:02 gpu07 kernel: nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
Mar 03 08:00:02 gpu07 kernel: nvidia 0000:3b:00.0:   device [10de:2330] error status/mask=00000040/00000000
Mar 03 08:00:03 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.
Mar 03 08:00:03 gpu07 kernel: NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.
Mar 03 08:00:04 gpu07 systemd[1]: Starting Cleanup of Temporary Directories...
Mar 03 08:00:05 gpu07 kernel: mlx5_core 0000:12:00.0 ens1np0: Link down
Mar 03 08:00:07 gpu07 kernel: mlx5_core 0000:12:00.0 ens1np0: Link up
Mar 03 08:00:08 gpu07 kernel: train[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libnccl.so.2[7fc000+d3000]
Mar 03 08:00:09 gpu07 kernel: Memory cgroup out of memory: Killed process 4712 (python3) total-vm:999kB, anon-rss:888kB
Mar 03 08:01:09 gpu07 kernel: INFO: task train:4711 blocked for more than 120 seconds.
Mar 03 08:03:09 gpu07 kernel: INFO: task train:4711 blocked for more than 120 seconds.
Mar 03 08:04:00 gpu07 kernel: nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up
"""


def test_a_journal_gives_its_events_and_nothing_else() -> None:
    assert events_of(KernelLog, LOG) == snapshot(
        [
            ("kernel-aer", "gpu07", None, {"port": "0000:3a:01.0", "severity": "Corrected", "pci": "0000:3b:00.0"}, 1),
            ("kernel-aer", "gpu07", None, {"pci": "0000:3b:00.0", "severity": "Corrected"}, 1),
            ("kernel-xid", "gpu07", None, {"pci": "0000:3b:00", "xid": "79", "pid": "4711", "name": "train"}, 1),
            ("kernel-gpu-lost", "gpu07", None, {"pci": "0000:3b:00.0"}, 1),
            ("kernel-link-down", "gpu07", None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 1),
            ("kernel-link-up", "gpu07", None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 1),
            ("kernel-segfault", "gpu07", None, {"process": "train", "pid": "4711", "library": "libnccl.so.2"}, 1),
            ("oom-killed", "gpu07", None, {"pid": "4712", "process": "python3"}, 1),
            ("kernel-hung-task", "gpu07", None, {"process": "train", "pid": "4711", "seconds": "120"}, 2),
            (
                "nvswitch-error",
                "gpu07",
                None,
                {"pci": "0000:c1:00.0", "error": "20034", "severity": "Fatal", "port": "30"},
                1,
            ),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023",
        "mlx5_core 0000:12:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)",
        "DMAR: IOMMU enabled",
        "Xid 79 means that the GPU has fallen off the bus.",
        "The task was blocked for more than a day.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(KernelLog, text) == []
