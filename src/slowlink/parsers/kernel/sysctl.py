"""``sysctl``: kernel settings as ``name = value``, one a line, of any part of the tree.

Two settings that are read, and one that only belongs to the list::

    kernel.numa_balancing = 1
    vm.zone_reclaim_mode = 0
    net.core.rmem_max = 212992

Source: sysctl(8) of procps-ng and busybox. /etc/sysctl.conf has the same form, and says what is asked for, not what is.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _on(match: re.Match[str]) -> Value | None:
    mode = whole(match["value"])
    return None if mode is None or mode > 7 else mode != 0


_TREES = ("abi", "crypto", "debug", "dev", "fs", "kernel", "net", "sunrpc", "user", "vm")
FACTS = (
    LineFact(
        "numa-balancing",
        "kernel.numa_balancing =",
        r"kernel\.numa_balancing = (?P<value>\d{1,3})\s*$",
        {"kernel.numa_balancing = 1": True, "kernel.numa_balancing = 0": False},
        _on,
    ),
    LineFact(
        "zone-reclaim",
        "vm.zone_reclaim_mode =",
        r"vm\.zone_reclaim_mode = (?P<value>\d{1,3})\s*$",
        {"vm.zone_reclaim_mode = 0": False, "vm.zone_reclaim_mode = 1": True},
        _on,
    ),
)


class Sysctl(ReadingParser):
    """Readings of the two settings that matter; every other setting is known as part of the list."""

    kind: ClassVar[str] = "sysctl"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = tuple(f"\n{tree}." for tree in _TREES)
    legend: ClassVar[re.Pattern[str] | None] = regex(rf"(?:{'|'.join(_TREES)})\.[\w.:/@-]{{2,120}} ?= ?\S?")


PARSER = Sysctl
