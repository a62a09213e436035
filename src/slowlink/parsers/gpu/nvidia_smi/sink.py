"""Readings of one stream on their way out: bounded, and with the GPUs' names set right when a log is complete."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.gpu.nvidia_smi.values import Field


class Sink(Struct):
    """Collects the readings of one form, at most ``MAX_READINGS``; values that are None are dropped."""

    found: list[Reading] = field(default_factory=list)

    def take(self, attribute: str, part: Part, value: Value | None, line: Line) -> bool:
        """Keep a value; False when there is none."""
        if value is None:
            return False
        if MAX_READINGS.has_room(len(self.found)):
            self.found.append(reading(attribute, part, value, line))
        return True

    def field(self, known: Field, part: Part, text: str, line: Line) -> bool:
        """Keep what a field says of ``part``, or of the node."""
        return self.take(known.attribute, NODE if known.attribute in OF_NODE else part, known.convert(text), line)


OF_NODE = frozenset({"driver-version", "cuda-version", "gpu-count"})


def gpu(name: str) -> Part:
    """The part of a GPU: its index, or its PCI address."""
    return Part("gpu", name)


class GpuLog(Struct):
    """Readings of one ``-q`` log. Its GPUs are named by PCI address; those are the order of the index."""

    readings: Sink = field(default_factory=Sink)
    line: int = 0
    """Where it begins; 0 where its first lines are not there."""
    attached: int | None = None
    gpus: list[str] = field(default_factory=list)
    """PCI addresses in order of appearance."""

    def begin(self, address: str) -> Part:
        """A GPU's block begins; returns the GPU as a part, named by its PCI address."""
        if address not in self.gpus and len(self.gpus) < 1024:
            self.gpus.append(address)
        return gpu(address)

    def missing(self) -> str:
        """In words, that it says of itself that it should show more GPUs; "" where it does not."""
        if not self.line or self.attached is None or len(self.gpus) >= self.attached:
            return ""
        return (
            f"the output of nvidia-smi in line {self.line:,} says that {self.attached} GPUs are attached, and shows "
            f"{len(self.gpus)}: cut, or only these were asked for"
        )

    def settle(self) -> list[Reading]:
        """All readings; where every attached GPU has its block, each is named by its index."""
        if self.attached is None or self.attached != len(self.gpus):
            return self.readings.found
        names = {address: str(index) for index, address in enumerate(self.gpus)}
        return [_renamed(each, names) for each in self.readings.found]


def _renamed(each: Reading, names: dict[str, str]) -> Reading:
    if each.attribute == "process-gpu" and each.value in names:
        return replace(each, value=names[str(each.value)])
    if each.part.kind == "gpu" and each.part.name in names:
        return replace(each, part=gpu(names[each.part.name]))
    return each
