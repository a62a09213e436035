"""Tables of infiniband-diags that bear on no rule: partition keys, GUIDs, service levels, virtual lanes, ibping.

The programs are part of rdma-core (infiniband-diags/smpquery.c and ibping.c)::

       0: 0xffff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000
    128 pkeys capacity for this port
    Pong from gpu07.(none) (Lid 9): time 0.031 ms
    rtt min/avg/max = 0.025/0.031/0.040 ms

Nothing is read from them. They are known, so that they do not count as unread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_ROW = regex(
    r" {0,6}(?:\d{1,3}: )?(?:0x[0-9a-f]{1,4} ){3,7}0x[0-9a-f]{1,4} ?"
    r"| {0,6}(?:\d{1,3}: )?0x[0-9a-f]{1,16}(?: 0x[0-9a-f]{1,16})? ?"
    r"|\d{1,4} (?:pkeys|guids) capacity for this port"
    r"|Node Description:\.{1,60}.{0,100}"
    r"|# {1,20}SL: (?:\| ?\d{1,2}){16}\||ports: in {1,3}\d{1,3}, out {1,3}\d{1,3}: (?:\| ?\d{1,2}){16}\|"
    r"|# (?:VLArbitration tables|SL2VL table): .{1,100}|# (?:Low|High) priority VL Arbitration Table:"
    r"|(?:VL    |WEIGHT): (?:\|0x[0-9a-fA-F]{1,2} ?){1,64}\|"
    r"|Pong from .{1,100} \(Lid \d{1,5}\): time [\d.]{1,12} ms|--- .{1,100} \(Lid \d{1,5}\) ibping statistics ---"
    r"|\d{1,9} packets transmitted, \d{1,9} received, \d{1,3}% packet loss, time \d{1,9} ms"
    r"|rtt min/avg/max = [\d.]{1,12}/[\d.]{1,12}/[\d.]{1,12} ms"
)
_STARTS = ("0x", "Node D", "# ", "ports:", "VL ", "WEIGHT", "Pong", "---", "rtt ")


class SmpTables:
    """Takes the lines of these tables, and finds nothing in them."""

    kind: ClassVar[str] = "smpquery"
    literals: ClassVar[Literals] = Literals(
        (
            *("\n0x", "\n0: 0x", "capacity for this port", "Node Description:.", "\n# ", "\nports:", "\nVL "),
            *("\nWEIGHT:", "\nPong ", "\n--- ", "packets transmitted", "\nrtt "),
        )
    )

    @staticmethod
    def wants(text: str) -> bool:
        start = text.lstrip()
        return (start.startswith(_STARTS) or start[:1].isdecimal()) and _ROW.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        return Use.IGNORED if _ROW.fullmatch(line.text) is not None else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return ()


PARSER = SmpTables
