"""``ibstat``: HCAs and the state of their ports, in all its forms (all HCAs, ``-s``, one HCA, one port).

The program is part of rdma-core (``infiniband-diags/ibstat.c``)::

    CA 'mlx5_0'
            CA type: MT4129
            Firmware version: 28.43.2026
            Port 1:
                    State: Active
                    Physical state: LinkUp
                    Rate: 400
                    Link layer: InfiniBand

``Initializing`` is the state that other tools call INIT. ``Rate`` is in Gb/s, of all lanes together; that of a
port without a link says nothing. Where ``grep`` took the lines with port numbers away, the ports of an HCA are counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks, asked_for
from slowlink.parsers.forms.make_reading import says_something, whole
from slowlink.patterns import regex


def _text(value: str) -> str | None:
    return value if says_something(value) else None


class Ibstat(KeyedBlocks):
    """Blocks of ``key: value`` under ``CA 'mlx5_0'``, and under ``Port 1:`` what is of that port."""

    kind: ClassVar[str] = "ibstat"
    marks = ("\nPort 0:", "ibstat ")
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (
        regex(r"\s{0,40}(?:CA|Switch|Router):? '(?P<device>[\w.-]{1,40})'\s{0,8}"),
        regex(r"\s{0,40}Port (?P<port>\d{1,3}):\s{0,8}"),
        asked_for("ibstat"),
    )
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "CA type": (Key("hca-model", _text),),
        "Number of ports": (Key("hca-port-count", whole),),
        "Firmware version": (Key("hca-firmware", _text),),
        "Hardware version": (Key("hca-hardware-version", _text),),
        "Node GUID": (Key("hca-node-guid", rdma.guid),),
        "System image GUID": (Key("hca-system-guid", rdma.guid),),
        "State": (Key("port-state", rdma.port_state),),
        "Physical state": (Key("port-physical-state", rdma.physical_state),),
        "Rate": (Key("port-rate", rdma.rate_gbit),),
        "Effective speed": (),
        "Base lid": (Key("port-lid", rdma.lid),),
        "LMC": (),
        "SM lid": (Key("port-sm-lid", rdma.lid),),
        "Capability mask": (),
        "Port GUID": (Key("port-guid", rdma.guid),),
        "Link layer": (Key("port-link-layer", rdma.link_layer),),
    }


PARSER = Ibstat
