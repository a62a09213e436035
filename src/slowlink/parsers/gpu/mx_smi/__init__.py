"""``mx-smi`` of MetaX: versions, two rows for each GPU, processes::

    | MX-SMI 2.2.9                        Kernel Mode Driver Version: 3.3.12          |
    |------------------+-----------------+---------------------+----------------------|
    | Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |
    | Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |
    |==================+=================+=====================+======================|
    | 0     MetaX C500 | 0           Off | 0000:0e:00.0        | 0%          Disabled |
    | 56W / 350W       | 36C          P0 | 826/65536 MiB       | Available            |

The columns changed over versions, so a cell is known by what stands in it (a PCI address, ``%``, ``C``, ``W``,
``MiB``). The boxes look like NVIDIA's: rows are read only below a line that names mx-smi. ``topology_matrix`` reads the
output of ``mx-smi topo``.

Source: outputs of mx-smi 2.1 to 2.2 as MetaX and its users publish them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, reading
from slowlink.parsers.gpu.mx_smi import shapes


class MxSmi:
    """Knows whether a heading of mx-smi stands above, and to which GPU the cells of a row belong."""

    kind: ClassVar[str] = "mx-smi"
    literals: ClassVar[Literals] = Literals(
        ("\nmx-smi", "= MetaX System", "\nAttached GPUs", "\nEnd of Log", "\n|", "\n+")
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._inside = False
        """Are we below one of its headings?"""
        self._gpu: Part | None = None
        self._processes: list[Reading] | None = None
        """Those of the table that is being read; None outside of one."""
        self._missing = 0
        """Lines since the last one that was ours."""

    @staticmethod
    def wants(text: str) -> bool:
        return shapes.WANTED.match(text) is not None

    @property
    def greedy(self) -> bool:
        return self._inside

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        use = self._head(text, line)
        if use is Use.NOT_MINE and self._inside:
            use = self._table(text, line)
        self._missing = 0 if use is not Use.NOT_MINE else self._missing + 1
        if shapes.END.match(text) or self._missing > 3:
            self._inside = False
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _head(self, text: str, line: Line) -> Use:
        if shapes.TITLE.match(text) or shapes.NAME.match(text):
            self._inside, self._gpu, self._processes = True, None, None
            found = shapes.NAME.match(text)
            if found is not None:
                self._add("mx-smi-version", NODE, found["version"], line)
            return Use.IGNORED if found is None else Use.USED
        attached = shapes.ATTACHED.match(text)
        if attached is not None and self._inside:
            self._add("gpu-count", NODE, int(attached["count"]), line)
            return Use.USED
        versions = shapes.VERSIONS.match(text)
        if versions is None:
            return Use.NOT_MINE
        self._inside = True
        for name, attribute in (("smi", "mx-smi-version"), ("driver", "driver-version"), ("maca", "maca-version")):
            if versions[name]:
                self._add(attribute, NODE, versions[name], line)
        return Use.USED

    def _table(self, text: str, line: Line) -> Use:
        if shapes.PROCESS_HEAD.match(text):
            self._processes = []
            return Use.IGNORED
        if self._processes is not None:
            return self._process(text, line)
        device = shapes.DEVICE.match(text)
        if device is not None:
            self._gpu = Part("gpu", device["gpu"])
            self._add("gpu-name", self._gpu, " ".join(device["name"].split()), line)
            address = bus_id(device["bus"])
            if address is not None:
                self._add("gpu-bus-id", self._gpu, address, line)
            self._load(text, line)
            return Use.USED
        if self._gpu is not None and "|" in text and shapes.LOAD.search(text):
            self._load(text, line)
            return Use.USED
        return Use.IGNORED if shapes.FRAME.match(text) else Use.NOT_MINE

    def _load(self, text: str, line: Line) -> None:
        """Whatever of a GPU's two rows is in this line."""
        assert self._gpu is not None
        for attribute, pattern, convert in shapes.CELLS:
            found = pattern.search(text)
            if found is not None:
                self._add(attribute, self._gpu, convert(found[1]), line)

    def _process(self, text: str, line: Line) -> Use:
        if shapes.NO_PROCESS.match(text):
            self._add("gpu-processes-listed", NODE, 0, line)
            return Use.USED
        found = shapes.PROCESS.match(text)
        if found is None:
            return Use.IGNORED if shapes.FRAME.match(text) or shapes.PROCESS_WORDS.match(text) else Use.NOT_MINE
        part = Part("process", found["pid"])
        self._add("process-name", part, found["name"].rsplit("/", 1)[-1], line)
        self._add("process-gpu", part, found["gpu"], line)
        if found["memory"]:
            self._add("process-gpu-memory", part, int(found["memory"]) << 20, line)
        return Use.USED

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = MxSmi
