"""What ``rocm-smi``, ``amd-smi`` and ``rocminfo`` print when they reach no GPU or no driver::

    ERROR:root:Driver not initialized (amdgpu not found in modules)

Such a line takes the place of the output, so a node without any GPU reading may have failed here.

Source: ``python_smi_tools/rocm_smi.py`` of ROCm 5 to 7, ``rocminfo.cc``, ``amdsmi_cli/amdsmi_init.py`` of
amd-smi 23.4 to 26.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

MESSAGES = (
    EventPattern(
        "amd-smi-no-driver",
        "amdgpu not found in modules",
        r"Driver not initialized \(amdgpu not found in modules\)",
        ("ERROR:root:Driver not initialized (amdgpu not found in modules)",),
    ),
    EventPattern(
        "amd-smi-no-driver",
        "driver not loaded",
        r"(?i:amdgpu) driver not loaded",
        ("ERROR: AMDGPU driver not loaded",),
    ),
    EventPattern(
        "amd-smi-no-driver",
        "check amdgpu version",
        r"Unable to detect any GPU devices, check amdgpu version and module status",
        ("ERROR:root:Unable to detect any GPU devices, check amdgpu version and module status",),
    ),
    EventPattern(
        "amd-smi-no-driver",
        "ROCk module is NOT loaded",
        r"ROCk module is NOT loaded, possibly no GPU devices",
        ("ROCk module is NOT loaded, possibly no GPU devices",),
    ),
)


class AmdSmiErrors(MessageParser):
    """Events of rocm-smi and amd-smi that have nothing to show."""

    kind: ClassVar[str] = "amd-smi-errors"
    origin: ClassVar[str] = "amd-smi"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = AmdSmiErrors
