"""What tools say where a node has no RDMA device: each has words of its own for it, or none::

    ls: cannot access '/sys/class/infiniband': No such file or directory
    ibpanic: [4711] main: can't init UMAD library: (No such file or directory)
    Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)
    0 HCAs found:

ibv_devices prints a heading and no row; ibstat, ``rdma link`` and ``ls`` print nothing at all. A prompt directly below
says so: an output that ends there may have been cut. "No IB devices found" is what ibv_devinfo and perftest print.

Source: rdma-core 36 to 61 (``libibverbs/examples``, ``infiniband-diags/ibstat.c`` and ``scripts/ibstatus``), iproute2.
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

_SAYS = regex(
    r"\s{0,20}(?:.{0,60}\bls: (?:cannot access |cannot open directory )?['\"]?/sys/class/infiniband(?:_verbs)?/?['\"]?:"
    r" No such file|(?:No IB devices found|Did not detect devices)\s{0,8}$"
    r"|ibpanic: \[\d{1,9}\] \w{1,40}: can't (?:init UMAD library|list IB device names)"
    r"|Fatal error: {1,4}device '\*': sys files not found|(?P<count>\d) HCAs found:)"
)
_RULER = regex(r"\s{0,20}-{6}\s{2,40}-{16}\s{0,8}")
"""The last line of the heading of ibv_devices."""
_ASKED = regex(
    r".{0,160}[#$%>] (?:sudo )?(?:ibstat(?: -[lps])?|ibv_devinfo -l|ibdev2netdev(?: -v)?|rdma (?:link|dev)(?: show)?"
    r"|ls (?:-[1A] )?/sys/class/infiniband(?:_verbs)?/?)\s{0,8}"
)
_PROMPT = regex(
    r"\s{0,8}(?:\([\w. -]{1,40}\) )?(?:\[[\w.-]{1,64}@[^\]]{1,160}\] ?[#$%]"
    r"|[\w.-]{1,64}@[\w.-]{1,80}:[^\s#$%]{0,200} ?[#$%])(?: |$)"
)


class NoHcas:
    """Readings of nodes that count no RDMA device."""

    kind: ClassVar[str] = "hca-none"
    literals: ClassVar[Literals] = Literals(
        (
            *("/sys/class/infiniband", "ibpanic:", "sys files not found", "HCAs found:", "------ ", "------\t"),
            *(
                "No IB devices",
                "Did not detect",
                " ibstat",
                " ibdev2netdev",
                " rdma link",
                " rdma dev",
                " ibv_devinfo -l",
            ),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._asked: Line | None = None
        """A question, or the heading of a list, directly above this line."""

    @staticmethod
    def wants(text: str) -> bool:
        return len(text) < 400 and bool(_SAYS.match(text) or _RULER.fullmatch(text) or _ASKED.fullmatch(text))

    @property
    def greedy(self) -> bool:
        return self._asked is not None

    def feed(self, line: Line) -> Use:
        above, self._asked = self._asked, None
        if above is not None and line.no == above.no + 1 and _PROMPT.match(line.text):
            self._add(above)
        said = _SAYS.match(line.text)
        if said is not None and said["count"] in (None, "0"):
            self._add(line)
            return Use.USED
        if _RULER.fullmatch(line.text) or _ASKED.fullmatch(line.text):
            self._asked = line
        return Use.NOT_MINE  # the heading is the list's, and the question a prompt

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("hca-count", NODE, 0, line))


PARSER = NoHcas
