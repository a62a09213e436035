"""ibtracert: the ports on the way between two ends, hop by hop.

The program is part of rdma-core (infiniband-diags/ibtracert.c)::

    From ca {0x0c42a10300aa0100} portnum 1 lid 21-21 "gpu01 mlx5_0"
    [1] -> switch port {0x0c42a10300aa1000}[1] lid 7-7 "leafa"
    [2] -> ca port {0x0c42a10300aa0200}[1] lid 22-22 "gpu02 mlx5_0"
    To ca {0x0c42a10300aa0200} portnum 1 lid 22-22 "gpu02 mlx5_0"

A hop begins with the port of the node before it, so each says where a link of that node leads. After a line that is cut
off, the next hop has no node to start from.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TYPES = r"(?:ca|switch|router|CA|Ca|Switch|Router)"
_END = regex(
    rf"(?P<end>From|To) {_TYPES} \{{?(?P<guid>0x[0-9a-f]{{1,16}})\}}? port(?:num)? (?P<port>\d{{1,3}})"
    r' lid \d{1,6}-\d{1,6} "(?P<name>.{0,160})"'
)
_HOP = regex(
    rf"\[(?P<out>\d{{1,3}})\] -> (?:{_TYPES} )?(?:port )?\{{?(?P<guid>0x[0-9a-f]{{1,16}})\}}?\[(?P<port>\d{{1,3}})\]"
    r'(?: lid \d{1,6}(?:-\d{1,6})? "(?P<name>.{0,160})")?'
)


class IbTracert:
    """The far end of each link on a route."""

    kind: ClassVar[str] = "ibtracert"
    literals: ClassVar[Literals] = Literals(("] -> ", "\nFrom ", "\nTo "))

    def __init__(self) -> None:
        self._found = Gathered()
        self._at = ""

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(("From ", "To ", "[")) and (
            _HOP.fullmatch(text) is not None or _END.fullmatch(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        end = _END.fullmatch(line.text)
        if end is not None:
            self._at = names.node_name(end["name"], end["guid"]) if end["end"] == "From" else ""
            return Use.USED
        hop = _HOP.fullmatch(line.text)
        if hop is None:
            return Use.NOT_MINE
        before, self._at = self._at, names.node_name(hop["name"] or "", hop["guid"])
        if not before:
            return Use.IGNORED
        peer = names.port(self._at, hop["port"])
        self._found.add("link-peer", names.port(before, hop["out"]), peer.name, line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = IbTracert
