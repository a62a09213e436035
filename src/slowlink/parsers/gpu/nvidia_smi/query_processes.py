"""The processes that ``nvidia-smi -q`` lists below a GPU: a field a line, the name without its arguments."""

from __future__ import annotations

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.gpu.nvidia_smi.sink import Sink
from slowlink.parsers.gpu.nvidia_smi.values import program, size


class ProcessBlock:
    """The process whose id came last: the fields that follow are about it."""

    def __init__(self) -> None:
        self._process: Part | None = None

    def feed(self, label: str, value: str, gpu: Part, line: Line, out: Sink) -> Use:
        """Take the field ``label`` of a process on ``gpu``, and put what it says into ``out``."""
        if label in ("Process ID", "pid"):
            named = value.isascii() and value.isdecimal() and len(value) < 11
            self._process = Part("process", value) if named else None
            if self._process is not None:
                out.take("process-gpu", self._process, gpu.name, line)
            return Use.USED
        if self._process is None:
            return Use.IGNORED
        used = False
        if label in ("Name", "process_name"):
            used = out.take("process-name", self._process, program(value), line)
        elif label in ("Used GPU Memory", "used_memory"):
            used = out.take("process-gpu-memory", self._process, size(value), line)
        return Use.USED if used else Use.IGNORED
