"""Versions of NVIDIA's driver: ``nvidia-smi --version``, ``/proc/driver/nvidia/version``, ``modinfo nvidia``."""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import NODE, says_something
from slowlink.parsers.gpu.nvidia_smi.sink import Sink
from slowlink.patterns import regex

_VERSION = r"(\d{2,4}\.[\d.]{1,12})"
_PATTERNS = (
    ("driver-version", regex(rf"DRIVER version {{1,10}}: {_VERSION}")),
    ("cuda-version", regex(r"CUDA Version {1,10}: (\d{1,3}\.\d{1,3})")),
    (
        "driver-version",
        regex(rf"NVRM version: NVIDIA UNIX .{{1,60}}?Kernel Module(?: for \S{{1,12}})? {{1,4}}{_VERSION}"),
    ),
)
_INSTALLED = regex(rf"installed nvidia kernel module: {_VERSION}")
"""``modinfo -F version nvidia``, as our collector words it."""
_OURS = (
    "installed nvidia kernel module: ",
    "NVIDIA-SMI version ",
    "NVML version ",
    "DRIVER version ",
    "NVRM version: ",
    "GCC version:",
)


class Versions:
    """Reads each line alone: driver, CUDA, and the kernel module that is installed."""

    marks: ClassVar[tuple[str, ...]] = tuple(f"\n{start}" for start in (*_OURS, "CUDA Version"))

    def __init__(self) -> None:
        self._out = Sink()

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith((*_OURS, "CUDA Version"))

    def feed(self, line: Line) -> Use:
        text = line.text[:300].rstrip()
        for attribute, pattern in (*_PATTERNS, ("driver-installed", _INSTALLED)):
            found = pattern.match(text)
            if found is not None and says_something(found[1]):
                self._out.take(attribute, NODE, found[1], line)
                return Use.USED
        return Use.IGNORED if text.startswith(_OURS) else Use.NOT_MINE

    def finish(self) -> list[Reading]:
        return self._out.found
