"""What ``nvidia-smi`` prints when it cannot reach a GPU or the driver::

    Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error

The GPU is named by its address, its number or both, with and without blanks between: that changed over versions. A
library of another version than the driver's is a message of NVML, which ``job/cuda`` reads. A corrupted infoROM is told
below the table, and by DCGM in its own words.

Source: nvidia-smi of drivers 450 to 595; ``dcgmlib/dcgm_errors.h`` of DCGM 3 and 4.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_WHICH = (
    r"Unable to determine the device handle for (?:GPU|gpu) ?(?:\d{1,3}: (?=[0-9A-Fa-f]{4,8}:))?"
    r"(?P<pci>[0-9A-Fa-f:.]{7,20}|\d{1,3}): "
)
"""``GPU0000:3B:00.0``, ``GPU 0000:3B:00.0``, ``GPU3: 0000:3B:00.0`` and ``GPU3``, as the versions print it."""

MESSAGES = (
    EventPattern(
        "gpu-requires-reset",
        "requires reset",
        _WHICH + r"GPU requires reset",
        ("Unable to determine the device handle for GPU3: 0000:3B:00.0: GPU requires reset",),
    ),
    EventPattern(
        "gpu-lost",
        "Unable to determine the device handle for ",
        _WHICH + r"(?P<error>(?!GPU |Insufficient|Invalid|Not Supported|[0-9A-Fa-f]{4,8}:).{8,80})",
        (
            "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error",
            "Unable to determine the device handle for gpu 0000:3B:00.0: Unknown Error",
        ),
    ),
    EventPattern(
        "gpu-inforom-corrupted",
        "orrupt",
        r"(?:infoROM is corrupted at gpu (?P<pci>[0-9A-Fa-f:.]{7,20})"
        r"|A corrupt InfoROM has been detected in GPU (?P<gpu>\d{1,3}))",
        (
            "WARNING: infoROM is corrupted at gpu 0000:3B:00.0",
            "A corrupt InfoROM has been detected in GPU 3.",
        ),
    ),
    EventPattern(
        "nvidia-smi-no-device",
        "No devices were found",
        r"^\s*No devices were found\s*$",
        ("No devices were found",),
    ),
    EventPattern(
        "library-missing",
        "library in your system",
        r"NVIDIA-SMI couldn't find (?P<library>libnvidia-ml\.so(?:\.\d{1,3})?) library in your system",
        ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure the driver is there.",),
    ),
    EventPattern(
        "nvidia-smi-no-driver",
        "ommunicate with the NVIDIA driver",
        r"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
        (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
            "NVIDIA driver is installed and running.",
        ),
    ),
)


class NvidiaSmiErrors(MessageParser):
    """Events of an nvidia-smi that has nothing to show: GPUs lost or to be reset, no device, no driver."""

    kind: ClassVar[str] = "nvidia-smi-errors"
    origin: ClassVar[str] = "nvidia-smi"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = NvidiaSmiErrors
