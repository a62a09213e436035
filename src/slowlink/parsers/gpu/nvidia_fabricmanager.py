"""NVIDIA Fabric Manager: its own log, what it writes to the journal, and the state of its service::

    [Jan 02 2031 03:04:05] [INFO] [tid 9] multicast group 0 is freed.
    [Jan 02 2031 03:04:06] [ERROR] [tid 9] detected NVSwitch fatal error 20034 on fid 0
    ● nvidia-fabricmanager.service - NVIDIA fabric manager service
         Active: failed (Result: exit-code) since Thu 2031-01-02 03:04:05 UTC; 3min ago

The state of the service comes below its name, in the line ``Active:`` that every systemd service has. Messages of
level ERROR are kept in their own words.

Source: Fabric Manager 470 to 570: ``[date] [LEVEL] [tid N] text``; ``systemctl status nvidia-fabricmanager``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_STAMP = r"^\s*(?:\[[\w :]{10,30}\] )?\[(?P<level>[A-Z]{4,8})\] \[tid \d+\] "

MESSAGES = (
    EventPattern(
        "nvswitch-error",
        "detected NVSwitch",
        r"detected NVSwitch (?P<severity>non-fatal|fatal) error (?P<error>\d+)(?: on fid (?P<fid>\d+))?"
        r"(?: on NVSwitch pci bus id (?P<pci>[0-9a-fA-F:.]{4,20}))?(?: physical id (?P<physical_id>\d+"
        r"))?(?: port (?P<port>\d+))?",
        (
            "[Jan 02 2031 03:04:05] [ERROR] [tid 9] detected NVSwitch fatal error 20034 on fid 0 on N"
            "VSwitch pci bus id "
            "00000000:07:00.0 physical id 11 port 30",
        ),
    ),
    EventPattern(
        "fabric-manager-error",
        "[ERROR]",
        _STAMP.replace("(?P<level>[A-Z]{4,8})", "ERROR") + r"(?P<error>.{1,200})",
        ("[Jan 02 2031 03:04:05] [ERROR] [tid 9] failed to find any NVSwitch devices on the system",),
    ),
    EventPattern(
        "fabric-manager-error",
        "nv-fabricmanager[",
        r"nv-fabricmanager\[\d+\]: (?P<error>.{0,80}(?:don't match with driver version|failed to initialize|abnormally"
        r"|failed with error).{0,120})",
        (
            "nv-fabricmanager[99]: fabric manager NVIDIA GPU driver interface version 535.54.03 don't match with "
            "driver version 535.86.10. Please update with matching NVIDIA driver package.",
        ),
    ),
    EventPattern(
        "fabric-manager-stopped",
        "abric",
        r"Failed to start (?:nvidia-fabricmanager\.service|NVIDIA [Ff]abric [Mm]anager)"
        r"|nvidia-fabricmanager\.service: (?:Failed with result"
        r"|Main process exited, code=(?:killed|dumped|exited, status=(?!0/)\d{1,3}/))",
        (
            "systemd[1]: Failed to start NVIDIA fabric manager service.",
            "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
            "systemd[1]: nvidia-fabricmanager.service: Main process exited, code=exited, status=1/FAILURE",
        ),
    ),
)

NOISE = (
    NoisePattern(
        "nv-fabricmanager",
        r"nv-fabricmanager\[\d+\]: |\bExecStart\w{0,4}=/usr/bin/nv-fabricmanager",
        ("nv-fabricmanager[99]: Successfully configured all the available GPUs and NVSwitches to route traffic.",),
    ),
    NoisePattern(
        "nvidia-fabricmanager.service",
        r"nvidia-fabricmanager\.service(?:: |[;)])",
        ("systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, status=1/FAILURE",),
    ),
    NoisePattern("] [tid ", _STAMP, ("[Jan 02 2031 03:04:05] [INFO] [tid 9] multicast group 0 is freed.",)),
    NoisePattern(
        "essage payload details",
        r"^\s*Message payload details:",
        ("Message payload details:Team release request: x",),
    ),
)


class NvidiaFabricmanager(MessageParser):
    """Events of the daemon that routes NVLink traffic through NVSwitches, and of its service."""

    kind: ClassVar[str] = "fabric-manager"
    origin: ClassVar[str] = "fabricmanager"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = NvidiaFabricmanager
