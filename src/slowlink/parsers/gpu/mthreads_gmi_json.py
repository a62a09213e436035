"""``mthreads-gmi -q -j``, ``--query --json``: all that the tool knows of each GPU, every value a text::

    {"Timestamp": "Wed Jul 22 16:07:29 2026", "Driver Version": "3.3.5-server", "Attached GPUs": "1",
     "GPU": [{"Index": "0", "Product Name": "MTT S5000", "GPU UUID": "1b2c3d4e-0000-1111-2222-333344445555",
              "MTBios Version": "4.3.41",
              "PCI": {"Bus ID": "00000000:2a:00.0",
                      "GPU Link Info": {"PCIe Generation": {"Max": "5", "Current": "5"},
                                        "Link Width": {"Max": "16x", "Current": "8x"}}},
              "FB Memory Usage": {"Total": "81920MiB", "Used": "10MiB", "Free": "81910MiB"},
              "Utilization": {"Gpu": "0%", "Memory": "0%"}, "Temperature": {"GPU Current Temp": "27C"},
              "Power Readings": {"Power Draw ": "96.66W", "Current Power Limit": "950.00W"}}]}

Some keys end in a blank.

Source: outputs of mthreads-gmi 1.14 to 2.4 as projects that support these GPUs document them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, number, reading, says_something
from slowlink.parsers.gpu.nvidia_smi.values import lanes, size, transfers

_Convert = Callable[[str], "Value | None"]
_WANTED: tuple[tuple[tuple[str, ...], str, _Convert], ...] = (
    (("Product Name",), "gpu-name", lambda text: f"Moore Threads {text}"),
    (("GPU UUID",), "gpu-uuid", str),
    (("MTBios Version",), "gpu-vbios", str),
    (("PCI", "Bus ID"), "gpu-bus-id", bus_id),
    (("PCI", "GPU Link Info", "PCIe Generation", "Current"), "pcie-speed", transfers),
    (("PCI", "GPU Link Info", "PCIe Generation", "Max"), "pcie-speed-max", transfers),
    (("PCI", "GPU Link Info", "Link Width", "Current"), "pcie-width", lanes),
    (("PCI", "GPU Link Info", "Link Width", "Max"), "pcie-width-max", lanes),
    (("FB Memory Usage", "Used"), "gpu-memory-used", size),
    (("FB Memory Usage", "Total"), "gpu-memory-total", size),
    (("Utilization", "Gpu"), "gpu-utilisation", number),
    (("Temperature", "GPU Current Temp"), "gpu-temperature", number),
    (("Power Readings", "Power Draw"), "gpu-power", number),
    (("Power Readings", "Current Power Limit"), "gpu-power-limit", number),
)


class MthreadsGmiJson:
    """Gives the readings of each GPU that has an index."""

    kind: ClassVar[str] = "mthreads-gmi"

    @staticmethod
    def wants_document(value: object) -> bool:
        return isinstance(value, dict) and "Attached GPUs" in value and isinstance(value.get("GPU"), list)

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found: list[Reading] = []
        at = Line(source, line, "")
        if not isinstance(value, dict):
            return found
        driver = value.get("Driver Version")
        if isinstance(driver, str) and says_something(driver):
            found.append(reading("driver-version", NODE, driver, at))
        for gpu in value["GPU"]:
            index = _at(gpu, ("Index",))
            if index is not None and index.isdecimal() and MAX_READINGS.has_room(len(found)):
                found.extend(_readings(gpu, Part("gpu", index), at))
        return found


def _readings(gpu: object, part: Part, at: Line) -> Iterable[Reading]:
    for path, attribute, convert in _WANTED:
        text = _at(gpu, path)
        said = convert(text) if text is not None and says_something(text) else None
        if said is not None:
            yield reading(attribute, part, said, at)


def _at(value: object, path: tuple[str, ...]) -> str | None:
    """The text behind the keys of ``path``, whatever blanks end them; None where there is none."""
    for key in path:
        named = value.items() if isinstance(value, dict) else ()
        value = next((each for name, each in named if isinstance(name, str) and name.strip() == key), None)
    return value.strip() if isinstance(value, str) else None


DOCUMENT = MthreadsGmiJson
