"""``npu-smi info`` of Ascend: two rows for each chip, its health in the first::

    | npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
    | NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
    | Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
    | 1     910B3               | Alarm         | 93.8        44                0    / 0             |
    | 0                         | 0000:C2:00.0  | 0           0    / 0          3354 / 65536         |

A card with two chips has two pairs of rows; they are named ``1`` and ``1/1``.

Source: the manual of npu-smi 23.0 to 25.2; Health is OK, Warning, Alarm, Critical or UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, reading
from slowlink.patterns import regex

GAP = 12
_TITLE = regex(
    r"\s{0,8}\|\s{1,4}npu-smi (?P<smi>[\w.-]{1,30})\s{1,80}Version:\s{1,8}(?P<driver>[\w.-]{1,30})\s{1,80}\|\s*"
)
_HEAD = regex(
    r"\s{0,8}\|\s{1,4}(?:NPU\s{1,8}Name\s{1,60}\| Health\s|Chip\s{1,40}(?:Device\s{1,40})?\| Bus-Id\s).{0,120}"
)
_FIRST = regex(
    r"\s{0,8}\|\s{1,4}(?P<npu>\d{1,3})\s{1,12}(?P<name>[A-Za-z\d][\w-]{1,30})\s{1,60}\|\s{1,4}(?P<health>[A-Za-z]{2,12})"
    r"\s{1,20}\|\s{1,4}(?P<power>[\d.]{1,8}|NA|-)\s{1,20}(?P<temperature>\d{1,4}|NA|-)\s.{0,60}\|\s*"
)
_SECOND = regex(
    r"\s{0,8}\|\s{1,4}(?P<chip>\d{1,3})(?:\s{1,12}\d{1,3})?\s{1,60}\|\s{1,4}(?P<bus>[0-9A-Fa-f:.]{3,16}|NA)\s{1,20}\|"
    r"\s{1,4}(?P<load>\d{1,3}|NA|-)\s(?P<sizes>.{0,80})\|\s*"
)
_SIZE = regex(r"(?P<used>\d{1,8})\s{0,6}/\s{0,6}(?P<total>\d{1,8})")
_FRAME = regex(r"\s{0,8}\+[-=+]{20,160}\+\s*")
_MIB = 1 << 20


class NpuSmi:
    """Readings of each chip."""

    kind: ClassVar[str] = "npu-smi"
    literals: ClassVar[Literals] = Literals(("| ", "+-", "+="))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._last = -GAP
        self._chip: Part | None = None
        self._seen: dict[str, int] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_TITLE, _HEAD, _FIRST, _SECOND, _FRAME))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        title = _TITLE.fullmatch(text)
        if title is not None:
            self._seen, self._chip = {}, None
            self._add("driver-version", NODE, title["driver"], line)
            return self._known(line, Use.USED)
        if _HEAD.fullmatch(text) is not None:
            return self._known(line, Use.IGNORED)
        if line.no - self._last > GAP:
            return Use.NOT_MINE
        if _FRAME.fullmatch(text) is not None:
            return self._known(line, Use.IGNORED)
        return self._row(text, line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _known(self, line: Line, use: Use) -> Use:
        self._last = line.no
        return use

    def _row(self, text: str, line: Line) -> Use:
        first = _FIRST.fullmatch(text)
        if first is not None:
            count = self._seen[first["npu"]] = self._seen.get(first["npu"], -1) + 1
            self._chip = Part("gpu", f"{first['npu']}/{count}" if count else first["npu"])
            self._add("gpu-name", self._chip, f"Ascend {first['name']}", line)
            self._add("gpu-state", self._chip, first["health"], line)
            self._number("gpu-power", first["power"], line)
            self._number("gpu-temperature", first["temperature"], line)
            return self._known(line, Use.USED)
        second = _SECOND.fullmatch(text)
        if second is None or self._chip is None:
            return Use.NOT_MINE
        if (address := bus_id(second["bus"])) is not None:
            self._add("gpu-bus-id", self._chip, address, line)
        self._number("gpu-utilisation", second["load"], line)
        sizes = [(int(size["used"]), int(size["total"])) for size in _SIZE.finditer(second["sizes"])]
        used, total = max(sizes, key=lambda size: size[1], default=(0, 0))
        if total:
            self._add("gpu-memory-used", self._chip, used * _MIB, line)
            self._add("gpu-memory-total", self._chip, total * _MIB, line)
        self._chip = None
        return self._known(line, Use.USED)

    def _number(self, attribute: str, text: str, line: Line) -> None:
        if self._chip is not None and text.replace(".", "", 1).isdecimal():
            self._add(attribute, self._chip, float(text), line)

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = NpuSmi
