"""Processes that take processors or wait inside the kernel: the tables of ``ps``, ``top`` and ``pidstat``::

    USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
    bob       777012 6381 59.8 1028841172 316033000 ? Rl  Nov21 9112:11 ./xhpl

        PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
        412 root      20   0       0      0      0 R 100.0   0.0  99:41.70 kswapd0

      41022   40990 Dl   nfs_wait_bit_killable            python train.py

Only those that take a processor's time (``process-share``, in percent of one core, and whose it is) and those
in uninterruptible sleep whose place in the kernel is told (``wchan``) are kept. ``pidstat -h`` marks its heading by a
``#``, and names the time as a column of its own. top's own lines say how many tasks run, and how idle all processors
are.

Source: procps-ng 3.3.0 to 4.0.6 (``ps/output.c``, ``top/top.c``), sysstat 10.0 to 12.7.9 (``pidstat.c``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, anywhere, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_LEAST_PERCENT = 50.0
"""Of one core: what takes less keeps no rank from its work."""
_TIME = regex(r"\s{0,8}(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)\s+")
_NAMES = ("COMMAND", "Command", "CMD")
_TASKS = regex(
    r"(?P<what>Tasks|Threads):\s+\d{1,8} total,\s+(?P<running>\d{1,8}) running,.{0,80}"
    r"|%?Cpu(?P<which>\(s\)|\d{0,4})\s*:\s*(?P<user>[\d.,]{1,8})[ %]us,\s*(?P<system>[\d.,]{1,8})[ %]sy,.{0,120}"
)
_IDLE = regex(r"[\s,](?P<idle>\d{1,3}[.,]\d)[ %]id\b")
_AMOUNT = r"\d{1,12}(?:[.,]\d{1,3})?[kmgtp]?\s{1,16}"
_ROWS = (
    regex(
        rf"\s{{0,8}}\S{{1,40}}\s{{1,16}}\d{{1,9}}\s{{1,16}}(?:{_AMOUNT}){{4}}\S{{1,12}}\s{{1,16}}[RDSTtZIX][<NLsl+]{{0,5}}\s"
    ),
    regex(
        rf"\s{{0,8}}\d{{1,9}}\s\S{{1,40}}\s{{1,16}}(?:rt|-?\d{{1,3}})\s{{1,8}}-?\d{{1,3}}\s{{1,16}}(?:{_AMOUNT}){{3}}[RDSTtZI]\s"
    ),
    regex(
        rf"\s{{0,8}}(?:\d{{10}}\s{{1,16}})?(?:\d{{1,9}}|[a-z_]\S{{0,31}})\s{{1,16}}\d{{1,9}}\s{{1,16}}(?:{_AMOUNT}){{4,6}}"
        r"(?:\d{1,4}|-)\s{1,8}\S"
    ),
    regex(
        r"\s{0,8}(?:[a-z_]\S{0,31}\s{1,16})?(?:\d{1,9}\s{1,16}){1,2}(?:[a-z_]\S{0,31}\s{1,16})?"
        r"\d{1,5}(?:[.,]\d)?\s{1,8}\d{1,3}[.,]\d\s{1,8}\S"
    ),
    regex(
        r"\s{0,8}(?:[a-z_]\S{0,31}\s{1,16})?(?:\d{1,9}\s{1,16}){1,2}[\[./A-Za-z_]\S{0,120}(?: .{0,300})?"
        r"\s\d{1,3}[.,]\d\s{1,8}\d{1,5}(?:[.,]\d)?\s{0,8}$"
    ),
)
"""How the rows of ``ps aux``, ``top`` and ``pidstat`` begin, and those of ``ps -eo`` with %CPU and %MEM in
either order, before the command or behind it."""
_WAITING = regex(
    r"\s{0,12}\d{1,9}\s+(?:\d{1,9}\s+)?D[<NLsl+]{0,5}\s+(?P<where>[a-z_][\w.]{3,48})\s+(?P<command>\S.{0,400})"
)


class ProcessList:
    """Remembers the columns of the last heading."""

    kind: ClassVar[str] = "processes"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        (
            "%CPU",
            " WCHAN",
            "0   ",
            "\nTasks:",
            "\nThreads:",
            "Cpu(s)",
            "Cpu0",
            "0 0 ",
            "0  0",
            " 0 0\n",
            " D ",
            " Dl",
            " Ds",
            " D+",
            " D<",
            " DN",
            "0:0",
            "\nAverage:",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._columns: tuple[str, ...] = ()

    @staticmethod
    def gate() -> Gate:
        rows = at_start(*(rf"(?:{_TIME.pattern})?{each.pattern}" for each in _ROWS), _TASKS, _WAITING)
        return ("PID", anywhere(r"%CPU|WCHAN")), (rows,)

    @staticmethod
    def wants(text: str) -> bool:
        return bool(_columns(text)) or ("\t" not in text and _is_row(text))  # columns are parted by blanks

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        columns = _columns(line.text)
        if columns:
            self._columns = columns
            return Use.IGNORED
        if (summary := _TASKS.fullmatch(line.text)) is not None:
            return self._summary(summary, line)
        if self._columns:
            timed = _TIME.match(line.text) is not None and self._columns[0] == "Time"
            columns = self._columns[1:] if timed else self._columns
            cells = _cells(_timeless(line.text).split(), columns)
            if _is_pid(cells.get("PID", "")):
                return self._row(cells, line)
            self._columns = ()
        waits = _WAITING.fullmatch(line.text)
        if waits is None:
            return Use.NOT_MINE
        return self._waits(waits["where"], waits["command"], line)

    def _summary(self, told: re.Match[str], line: Line) -> Use:
        """top's lines about all tasks and all processors; those about one processor are not for the node."""
        if told["running"] is not None:
            return self._keep("tasks-running", NODE, int(told["running"]), line)
        idle = _IDLE.search(line.text) if told["which"] == "(s)" else None
        if idle is None:
            return Use.IGNORED
        return self._keep("cpu-idle", NODE, float(idle["idle"].replace(",", ".")), line)

    def _row(self, cells: Mapping[str, str], line: Line) -> Use:
        name = _name(next((cells[column] for column in _NAMES if column in cells), ""))
        state = cells.get("STAT", cells.get("S", ""))
        where = cells.get("WCHAN", "-")
        if state.startswith("D") and where not in ("-", "0", "?"):
            return self._waits(where, name, line)
        share = cells.get("%CPU", "").replace(",", ".")
        if not name or not share.replace(".", "", 1).isdecimal() or float(share[:12]) < _LEAST_PERCENT:
            return Use.IGNORED
        process = Part("process", f"{name} {cells['PID']}")
        if cells.get("USER"):
            self._keep("process-user", process, cells["USER"], line)
        return self._keep("process-share", process, float(share[:12]), line)

    def _waits(self, where: str, command: str, line: Line) -> Use:
        return self._keep("process-waits", Part("process", _name(command)), where, line)

    def _keep(self, attribute: str, part: Part, value: str | float, line: Line) -> Use:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


