"""rocm-smi's keys that are attributes, as text and as JSON.

Source: ``python_smi_tools/rocm_smi.py`` of ROCm 5.0 to 7.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import NODE, bus_id, number, reading, says_something, whole
from slowlink.patterns import regex

Convert = Callable[[str], Value | None]


def _megahertz(text: str) -> float | None:
    """``1 (2100Mhz)``, ``(132Mhz)``."""
    found = re.search(r"\((\d{1,6})\s?[Mm][Hh]z\)", text)
    return float(found[1]) if found else None


def _words(text: str) -> str | None:
    return text.strip()[:120] if says_something(text) and not text.startswith("Unsupported") else None


_ERROR_WORDS = {"no": 0, "single": 1, "multiple": 2}


def _errors(text: str) -> int | None:
    """``0 (no errors detected)``, or only ``No errors detected since last read``."""
    told = _ERROR_WORDS.get(text.split(" ", 1)[0].lower())
    return whole(text.split("(", 1)[0]) if told is None else told


_KEYS: tuple[tuple[str, str, Convert], ...] = (
    ("PCI Bus", "gpu-bus-id", bus_id),
    ("Card [Ss]eries", "gpu-name", _words),
    ("Device Name", "gpu-name", _words),
    ("VBIOS version", "gpu-vbios", _words),
    (r"Temperature \(Sensor (?:edge|junction)\) \(C\)", "gpu-temperature", number),
    (r"Temperature \(Sensor memory\) \(C\)", "gpu-memory-temperature", number),
    (r"(?:Average|Current Socket) Graphics Package Power \(W\)", "gpu-power", number),
    (r"Max Graphics Package Power \(W\)", "gpu-power-limit", number),
    (r"GPU use \(%\)", "gpu-utilisation", number),
    (r"VRAM Total Memory \(B\)", "gpu-memory-total", whole),
    (r"VRAM Total Used Memory \(B\)", "gpu-memory-used", whole),
    ("sclk clock (?:level|speed):?", "gpu-clock-sm", _megahertz),
    ("mclk clock (?:level|speed):?", "gpu-clock-memory", _megahertz),
    ("PCIe? Replay Count", "gpu-pcie-replays", whole),
    ("Performance Level", "gpu-performance-level", _words),
    ("Compute Partition", "gpu-partition", _words),
    ("XGMI Error count", "xgmi-errors", _errors),
)
_COMPILED = tuple((regex(pattern), attribute, convert) for pattern, attribute, convert in _KEYS)
_CLOCK = regex(r"(?P<key>[sm]clk clock level): (?P<level>\d{1,3}): (?P<rest>\(.{1,20}\))")


def gpu_readings(gpu: str, key: str, value: str, line: Line) -> Iterator[Reading]:
    """What one key of one GPU says."""
    for pattern, attribute, convert in _COMPILED:
        if pattern.fullmatch(key.strip()):
            found = convert(value.strip()) if says_something(value) else None
            if found is not None:
                yield reading(attribute, Part("gpu", gpu), found, line)
            return


def split_key(text: str) -> tuple[str, str]:
    """``Temperature (Sensor edge) (C): 35.0`` to key and value. ``sclk clock level: 1: (2100Mhz)`` has two colons."""
    clock = _CLOCK.match(text)
    if clock is not None:
        return clock["key"], clock["rest"]
    key, _, value = text.partition(": ")
    return key.strip(), value.strip()


def system_readings(key: str, value: str, line: Line) -> Iterator[Reading]:
    """What a key of the whole node says."""
    if key.strip().lower() == "driver version" and says_something(value):
        yield reading("driver-version", NODE, value.strip()[:80], line)
