"""A journal in which a PCIe link has errors and a job dies."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.kernel_log import KernelLog

LOG = """\
Mar 03 08:00:02 gpu07 kernel: pcieport 0000:3a:01.0: AER: Multiple Corrected error received: 0000:3b:00.0
Mar 03 08:00:02 gpu07 kernel: nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
Mar 03 08:00:02 gpu07 kernel: nvidia 0000:3b:00.0:   device [10de:2330] error status/mask=00000040/00000000
Mar 03 08:00:04 gpu07 systemd[1]: Starting Cleanup of Temporary Directories...
Mar 03 08:00:08 gpu07 kernel: train[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libnccl.so.2[7fc000+d3000]
Mar 03 08:00:09 gpu07 kernel: Memory cgroup out of memory: Killed process 4712 (python3) total-vm:999kB, anon-rss:888kB
Mar 03 08:01:09 gpu07 kernel: INFO: task train:4711 blocked for more than 120 seconds.
Mar 03 08:03:09 gpu07 kernel: INFO: task train:4711 blocked for more than 120 seconds.
"""


def test_a_journal_gives_its_events_and_nothing_else() -> None:
    assert events_of(KernelLog, LOG) == snapshot(
        [
            ("kernel-segfault", "gpu07", None, {"process": "train", "pid": "4711", "library": "libnccl.so.2"}, 1),
            ("oom-killed", "gpu07", None, {"pid": "4712", "process": "python3"}, 1),
            ("kernel-hung-task", "gpu07", None, {"process": "train", "pid": "4711", "seconds": "120"}, 2),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "DMAR: IOMMU enabled",
        "The task was blocked for more than a day.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(KernelLog, text) == []
