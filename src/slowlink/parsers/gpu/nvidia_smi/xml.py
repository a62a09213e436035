"""``nvidia-smi -q -x``, read element by element, so that a cut, torn or differently indented document is read as far as
it goes. It needs no XML parser: the format has no attributes but the GPU's address, and no mixed content.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id
from slowlink.parsers.forms.xml_trees import not_closed
from slowlink.parsers.gpu.nvidia_smi.named import named
from slowlink.parsers.gpu.nvidia_smi.query_processes import ProcessBlock
from slowlink.parsers.gpu.nvidia_smi.sink import GpuLog, gpu
from slowlink.parsers.gpu.nvidia_smi.values import count
from slowlink.patterns import regex

_OF_LOG = named("xml_log")
_FIELDS = named("xml")
"""Elements of a GPU, by the names of the last ones: ``clocks/sm_clock``."""

MAX_DEPTH = 40
MAX_CHARACTERS = 2_000_000
"""Of one line: the whole document of 16 GPUs in one line is shorter."""
_TAG = regex(r"<(/?)([A-Za-z_][\w.-]{0,80})([^<>]{0,200})>")
_ADDRESS = regex(r'id="([0-9A-Fa-f:.]{7,20})"')
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_ROOT = "nvidia_smi_log"
_SLICES = "mig_devices"


class Xml:
    """Holds the path of open elements and the text of the innermost one; reads an element when it closes."""

    marks: ClassVar[tuple[str, ...]] = ("\n<",)

    def __init__(self) -> None:
        self.unfinished = ""
        self._found: list[Reading] = []
        self._log: GpuLog | None = None
        self._gpu: Part | None = None
        self._path: list[str] = []
        self._text = ""
        """Text of the innermost element so far."""
        self._processes = ProcessBlock()

    @staticmethod
    def wants(text: str) -> bool:
        return "<" in text and text.lstrip()[:1] == "<"

    @property
    def open(self) -> bool:
        """Are we inside a document?"""
        return self._log is not None

    def feed(self, line: Line) -> Use:
        text = line.text[:MAX_CHARACTERS]
        if self._log is None:
            at = text.find(f"<{_ROOT}")
            if at < 0:
                ours = text.lstrip().startswith("<?xml") or "nvsmi_device" in text
                return Use.IGNORED if ours else Use.NOT_MINE
            text = text[at:]
        use = Use.IGNORED
        end = 0
        for tag in _TAG.finditer(text):
            self._text += text[end : tag.start()]
            end = tag.end()
            use = self._close(tag[2], line, use) if tag[1] else self._start(tag[2], tag[3], line, use)
        self._text = (self._text + text[end:])[:400]
        return use

    def finish(self) -> list[Reading]:
        self._end()
        return self._found

    def _start(self, name: str, attributes: str, line: Line, use: Use) -> Use:
        if name == _ROOT:
            self._end()
            self._log = GpuLog(line=line.no)
            self._path = []
        elif self._log is None or attributes.endswith("/"):
            return use
        elif name == "gpu" and not self._path:
            found = _ADDRESS.search(attributes)
            address = bus_id(found[1]) if found else None
            self._gpu = self._log.begin(address) if address else None
            if self._gpu is not None:
                self._log.readings.take("gpu-bus-id", self._gpu, address, line)
                use = Use.USED
            self._processes = ProcessBlock()
            self._path.append(name)
            return use
        elif len(self._path) < MAX_DEPTH:
            self._path.append(name)
        self._text = ""
        return use

    def _close(self, name: str, line: Line, use: Use) -> Use:
        if self._log is None:
            return use
        if name == _ROOT:
            self._end(closed=True)
            return use
        if name not in self._path:
            return use
        while self._path[-1] != name:
            self._path.pop()
        taken = self._take(_plain(self._text), line)
        self._path.pop()
        self._text = ""
        if name == "gpu" and not self._path:
            self._gpu = None
        return Use.USED if taken else use

    def _take(self, value: str, line: Line) -> bool:
        """The innermost element is complete: keep its value. False when it says nothing that is asked for."""
        log, path = self._log, self._path
        assert log is not None
        if len(path) == 1:
            known = _OF_LOG.get(path[0])
            if path[0] == "attached_gpus":
                log.attached = count(value)
            return known is not None and log.readings.field(known, gpu(""), value, line)
        if self._gpu is None or path[0] != "gpu" or path[1] == _SLICES:
            return False
        if path[1] == "processes":
            return self._processes.feed(path[-1], value, self._gpu, line, log.readings) is Use.USED
        for depth in (3, 2):
            known = _FIELDS.get("/".join(path[-depth:])) if len(path) > depth else None
            if known is not None:
                return log.readings.field(known, self._gpu, value, line)
        known = _FIELDS.get(path[-1]) if len(path) == 2 else None
        return known is not None and log.readings.field(known, self._gpu, value, line)

    def _end(self, *, closed: bool = False) -> None:
        if self._log is not None:
            # A document that is closed and shows fewer GPUs than there are was asked for these.
            self.unfinished = self.unfinished or ("" if closed else not_closed(self._log.line))
            if MAX_READINGS.has_room(len(self._found)):
                self._found.extend(self._log.settle())
        self._log = self._gpu = None
        self._path = []
        self._text = ""


def _plain(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text.strip()