def _timeless(text: str) -> str:
    time = _TIME.match(text)
    return text[time.end() :] if time is not None else text


def _columns(text: str) -> tuple[str, ...]:
    """A heading's names; nothing for another line. The process and its name must be among them."""
    if "PID" not in text:
        return ()
    words = tuple(_timeless(text[:400]).removeprefix("#").split())
    named = sum(word in _NAMES for word in words) == 1
    return words if "PID" in words and named and ("%CPU" in words or "WCHAN" in words) else ()


def _cells(words: list[str], columns: tuple[str, ...]) -> dict[str, str]:
    """The cells of a row by column; empty for no row. A command has blanks: what stands behind it is counted from the
    end (``ps -eo pid,cmd,%mem,%cpu``)."""
    at = next(index for index, column in enumerate(columns) if column in _NAMES)
    behind = len(columns) - at - 1
    if len(words) < len(columns):
        return {}
    last = len(words) - behind
    return dict(zip(columns, (*words[:at], " ".join(words[at:last]), *words[last:]), strict=True))


def _is_row(text: str) -> bool:
    bare = _timeless(text)
    return any(row.match(bare) for row in _ROWS) or any(row.fullmatch(text) for row in (_TASKS, _WAITING))


def _is_pid(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _name(command: str) -> str:
    """``./xhpl -p`` to xhpl, ``[kswapd0]`` to kswapd0."""
    first = command.split()[0] if command.split() else ""
    return first.strip("[]").rpartition("/")[2].rstrip(":")[:40]


PARSER = ProcessList
