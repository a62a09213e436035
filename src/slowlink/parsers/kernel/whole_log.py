"""Whether a kernel log is whole: it begins with the first line of the kernel's start, and nobody picked lines::

    root@gpu01:~# dmesg
    [    0.000000] Linux version 6.8.0-31-generic (build@host) (gcc 13.2.0)

What a whole log does not tell of did not happen since the start; of lines that ``grep``, ``head`` or ``tail`` left
nobody knows that. A log without a command above it is whole where it is the first thing in its file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_COMMAND = regex(
    r".{0,120}(?:[#$%>❯] |^)(?:sudo )?(?:dmesg(?: -[THkLx]{1,4}| --ctime| --human| --color=\w{4,6}){0,3}"
    r"|journalctl(?: -[kb0]{1,2}| --dmesg| --boot| --no-pager| -o short-\w{2,12}){1,4})\s{0,8}"
)
_START = regex(r"(?:kernel: )?\[\s{0,8}0\.000000\] Linux version \d")


class WholeLog:
    """The first line of a kernel's start, right below a command that prints everything."""

    kind: ClassVar[str] = "kernel"
    literals: ClassVar[Literals] = Literals(("dmesg", "journalctl", "Linux version "))
    reads_beside: ClassVar[bool] = True

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._begin = 1
        """Number of the line that would be the first of a whole log."""

    @staticmethod
    def wants(text: str) -> bool:
        return _COMMAND.fullmatch(text) is not None or _START.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _START.match(line.text) is None:
            self._begin = line.no + 1
        elif line.no == self._begin and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("kernel-log-whole", NODE, True, line))
        return Use.NOT_MINE  # others read what these lines say

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = WholeLog
