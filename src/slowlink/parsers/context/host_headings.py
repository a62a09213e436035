"""A line that names a host above the sections that were collected there.

A loop over hosts, whose second heading ends what the first began::

    HOST=gpu07
    $ grep -H . /proc/sys/kernel/numa_balancing
    /proc/sys/kernel/numa_balancing:0
    HOST=gpu08
    $ grep -H . /proc/sys/kernel/numa_balancing
    /proc/sys/kernel/numa_balancing:1

Scripts that ask one host after the other print such headings; ``clush -b`` and ``dshbak -c`` draw two rulers around
the names of nodes, and Ansible writes ``gpu07 | CHANGED | rc=0 >>``. An environment dump has the same line as the
first form, and says where a shell ran, not where the next lines come from: so a heading, a prompt, a ruler or the
first line of a tool's output must follow directly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.forms.fronts.node_headings import ANSIBLE, RULER
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_HEADINGS = Limit(50_000, "headings")
_WORDS = ("HOST", "HOSTNAME", "Host", "Hostname", "host", "hostname", "NODE", "Node", "node")
_HOST = regex(
    rf"\s{{0,8}}(?:[=#*-]{{1,12}} ?)?(?:{'|'.join(_WORDS)}) ?[=:] {{0,4}}"
    r"(?P<host>[A-Za-z][\w.-]{0,80})(?: ?[=#*-]{1,12})?\s*$"
)
_GROUP = regex(r"(?P<hosts>[A-Za-z](?=[^\s]{0,200}\d)[\w.,\[\]-]{1,200})(?: \(\d{1,6}\))?\s{0,8}")
_FOLLOWS = regex(
    r"\s{0,8}(?:[=#*+-]{2,}|[$#>] ?\S|\[[\w.-]{1,64}@|hca_id:|CA '\w|Infiniband device '|GPU \d{1,3}: |NVIDIA-SMI)"
)
"""A prompt, a ruler, or the first line of a tool's output."""


class HostHeadings:
    """Gives one ``Collected`` for each heading: the host that the lines below it come from."""

    kind: ClassVar[str] = "host-headings"
    literals: ClassVar[Literals] = Literals(
        (
            *("-" * 15, " | CHANGED", " | SUCCESS", " | FAILED", " | UNREACHABLE"),
            *(f"{word}{behind}" for word in _WORDS for behind in ("=", ":", " =", " :")),
        )
    )

    def __init__(self) -> None:
        self._found: list[Collected] = []
        self._heading: Line | None = None
        self._ruler = 0
        """Where the last ruler of a gathered output stood."""
        self._group: Line | None = None
        self.place: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        if " | " in text and ANSIBLE.fullmatch(text) is not None:
            return True
        return RULER.fullmatch(text) is not None or _HOST.match(text) is not None

    @property
    def greedy(self) -> bool:
        return self._heading is not None or bool(self._ruler)

    def feed(self, line: Line) -> Use:
        before, self._heading = self._heading, None
        if " | " in line.text and (answer := ANSIBLE.fullmatch(line.text)) and MAX_HEADINGS.has_room(len(self._found)):
            self.place = answer["name"]
            self._found.append(Collected("prompt", "ran", "", line.ref(), answer["name"]))
            return Use.IGNORED
        if before is not None and before.no + 2 >= line.no and _FOLLOWS.match(line.text):
            found = _HOST.match(before.text)
            if found is not None and MAX_HEADINGS.has_room(len(self._found)):
                self.place = found["host"]
                self._found.append(Collected("prompt", "ran", "", before.ref(), found["host"]))
        if _HOST.match(line.text) is None:
            return self._gathered(line)
        self._heading = line
        return Use.IGNORED

    def _gathered(self, line: Line) -> Use:
        """Take a line of the block that ``clush -b`` and ``dshbak -c`` print: names of nodes between two rulers."""
        ruler, self._ruler = self._ruler, 0
        group, self._group = self._group, None
        if RULER.fullmatch(line.text):
            if group is None:
                self._ruler = line.no
            elif MAX_HEADINGS.has_room(len(self._found)):
                hosts = _GROUP.fullmatch(group.text)
                self.place = hosts["hosts"] if hosts else None
                self._found.append(Collected("prompt", "ran", "", group.ref(), hosts["hosts"] if hosts else None))
            return Use.IGNORED
        if ruler and line.no == ruler + 1 and _GROUP.fullmatch(line.text):
            self._group, self._ruler = line, line.no
            return Use.IGNORED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Collected]:
        return self._found


PARSER = HostHeadings
