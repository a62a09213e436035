"""The first line of ``mpstat``, ``iostat``, ``pidstat`` and ``sar``: kernel, node, day and number of processors::

    Linux 5.14.0-427.13.1.el9_4.x86_64 (gpu01) \t06/14/2026 \t_x86_64_\t(112 CPU)

Their rows name no node; where nothing else did, this line names it for what follows.

Source: sysstat 10.0 to 12.7.9 (``print_gal_header`` of ``common.c``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.patterns import regex

MAX_BANNERS = Limit(50_000, "first lines of samplers")
_BANNER = regex(
    r"\s{0,8}Linux (?P<release>\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+~-]{0,80}) \((?P<host>[A-Za-z][\w.-]{0,80})\)\s{1,8}"
    r"[\d./-]{6,10}\s{1,8}_\w{2,20}_\s{1,8}\((?P<count>\d{1,5}) CPU\)\s*"
)
_NOBODY = ("localhost", "none")


class SysstatBanner:
    """Gives kernel and number of processors, and a ``Collected`` that names the node."""

    kind: ClassVar[str] = "sysstat-banner"
    literals: ClassVar[Literals] = Literals((" CPU)",))

    def __init__(self) -> None:
        self._found: list[Collected | Reading] = []
        self.place: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return text.rstrip().endswith(" CPU)") and _BANNER.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        banner = _BANNER.fullmatch(line.text)
        if banner is None:
            return Use.NOT_MINE
        if not MAX_BANNERS.has_room(len(self._found)):
            return Use.IGNORED
        host = banner["host"]
        if line.host is None and host not in _NOBODY:
            self.place = host
            self._found.append(Collected("prompt", "ran", "", line.ref(), host))
        self._found.append(reading("kernel-release", NODE, banner["release"], line))
        self._found.append(reading("cpu-count", NODE, int(banner["count"]), line))
        return Use.USED

    def finish(self) -> Iterable[Collected | Reading]:
        return self._found


PARSER = SysstatBanner
