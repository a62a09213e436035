"""``nvidia-smi -q``, whole or any part of it: an outline in which deeper indentation belongs to the heading above.

A block without its GPU's line (somebody searched for one section) is read as well: its GPU is the one that the command
above asks for (``nvidia-smi -q -i 6 | grep Replays``), each time again, or else named ``?``, the next one with the same
field ``?2``. What is cut out with ``[...]`` leaves the GPU as it is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id
from slowlink.parsers.gpu.nvidia_smi.query_fields import FIELDS, OF_LOG, PLAIN, SECTIONS
from slowlink.parsers.gpu.nvidia_smi.query_processes import ProcessBlock
from slowlink.parsers.gpu.nvidia_smi.sink import GpuLog, gpu
from slowlink.parsers.gpu.nvidia_smi.values import count
from slowlink.patterns import regex

_GAP = 12
"""Lines without any of this format after which a block is over."""
_DEEPEST = 8
_TORN = "\0torn"
"""Stands among the fields below a heading when one came twice: the next heading is missing."""
_COMMAND = regex(r"(?<![\w.-])nvidia-smi(?P<options>(?:[ =](?![|;&<>])[^\s|;&<>]{1,80}){1,12})")
_OF_ONE = regex(r" (?:-i|--id)[ =](?P<index>\d{1,3}|(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])(?= |$)")
_QUERY = regex(r" (?:-q|--query)(?= |$)")
_TITLE = regex(r"={6,30} ?NVSMI LOG ?={6,30}")
_BLOCK = regex(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])")
_HEADING = regex(r"[A-Z][\w ./()-]{1,50}")
_ELIDED = regex(r"\[?(?:\.{2,6}|…)\]?|--")


_LONGEST_COMMAND = 2000
_FAILED = "Unknown Error"
"""What NVML says where it asked and got no answer; N/A is what a model does not have."""
_SENSORS = {"gpu-temperature": "temperature", "gpu-power": "power"}


class Query:
    """Follows the outline: which GPU and which headings stand above a field."""

    marks: ClassVar[tuple[str, ...]] = (
        *(" : ", " :\n", "\nGPU ", "\n..", "\n[.."),
        *("\n…", "\n[…", "\n--\n", "\n===", "\n ", "nvidia-smi -", "nvidia-smi --"),
    )

    def __init__(self) -> None:
        self.unfinished = ""
        self._found: list[Reading] = []
        self._log = GpuLog()
        self._part: Part | None = None
        self._stack: list[tuple[int, str, bool]] = []
        """Open headings: indentation, words, and whether it was a field with a value of its own."""
        self._margin = 0
        self._last = -_GAP
        self._heading = 0
        """How many headings and GPUs have gone by: fields with the same count stand below the same one."""
        self._told: tuple[int, set[str]] = (0, set())
        """``_heading`` when the set was begun, and the fields that were read since."""
        self._seen: dict[str, int] = {}
        """How often a field was read without a GPU's line."""
        self._asked: Part | None = None
        """The one GPU that the last command asks for."""
        self._processes = ProcessBlock()

    @staticmethod
    def wants(text: str) -> bool:
        if "nvidia-smi -" in text and _COMMAND.search(text[:_LONGEST_COMMAND]) is not None:
            return True
        body = text.strip()
        if not body or len(text) > 240:
            return False
        if " : " in text or body.endswith(" :"):
            return body[0].isupper() or body.startswith("vGPU")
        if _BLOCK.fullmatch(body) is not None or _ELIDED.fullmatch(body) is not None:
            return True
        return _HEADING.fullmatch(body) is not None if text[0] == " " else body.startswith("===")

    @property
    def open(self) -> bool:
        """Do lines stand below a GPU?"""
        return self._part is not None

    def pass_by(self, line: Line) -> None:
        """A line of another form went by."""
        if line.no - self._last > _GAP:
            self._close()

    def feed(self, line: Line) -> Use:
        self.pass_by(line)
        text = line.text
        if "nvidia-smi -" in text:
            self._asked = asked_for(text)
            return Use.NOT_MINE  # a prompt
        body = text.strip()
        use = self._take(line, body, len(text) - len(text.lstrip()))
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> list[Reading]:
        self._end_log()
        return self._found

    def _take(self, line: Line, body: str, indent: int) -> Use:
        label, value = _split(body)
        if value is None and _TITLE.fullmatch(body):
            self._end_log()
            self._log.line = line.no
            return Use.IGNORED
        block = _BLOCK.fullmatch(body) if value is None else None
        if block is not None:
            return self._begin_gpu(line, bus_id(block[1]) or block[1].lower(), indent)
        if value is not None and label in OF_LOG and (not self._stack or indent <= self._margin):
            return self._of_log(label, value, line)
        if label == "Timestamp" and value is not None and indent <= self._margin:
            if self._log.gpus:
                self._end_log()
            return Use.IGNORED
        if value is None and _ELIDED.fullmatch(body):
            self._stack.clear()
            return Use.IGNORED if self._open() else Use.NOT_MINE
        return self._inside(line, label, value, indent)

    def _of_log(self, label: str, value: str, line: Line) -> Use:
        if self._log.gpus:
            self._end_log()
        known = OF_LOG[label]
        if label == "Attached GPUs":
            self._log.attached = count(value)
        return Use.USED if self._log.readings.field(known, gpu(""), value, line) else Use.IGNORED

    def _begin_gpu(self, line: Line, address: str, indent: int) -> Use:
        if address in self._log.gpus and len(self._log.gpus) > 1:
            self._end_log()  # the same GPUs again: `nvidia-smi -q -l`
        self._heading += 1
        self._part = self._log.begin(address)
        self._margin = indent
        self._stack.clear()
        self._processes = ProcessBlock()
        self._log.readings.take("gpu-bus-id", self._part, address, line)
        self._log.line = self._log.line or line.no
        return Use.USED

    def _inside(self, line: Line, label: str, value: str | None, indent: int) -> Use:
        if self._part is not None and indent <= self._margin:
            self._close()
        while self._stack and self._stack[-1][0] >= indent:
            self._stack.pop()
        anonymous = self._part is None
        if anonymous and not self._stack and label not in (SECTIONS if value is None else PLAIN):
            return Use.NOT_MINE
        path = [words for _, words, has_value in self._stack if not has_value]
        if len(self._stack) < _DEEPEST:
            self._stack.append((indent, label, value is not None))
        if value is None:
            self._heading += 1
            return Use.IGNORED
        if path[:1] == ["Processes"] or path[-1:] == ["Processes"]:
            return self._processes.feed(label, value, self._part or gpu("?"), line, self._log.readings)
        return self._field(path, label, value, line)

    def _field(self, path: list[str], label: str, value: str, line: Line) -> Use:
        if path and path[0].startswith("MIG Device"):
            return Use.IGNORED  # memory and errors of a slice, not of the GPU
        key = _key_of(tuple(path[-2:]), label)
        if not key:
            return Use.IGNORED
        if path and self._again(key):
            return Use.IGNORED  # a heading between is missing, so that nobody knows whose value it is
        part = self._part or self._anonymous(key)
        sensor = _SENSORS.get(FIELDS[key].attribute) if value == _FAILED else None
        if sensor is not None:
            self._log.readings.take("gpu-sensors-failed", part, sensor, line)
            return Use.USED
        return Use.USED if self._log.readings.field(FIELDS[key], part, value, line) else Use.IGNORED

    def _again(self, key: str) -> bool:
        """Was this field, or one above it, read twice since the last heading?"""
        if self._told[0] != self._heading:
            self._told = self._heading, set()
        if key in self._told[1]:
            self._told[1].add(_TORN)
        self._told[1].add(key)
        return _TORN in self._told[1]

    def _anonymous(self, key: str) -> Part:
        if self._asked is not None:
            return self._asked
        times = self._seen[key] = self._seen.get(key, 0) + 1
        return gpu("?" if times == 1 else f"?{times}")

    def _open(self) -> bool:
        return self._part is not None or bool(self._stack) or bool(self._log.readings.found)

    def _close(self) -> None:
        self._part = None
        self._stack.clear()
        self._margin = 0

    def _end_log(self) -> None:
        self._close()
        self.unfinished = self.unfinished or self._log.missing()
        if MAX_READINGS.has_room(len(self._found)):
            self._found.extend(self._log.settle())
        self._log = GpuLog()
        self._seen = {}


def asked_for(text: str) -> Part | None:
    """The one GPU of which a command line wants the log; None where it wants that of all, of several, or none."""
    wanted = [c["options"] for c in _COMMAND.finditer(text[:_LONGEST_COMMAND]) if _QUERY.search(c["options"])]
    of_one = [_OF_ONE.search(options) for options in wanted]
    names = {found["index"] if found is not None else "" for found in of_one}
    name = names.pop() if len(names) == 1 else ""
    return gpu((bus_id(name) or name) if ":" in name else name) if name else None


@lru_cache(1 << 12)
def _key_of(path: tuple[str, ...], label: str) -> str:
    """The key in ``FIELDS`` of a field below these last headings, as many of them as it knows; "" where it has none."""
    for above in range(len(path)):
        key = "/".join((*path[above:], label))
        if key in FIELDS:
            return key
    return label if label in FIELDS and path in ((), ("PCI",)) else ""


def _split(body: str) -> tuple[str, str | None]:
    """``Persistence Mode    : Enabled`` to its label and value; (heading, None) for a line without a value."""
    label, mark, value = body.partition(" : ")
    if mark:
        return label.rstrip(), value.strip()
    if body.endswith(" :"):
        return body[:-2].rstrip(), ""
    return body, None
