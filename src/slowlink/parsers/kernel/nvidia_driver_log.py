"""What NVIDIA's kernel modules say when they are loaded: the driver's version, and lines without news.

Their errors (Xid, SXid, a GPU that does not start) are in ``kernel_log``, which also lists the files for the rest of
the kernel log.

One of each::

    [    9.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (dvs-builder@x)
    [    9.4] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.86.10

Source: ``NVRM``, nvidia-modeset, nvidia-uvm, nvidia-drm, nvidia-nvlink and nvidia-persistenced of drivers 450 to 580;
the version of NVML, where nvidia-smi says that library and driver do not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.parsers.forms.marked_lines import quotes_code
from slowlink.patterns import regex

MAX_LOADS = 10_000
_LOADED = regex(
    r"NVRM: loading NVIDIA UNIX (?:Open )?(?:Kernel Module for )?(?:x86_64|aarch64|ppc64le)(?: Kernel Module)? {1,4}"
    r"(?P<version>\d{3}\.\d{1,4}(?:\.\d{1,4})?) "
)
_LIBRARY = regex(r"\s{0,8}NVML library version: (?P<version>\d{3}\.\d{1,4}(?:\.\d{1,4})?)\s*$")
_QUIET = regex(
    r"nvidia-modeset: Loading NVIDIA |nvidia-nvlink: (?:Nvlink Core is being initialized|Unregistered )"
    r"|nvidia[-_]uvm: (?:Loaded|Unloaded|module uses symbols|module verification) "
    r"|\[nvidia-drm\] \[GPU ID 0x[0-9a-f]{8}\] (?:Loading|Unloading) driver|nvidia-persistenced\[\d{1,9}\]: "
    r"|\bnvidia [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: (?:enabling device|vgaarb: )"
    r"|nvidia-nvswitch\d{1,3}: (?:using MSI|open|using|Probing device|dev)",
    re.IGNORECASE,
)


class NvidiaDriverLog:
    """Readings of the driver's and the library's version; the other lines of a start are known and say nothing."""

    kind: ClassVar[str] = "nvidia-driver-log"

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return "nvidia" in text or "NVRM: loading" in text or "NVML library" in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        for attribute, pattern in (("driver-version", _LOADED), ("nvml-version", _LIBRARY)):
            found = pattern.search(text)
            if found is not None and not quotes_code(text):
                if len(self._found) < MAX_LOADS:
                    self._found.append(reading(attribute, NODE, found["version"], line))
                return Use.USED
        return Use.IGNORED if _QUIET.search(text) and not quotes_code(text) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = NvidiaDriverLog
