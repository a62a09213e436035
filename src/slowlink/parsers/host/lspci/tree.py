"""The tree of ``lspci -t``: which bridge leads to which bus, and what sits there.

Source: pciutils ``ls-tree.c``. Devices of one bus stand below one another in one column; ``-[2e-3f]-`` after a
device is a bridge with its buses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from slowlink.patterns import regex

_START = regex(
    r"[ \t|]{0,300}(?:[-+\\]-?(?:\+-)?\[[0-9a-f]{4,8}:[0-9a-f]{2}(?:-[0-9a-f]{2})?\]-"
    r"|[+\\]-[0-9a-f]{2}\.\d(?:$|-\[|  ))"
)
_TOKEN = regex(
    r"\[(?P<domain>[0-9a-f]{4,8}):(?P<root>[0-9a-f]{2})(?:-[0-9a-f]{2})?\]"
    r"|(?<=-)(?P<device>[0-9a-f]{2}\.\d)(?:-\[(?P<first>[0-9a-f]{2})(?:-(?P<last>[0-9a-f]{2}))?\]|  (?P<name>\S.*))?"
)
MAX_COLUMNS = 2000


class Place(NamedTuple):
    """One device of the tree: its address, the buses that it leads to, its name."""

    address: str
    buses: str
    """Buses that a bridge leads to, ``2e-3f``; "" for a device."""
    name: str


class Tree:
    """Reads the lines of one tree; a line whose beginning was cut off gives what can be placed."""

    def __init__(self) -> None:
        self._bus_at: dict[int, tuple[str, str]] = {}

    @staticmethod
    def begins(text: str) -> bool:
        return _START.match(text) is not None

    def feed(self, text: str) -> Iterator[Place]:
        """Devices of one line, from the root down."""
        bus: tuple[str, str] | None = None
        for found in _TOKEN.finditer(text[:MAX_COLUMNS]):
            if found["root"]:
                bus = (found["domain"][-4:], found["root"])
                continue
            column = found.start("device")
            bus = bus or self._bus_at.get(column)
            if bus is None:
                return
            self._bus_at[column] = bus
            last = found["last"] or found["first"] or ""
            yield Place(
                f"{bus[0]}:{bus[1]}:{found['device']}",
                f"{found['first']}-{last}" if found["first"] else "",
                found["name"] or "",
            )
            if found["first"]:
                bus = (bus[0], found["first"])
