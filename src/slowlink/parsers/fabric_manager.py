"""NVIDIA Fabric Manager's log (fabricmanager.log).

Source: Fabric Manager 470 to 570: ``[date] [LEVEL] [tid N] text``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.message_table import Message, MessageParser, Noise

_STAMP = r"^\s*(?:\[[\w :]{10,30}\] )?\[(?P<level>[A-Z]{4,8})\] \[tid \d+\] "

MESSAGES = (
    Message(
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
    Message(
        "fabric-manager-error",
        "[ERROR]",
        _STAMP.replace("(?P<level>[A-Z]{4,8})", "ERROR") + r"(?P<error>.{1,200})",
        ("[Jan 02 2031 03:04:05] [ERROR] [tid 9] failed to find any NVSwitch devices on the system",),
    ),
)

NOISE = (
    Noise("] [tid ", _STAMP, ("[Jan 02 2031 03:04:05] [INFO] [tid 9] multicast group 0 is freed.",)),
    Noise(
        "essage payload details",
        r"^\s*Message payload details:",
        ("Message payload details:Team release request: x",),
    ),
)


class FabricManager(MessageParser):
    """Messages of the NVSwitch fabric's manager."""

    kind: ClassVar[str] = "fabric-manager"
    origin: ClassVar[str] = "fabricmanager"
    messages: ClassVar[tuple[Message, ...]] = MESSAGES
    noise: ClassVar[tuple[Noise, ...]] = NOISE


PARSER = FabricManager
