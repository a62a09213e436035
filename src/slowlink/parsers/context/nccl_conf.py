"""What every job on a node gets from the files that the libraries read by themselves, as ``grep -H`` prints them::

    /etc/nccl.conf:NCCL_IB_DISABLE=1
    /root/.nccl.conf:#

A ``#`` says that the file sets nothing, or is not there (``collectors/host/nccl-conf.sh``). Nodes whose files differ
give the ranks of one job different settings.

Source: NCCL's documentation, "Environment Variables"; ``src/misc/param.cc`` of NCCL and RCCL.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.patterns import regex

MAX_LINES = Limit(100_000, "settings of nccl.conf")
_LINE = regex(
    r"(?P<file>(?:/[\w.-]{1,100}){0,10}/\.?nccl\.conf):\s{0,20}"
    r"(?:#|(?P<name>[NRM]CCL_[A-Z0-9_]{1,100})=(?P<value>.{0,500}?))\s{0,20}"
)


class NcclConf:
    """Gives each setting, and one reading for all that the files of a node say: lines that follow one another."""

    kind: ClassVar[str] = "nccl.conf"
    literals: ClassVar[Literals] = Literals(("nccl.conf:",))

    def __init__(self) -> None:
        self._settings: list[EnvSetting] = []
        self._nodes: list[tuple[Line, set[str]]] = []
        self._last = -1

    @staticmethod
    def wants(text: str) -> bool:
        return _LINE.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _LINE.fullmatch(line.text)
        if found is None:
            return Use.NOT_MINE
        if not MAX_LINES.has_room(len(self._settings) + len(self._nodes)):
            return Use.IGNORED
        if line.no != self._last + 1:
            self._nodes.append((line, set()))
        self._last = line.no
        if found["name"]:
            process = LogProcess(line.host, None)
            self._settings.append(EnvSetting(found["name"], found["value"], "dump", process, line.ref()))
            self._nodes[-1][1].add(f"{found['name']}={found['value']}")
        return Use.USED

    def finish(self) -> Iterable[EnvSetting | Reading]:
        said = (reading("nccl-conf", NODE, " ".join(sorted(each)) or "nothing", line) for line, each in self._nodes)
        return (*self._settings, *said)


PARSER = NcclConf
