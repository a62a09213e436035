"""Errors of PCIe links in the kernel log, with the minute of each."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.kernel.aer_log import AerLog, minute_of

LOG = """\
[Mi Nov  5 08:11:02 2025] pcieport 0000:3a:01.0: AER: Multiple Corrected error message received from 0000:3b:00.0
[Mi Nov  5 08:11:02 2025] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
[Mi Nov  5 08:11:02 2025] nvidia 0000:3b:00.0:   device [10de:2330] error status/mask=00000080/0000e000
[Mi Nov  5 08:11:02 2025] nvidia 0000:3b:00.0:    [ 7] BadDLLP
[Mi Nov  5 08:11:40 2025] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
[Mi Nov  5 08:12:01 2025] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
[Mi Nov  5 08:12:03 2025] aer_ratelimit: 88 callbacks suppressed
"""


def test_equal_errors_fold_by_the_minute() -> None:
    assert [(kind, groups, count) for kind, _, _, groups, count in events_of(AerLog, LOG)] == snapshot(
        [
            (
                "kernel-aer",
                {"port": "0000:3a:01.0", "severity": "Corrected", "pci": "0000:3b:00.0", "minute": "Mi Nov  5 08:11"},
                1,
            ),
            (
                "kernel-aer",
                {
                    "driver": "nvidia",
                    "pci": "0000:3b:00.0",
                    "severity": "Corrected",
                    "where": "Data Link Layer",
                    "minute": "Mi Nov  5 08:11",
                },
                2,
            ),
            (
                "kernel-aer-bit",
                {"driver": "nvidia", "pci": "0000:3b:00.0", "bit": "BadDLLP", "minute": "Mi Nov  5 08:11"},
                1,
            ),
            (
                "kernel-aer",
                {
                    "driver": "nvidia",
                    "pci": "0000:3b:00.0",
                    "severity": "Corrected",
                    "where": "Data Link Layer",
                    "minute": "Mi Nov  5 08:12",
                },
                1,
            ),
            ("kernel-aer-suppressed", {"suppressed": "88", "minute": "Mi Nov  5 08:12"}, 1),
        ]
    )


@pytest.mark.parametrize(
    ("text", "stamp", "minute"),
    [
        ("[  125.201133] aer_ratelimit: 1 callbacks suppressed", None, "minute 2"),
        ("[Mi Nov  5 08:11:02 2025] aer_ratelimit: 1 callbacks suppressed", None, "Mi Nov  5 08:11"),
        ("[水 11月  5 08:11:02 2025] aer_ratelimit: 1 callbacks suppressed", None, "水 11月  5 08:11"),
        ("kernel: aer_ratelimit: 1 callbacks suppressed", "Mar 03 08:00:02", "Mar 03 08:00"),
        ("aer_ratelimit: 1 callbacks suppressed", None, ""),
    ],
)
def test_the_minute_stands_in_any_stamp(text: str, stamp: str | None, minute: str) -> None:
    assert minute_of(Line("t", 1, text, stamp=stamp)) == minute
