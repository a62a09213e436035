"""ibtracert: the ports on the way between two ends, hop by hop.

Source: rdma-core, infiniband-diags/ibtracert.c. A hop says where a link of the node before it leads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
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


class Tracert:
    """Reads the routes of one stream."""

    kind: ClassVar[str] = "ibtracert"

    def __init__(self) -> None:
        self._found = Gathered()
        self._at = ""

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(("From ", "To ", "[")) and (
            _HOP.fullmatch(text) is not None or _END.fullmatch(text) is not None
        )

    @staticmethod
    def may_want(text: str) -> bool:
        return text.startswith(("From ", "To ", "["))

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


PARSER = Tracert
