"""Which version of NVIDIA's driver was loaded, from the kernel log; and that of NVML where it does not fit the driver.

Every other line of these modules is in ``nvidia_driver_log``.

One of each::

    [    9.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (dvs-builder@x)
    NVML library version: 570.86

Source: ``NVRM`` of drivers 450 to 580; nvidia-smi, where it says that library and driver do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.parsers.forms.marked_lines import quotes_code
from slowlink.patterns import regex

MAX_LOADS = Limit(10_000, "loads of the driver")
_LOADED = regex(
    r"NVRM: loading NVIDIA UNIX (?:Open )?(?:Kernel Module for )?(?:x86_64|aarch64|ppc64le)(?: Kernel Module)? {1,4}"
    r"(?P<version>\d{3}\.\d{1,4}(?:\.\d{1,4})?) "
)
_LIBRARY = regex(r"\s{0,8}NVML library version: (?P<version>\d{3}\.\d{1,4}(?:\.\d{1,4})?)\s*$")


class NvidiaDriverVersion:
    """Readings of the driver's and the library's version."""

    kind: ClassVar[str] = "nvidia-driver-log"
    literals: ClassVar[Literals] = Literals(("NVRM: loading", "NVML library"))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return "NVRM: loading" in text or "NVML library" in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        for attribute, pattern in (("driver-version", _LOADED), ("nvml-version", _LIBRARY)):
            found = pattern.search(text)
            if found is not None and not quotes_code(text):
                if MAX_LOADS.has_room(len(self._found)):
                    self._found.append(reading(attribute, NODE, found["version"], line))
                return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = NvidiaDriverVersion
