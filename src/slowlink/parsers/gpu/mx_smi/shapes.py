"""The lines of mx-smi's tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from slowlink.model.state import Value
from slowlink.patterns import regex

_VERSION = r"[\w.-]{1,40}"
NAME = regex(rf"\s*mx-smi\s{{1,8}}version:\s{{0,8}}(?P<version>{_VERSION})\s*$")
TITLE = regex(r"\s*={2,60} MetaX System Management Interface Log ={2,60}\s*$")
ATTACHED = regex(r"\s*Attached GPUs\s{1,80}:\s{0,8}(?P<count>\d{1,4})\s*$")
VERSIONS = regex(
    rf"\s*\|\s{{0,4}}(?:MX-SMI (?P<smi>{_VERSION})\s{{1,60}}(?:Kernel Mode )?Driver Version: (?P<driver>{_VERSION})"
    rf"|MACA Version: (?P<maca>{_VERSION}))"
)
DEVICE = regex(
    r"\s*\|\s{0,8}(?P<gpu>\d{1,4})\s{1,40}(?P<name>M\w{1,20}(?: [\w-]{1,20}){0,3}?)\s{1,40}\|(?:[^|]{1,60}\|)?"
    r"\s{0,40}(?P<bus>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s"
)
LOAD = regex(r"\d{1,3}C\b|\d{1,5}W\b|\d{1,7} ?/ ?\d{1,7} MiB")
CELLS: tuple[tuple[str, re.Pattern[str], Callable[[str], Value]], ...] = (
    ("gpu-utilisation", regex(r"\|\s{0,40}(\d{1,3}(?:\.\d{1,3})?)%"), float),
    ("gpu-temperature", regex(r"\s(\d{1,3}(?:\.\d{1,3})?)C\b"), float),
    ("gpu-power", regex(r"\s(\d{1,5}(?:\.\d{1,3})?)W\b"), float),
    ("gpu-power-limit", regex(r"\d{1,5}W ?/ ?(\d{1,5})W\b"), float),
    ("gpu-memory-used", regex(r"(\d{1,7}) ?/ ?\d{1,7} MiB"), lambda text: int(text) << 20),
    ("gpu-memory-total", regex(r"\d{1,7} ?/ ?(\d{1,7}) MiB"), lambda text: int(text) << 20),
    ("gpu-pstate", regex(r"\s(P\d{1,2})\s{1,8}\|"), str),
    ("gpu-state", regex(r"\|\s{0,40}((?:Not )?[AU](?:va|nava)ilable)\s{1,40}\|"), str),
)
"""What a GPU's rows may hold; the first group is the value."""
PROCESS_HEAD = regex(r"\s*\|\s{0,4}Process(?:es)?:?\s{1,120}\|\s*$")
PROCESS_WORDS = regex(r"\s*\|\s{0,8}(?:GPU\s{1,60}PID\b|\s{0,80}Usage\()")
PROCESS = regex(
    r"\s*\|\s{0,8}(?P<gpu>\d{1,4})\s{1,60}(?P<pid>\d{1,9})\s{1,60}(?P<name>\S{1,120})(?:\s{1,60}(?P<memory>\d{1,8}))?\s{1,60}\|\s*$"
)
NO_PROCESS = regex(r"\s*\|\s{0,8}no process(?:es)? found\s{1,120}\|\s*$", re.IGNORECASE)
END = regex(r"\s*End of Log\s*$")
FRAME = regex(
    r"\s*(?:[+|][-=+|]{8,160}[+|]?$|\|\s{0,8}(?:GPU|Board|Temp|Pwr)\b[^|]{1,80}\||\|[ |]{8,160}\|$"
    r"|Timestamp\s{1,80}:|End of Log\s*$)"
)
WANTED = regex(
    r"\s*(?:mx-smi\s{1,8}version:|={2,60} MetaX System|Attached GPUs\s{1,80}:|End of Log\s*$"
    r"|\|\s{0,4}(?:MX-SMI |MACA Version)|\|\s{0,8}\d{1,4}\s|\|\s{0,4}(?:Process|GPU|Board|Temp|Pwr)\b"
    r"|\|\s{0,8}no process"
    r"|\|[^|]{1,80}\|[^|]{0,80} MiB|[+|][-=+|]{20,160}[+|]\s*$)"
)
"""A line of one of these shapes could be mx-smi's: its rows look like those of other tools."""
