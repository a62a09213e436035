"""The file in an archive of diagnostics that names its node: ``hostname``, ``etc/hostname``, sos' ``hostname``::

    node17.cluster

Archives of sosreport, must-gather and bug-report scripts hold what many tools printed, a file each; only this one
tells whose all of it is.

Source: sos 4.x (``report/plugins/host.py``), hostname(5).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Origin
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.patterns import regex

_NAME = regex(r"(?=[^A-Za-z]{0,80}[A-Za-z])[A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,62}){0,8}")
_FILE = regex(
    r"(?:^|.*[/!])(?:etc/hostname|sos_commands/\w{1,30}/hostname(?:_-\w)?|hostname(?:_-f|\.txt|\.log|\.out)?)"
)
NOBODY = frozenset({"localhost", "localhost.localdomain", "none", "unknown"})


class HostnameFiles:
    """The first line of such a file, where it is a name and nothing else."""

    kind: ClassVar[str] = "hostname"

    def __init__(self) -> None:
        self._found: list[Origin] = []

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_NAME),),)

    @staticmethod
    def wants(text: str) -> bool:
        return _NAME.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if line.no != 1 or line.text in NOBODY or _FILE.fullmatch(line.source) is None or not self.wants(line.text):
            return Use.NOT_MINE
        self._found.append(Origin(line.source, line.text, None, line.ref()))
        return Use.USED

    def finish(self) -> Iterable[Origin]:
        return self._found


PARSER = HostnameFiles
