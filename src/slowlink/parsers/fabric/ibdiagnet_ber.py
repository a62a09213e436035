"""``ibdiagnet2.net_dump_ext``: one line a port, with its bit error rates before and after error correction.

ibdiagnet 2 of MFT and MLNX_OFED writes this file with ``--get_phy_info``. Here some columns and blanks are left out::

    Ty : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Raw BER : Effective BER : Symbol BER : Node Desc
    SW : 1/1/1 : 1 : 0x0c42a10300aa1000 : 7 : ACT : LINK UP : 4x : 100 : 2e-08 : 1.5e-254 : 3e-14 : "leafa"
    CA : 1 : 1 : 0x0c42a10300aa0100 : 21 : ACT : LINK UP : 4x : 100 : 3e-09 : 1.5e-254 : 1.5e-254 : "gpu01 mlx5_0"

Columns are read by their head, and heads differ a little between versions. ``Raw`` is before error correction,
``Effective`` after it, ``Symbol`` after what the link sends again, too. ``1.5e-254`` is the tool's zero. LSA is the
rate of data of a lane. A row with more or fewer cells than its head is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.fabric.mlxlink import bit_errors
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import says_something, whole
from slowlink.patterns import regex

_TYPES = {"SW": "switch", "CA": "ca", "AN": "aggregation", "RTR": "router"}
_COLUMNS = {
    "Ty": "type",
    "#": "label",
    "#IB": "port",
    "IB#": "port",
    "GUID": "guid",
    "LID": "lid",
    "Sta": "state",
    "PhysSta": "physical",
    "LWA": "width",
    "LSA": "speed",
    "FEC mode": "fec",
    "Raw BER": "raw",
    "Effective BER": "effective",
    "Eff BER": "effective",
    "Symbol BER": "symbol",
    "Symbol Err": "symbol errors",
    "Effective Err": "effective errors",
    "Node Desc": "node",
}
_FEWEST = 12
_ROW = regex(r" {0,4}(?:# ?)?(?:Ty|SW|CA|AN|RTR) {1,8}: .{10,600}")
_BER = {"raw": "link-raw-ber", "effective": "link-effective-ber", "symbol": "link-symbol-ber"}
_ERRORS = {"symbol errors": "link-symbol-errors", "effective errors": "link-effective-errors"}


class IbdiagnetBer:
    """State, speed and bit error rates of each row, by the columns of the last head."""

    kind: ClassVar[str] = "ibdiagnet-ber"
    literals: ClassVar[Literals] = Literals(
        f"\n{mark}{kind} " for mark in ("", "#", "# ") for kind in ("Ty", "SW", "CA", "AN", "RTR")
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._columns: list[str] = []

    @staticmethod
    def wants(text: str) -> bool:
        return text.count(" : ") >= _FEWEST - 1 and _ROW.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        cells = [cell.strip() for cell in re.split(r" :(?: |$)", line.text)]
        if cells[0].lstrip("# ") == "Ty":
            self._columns = ["type", *(_COLUMNS.get(cell, "") for cell in cells[1:])]
            return Use.IGNORED
        if cells[0] not in _TYPES or "port" not in self._columns:
            return Use.NOT_MINE
        if len(cells) != len(self._columns):
            return Use.IGNORED  # cut off, or a name with a separator
        return self._row(dict(zip(self._columns, cells, strict=True)), line)

    def _row(self, told: Mapping[str, str], line: Line) -> Use:
        number = whole(told.get("port", ""))
        if number is None or number > 255 or "node" not in told:
            return Use.IGNORED
        name = names.node_name(told["node"], told.get("guid", ""))
        part, add = names.port(name, number), self._found.add
        add("fabric-node-type", names.node(name), _TYPES[told["type"]], line)
        add("link-lid", part, whole(told.get("lid", "").partition(" ")[0]), line)
        add("link-state", part, rates.state(told.get("state", "")), line)
        add("link-physical-state", part, rates.physical_state(told.get("physical", "")), line)
        add("link-width", part, rates.lanes(told.get("width", "")), line)
        add("link-speed", part, rates.lane_speed(told.get("speed", "")), line)
        add("link-fec", part, told["fec"] if says_something(told.get("fec", "")) else None, line)
        for column, attribute in _BER.items():
            add(attribute, part, bit_errors(told.get(column, "")), line)
        for column, attribute in _ERRORS.items():
            add(attribute, part, whole(told.get(column, "")), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = IbdiagnetBer
