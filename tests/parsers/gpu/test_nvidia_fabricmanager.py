"""Fabric Manager: its log, the journal and the state of its service."""

from __future__ import annotations

import pytest
from event_logs import events_of
from gpu_reading import unread
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu.nvidia_fabricmanager import NvidiaFabricmanager

LOG = """\
[Jan 02 2031 03:04:05] [INFO] [tid 9] Connected to 1 node.
[Jan 02 2031 03:04:06] [ERROR] [tid 9] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:07:00.0 physical id 11 port 30
[Jan 02 2031 03:04:06] [ERROR] [tid 9] detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:08:00.0
[Jan 02 2031 03:04:07] [ERROR] [tid 9] failed to find any NVSwitch devices on the system
"""
SERVICE = """\
× nvidia-fabricmanager.service - NVIDIA fabric manager service
     Loaded: loaded (/lib/systemd/system/nvidia-fabricmanager.service; enabled; vendor preset: enabled)
     Active: failed (Result: exit-code) since Thu 2031-01-02 03:04:05 UTC; 3min ago
Jan 02 03:04:05 gpu07 nv-fabricmanager[99]: fabric manager NVIDIA GPU driver interface version 535.54.03 don't match with driver version 535.86.10. Please update with matching NVIDIA driver package.
Jan 02 03:04:05 gpu07 systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.
"""


def test_switch_errors_keep_their_switch_and_port() -> None:
    assert events_of(NvidiaFabricmanager, LOG) == snapshot(
        [
            (
                "nvswitch-error",
                None,
                None,
                {
                    "severity": "fatal",
                    "error": "20034",
                    "fid": "0",
                    "pci": "00000000:07:00.0",
                    "physical_id": "11",
                    "port": "30",
                },
                1,
            ),
            (
                "nvswitch-error",
                None,
                None,
                {"severity": "non-fatal", "error": "12028", "fid": "0", "pci": "00000000:08:00.0"},
                1,
            ),
            ("fabric-manager-error", None, None, {"error": "failed to find any NVSwitch devices on the system"}, 1),
        ]
    )
    assert unread(LOG) == []


def test_a_service_that_failed_and_why() -> None:
    assert events_of(NvidiaFabricmanager, SERVICE) == snapshot(
        [
            (
                "fabric-manager-error",
                "gpu07",
                None,
                {
                    "error": "fabric manager NVIDIA GPU driver interface version 535.54.03 don't match with driver version 535.86.10. Please update with matching NVIDIA driver package."
                },
                1,
            ),
            ("fabric-manager-stopped", "gpu07", None, {}, 1),
        ]
    )


def test_a_message_that_is_cut_keeps_what_is_there() -> None:
    line = LOG.splitlines()[1]
    assert events_of(NvidiaFabricmanager, line[: line.index(" physical id")]) == snapshot(
        [
            (
                "nvswitch-error",
                None,
                None,
                {"severity": "fatal", "error": "20034", "fid": "0", "pci": "00000000:07:00.0"},
                1,
            )
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "the log says that it detected an NVSwitch on every node",
        "     Active: failed (Result: exit-code) since Thu 2031-01-02 03:04:05 UTC; 3min ago",
        "$ systemctl status nvidia-fabricmanager",
        "[Jan 02 2031 03:04:07] [INFO] [tid 9] no ERROR was seen",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(NvidiaFabricmanager, text) == []


@given(st.integers(0, len(LOG)))
@settings(max_examples=25, deadline=None)
def test_a_log_that_is_cut_invents_no_event(end: int) -> None:
    whole = [kind for kind, *_ in events_of(NvidiaFabricmanager, LOG)]
    cut = [kind for kind, *_ in events_of(NvidiaFabricmanager, LOG[:end])]
    assert cut[:-1] == whole[: max(0, len(cut) - 1)]
