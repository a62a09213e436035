"""What samplers print in rows of numbers: ``vmstat``, ``mpstat``, ``sar -u``, ``iostat`` and ``iostat -x``::

     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
    44 31 8321888 1502210   112 811064 91204 120312 93012 120512 241021 560211 38 24  2 36  0

    02:11:40 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
    02:11:41 PM  all   41.12    0.00    6.03    0.00    0.00    1.26   32.41    0.00    0.00   19.18

    Device            r/s     rkB/s ... r_await ... w_await ...  aqu-sz  %util

A heading names the columns; the rows below it have one word for each, and a time of day in front where the heading
has one. ``vmstat -t`` puts date and time behind the row, ``-h`` of sysstat the device behind it and units into it. The
first row of vmstat and the first report of iostat are averages since the node was started: rules look at what most
rows say.

Source: procps-ng 3.3.0 to 4.0.6 (``vmstat.c``), sysstat 10.0 to 12.7.9 (``mpstat.c``, ``iostat.c``, ``pr_stats.c``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_TIME = regex(r"\s{0,8}(?:\d\d:\d\d:\d\d(?: [AP]M)?|\d{1,2}[./]\d\d[./]\d{2,4} .{1,12}|Average:)\s+")
_HEADINGS = (
    ("r", "b", "swpd", "free", "buff", "cache", "si", "so", "us", "sy", "id", "wa"),
    ("r", "b", "swpd", "free", "inact", "active", "si", "so", "us", "sy", "id", "wa"),
    ("CPU", "%iowait", "%steal", "%idle"),
    ("avg-cpu:", "%iowait", "%steal", "%idle"),
    ("Device", "%util"),
    ("Device:", "%util"),
    ("DEV", "%util"),
    ("Device", "r_await", "%rrqm"),
    ("Device", "w_await", "%wrqm"),
    ("Device", "tps"),
    ("Device:", "tps"),
)
_ABOVE = regex(
    r"\s{0,4}-{0,2}procs-{0,2} -{4,30}memory-{4,30} -{2,4}swap-{2,4} .{1,80}"
    r"|\d\d/\d\d/(?:\d\d){1,2} \d\d:\d\d:\d\d(?: [AP]M)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{2}:?\d{2}"
    r"|Linux \S{1,60} \(\S{1,80}\)\s+\d{1,4}[-/.]\d\d[-/.]\d{2,4}\s+_\w{1,16}_\s+\(\d{1,5} CPU\)\s*"
)
_MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_NUMBERS = regex(
    r"\s{0,12}(?:(?!-?\d)\S{1,24}\s{1,24})?(?:-?\d{1,20}(?:[.,]\d{1,3})?[kMGTP%]?(?:\s{1,24}|$)){4,30}"
    rf"(?:[a-z][\w.-]{{1,40}}|{_MOMENT})?"
)
_BEHIND = regex(rf" {_MOMENT}\s*$")
_OF_NODE = {
    "wa": "cpu-io-wait",
    "%iowait": "cpu-io-wait",
    "st": "cpu-stolen",
    "%steal": "cpu-stolen",
    "id": "cpu-idle",
    "%idle": "cpu-idle",
}
_OF_DEVICES = ("Device", "Device:", "DEV")
_OF_DISK = {"%util": "disk-busy", "await": "disk-wait", "r_await": "disk-wait-reading", "w_await": "disk-wait-writing"}


class SamplesTable:
    """Remembers the columns of the last heading; a row that does not fit ends the table."""

    kind: ClassVar[str] = "samples"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        (
            "procs -",
            "procs--",
            " swpd ",
            "%iowait",
            "%util",
            " tps ",
            "\nLinux ",
            " 0 0",
            "  0  ",
            "0% ",
            "r/s ",
            " 0,0",
            "\n0/0/0 0:0:0",
            "\n0-0-0",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: tuple[str, ...] = ()

    @staticmethod
    def wants(text: str) -> bool:
        return (
            _ABOVE.fullmatch(text) is not None
            or bool(_columns(text))
            or ("\t" not in text and _NUMBERS.fullmatch(_timeless(text)) is not None)  # they print blanks
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = _timeless(line.text)
        if _ABOVE.fullmatch(line.text):
            return Use.IGNORED
        columns = _columns(line.text)
        if columns:
            self._columns = columns
            return Use.IGNORED
        words = (_BEHIND.sub(" -", text) if self._columns[:1] == ("r",) else text).split()
        if self._columns[:1] == ("avg-cpu:",):
            words = ["avg-cpu:", *words]
        if not self._columns or len(words) != len(self._columns):
            self._columns = ()
            return Use.NOT_MINE
        return self._row(dict(zip(self._columns, words, strict=True)), line)

    def _row(self, cells: Mapping[str, str], line: Line) -> Use:
        device = next((cells[name] for name in _OF_DEVICES if name in cells), None)
        if device is not None:
            found = {name: value for name, value in _numbers(cells, _OF_DISK) if name != "disk-busy" or value <= 100.5}
            return self._keep(found, Part("disk", device), line)
        if cells.get("CPU", "all") != "all":
            soft = dict(_numbers(cells, {"%soft": "cpu-soft-interrupts"}))
            return self._keep(soft, Part("cpu", cells["CPU"]), line) if cells["CPU"].isdecimal() else Use.IGNORED
        found = dict(_numbers(cells, _OF_NODE))
        if "si" in cells:
            found["swap-rate"] = sum(value for _, value in _numbers(cells, {"si": "in", "so": "out"}))
        return self._keep(found, NODE, line)

    def _keep(self, found: Mapping[str, float], part: Part, line: Line) -> Use:
        for attribute, value in found.items():
            if MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading(attribute, part, value, line))
        return Use.USED if found else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _timeless(text: str) -> str:
    time = _TIME.match(text)
    return text[time.end() :] if time is not None else text


def _columns(text: str) -> tuple[str, ...]:
    """The names of a heading's columns, without its time of day; nothing for another line."""
    if "%" not in text and "swpd" not in text and "tps" not in text:
        return ()
    words = tuple(_timeless(text[:600]).split())
    stands = words[:1] and (words[0] in _FIRST or words[-1] in _OF_DEVICES)
    return words if stands and any(set(needed) <= set(words) for needed in _HEADINGS) else ()


_FIRST = frozenset(needed[0] for needed in _HEADINGS)


def _numbers(cells: Mapping[str, str], names: Mapping[str, str]) -> Iterable[tuple[str, float]]:
    for column, name in names.items():
        cell = cells.get(column, "").replace(",", ".").removesuffix("%")
        if cell.replace(".", "", 1).isdecimal() and len(cell) < 20:
            yield name, float(cell)


PARSER = SamplesTable
