"""``show_gids``: the GID table of every port.

It is a script of MLNX_OFED and DOCA that walks sysfs::

    DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
    ---     ----    -----   ---                                     ------------    ---     ---
    mlx5_0  1       0       fe80:0000:0000:0000:a288:c2ff:feaa:0010                 v1      ens3np0
    mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a01:0203 10.1.2.3        v2      ens3np0
    n_gids_found=2

Two columns are called DEV; the second is the network interface, and empty on InfiniBand. The column IPv4 is empty for
link-local GIDs, so cells cannot be counted from the left. A row shows by itself what it is: cut listings are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_ROW = regex(
    r"\s{0,40}(?P<device>[A-Za-z][\w.-]{1,40})\s{1,40}(?P<port>\d{1,3})\s{1,40}(?P<index>\d{1,4})\s{1,40}"
    r"(?P<gid>[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:\.\d{1,3}){0,3})"
    r"(?:\s{1,60}(?P<ipv4>\d{1,3}(?:\.\d{1,3}){3}))?"
    r"(?:\s{1,60}(?P<version>(?:IB/)?(?:RoCE )?[vV]\d(?:\.\d{1,2})?|IB))?(?:\s{1,40}(?P<netdev>[\w.@-]{1,40}))?\s{0,8}"
)
_HEADER = regex(r"\s{0,40}DEV\s{1,20}PORT\s{1,20}INDEX\s{1,20}GID\b.{0,120}")
_RULER = regex(r"\s{0,40}---\s{1,20}----\s{1,20}-----\s{1,20}---[\s-]{0,120}")
_TOTAL = regex(r"\s{0,40}n_gids_found\s{0,4}=\s{0,4}(?P<total>\d{1,6})\s{0,8}")


class ShowGids:
    """Each row is one GID: its value, IPv4 address, type (RoCE v1 or v2) and network interface."""

    kind: ClassVar[str] = "show_gids"
    literals: ClassVar[Literals] = Literals((" 0 ", " 0\t", "\t0 ", "\t0\t", "\nDEV", "\n---", "n_gids_found"))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_ROW, _HEADER, _RULER, _TOTAL),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_ROW, _HEADER, _RULER, _TOTAL))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        match = _ROW.fullmatch(line.text)
        if match is not None:
            return self._row(match, line)
        total = _TOTAL.fullmatch(line.text)
        if total is not None:
            self._found.append(reading("gid-total", NODE, int(total["total"]), line))
            return Use.USED
        return Use.IGNORED if _HEADER.fullmatch(line.text) or _RULER.fullmatch(line.text) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _row(self, match: re.Match[str], line: Line) -> Use:
        value = rdma.gid(match["gid"])
        if value is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        part = Part("gid", f"{match['device']}/{int(match['port'])}/{int(match['index'])}")
        said = {
            "gid-value": value,
            "gid-ipv4": match["ipv4"] or rdma.gid_ipv4(match["gid"]),
            "gid-type": rdma.gid_type(match["version"] or ""),
            "gid-netdev": match["netdev"],
        }
        self._found.extend(reading(name, part, text, line) for name, text in said.items() if text)
        return Use.USED


PARSER = ShowGids
