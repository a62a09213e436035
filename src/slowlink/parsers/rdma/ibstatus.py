"""``ibstatus``: the state of every port of every HCA, one block a port.

It is a script of rdma-core (``infiniband-diags/scripts/ibstatus``), which prints files of sysfs as they are::

    Infiniband device 'mlx5_0' port 1 status:
            base lid:        0x11
            sm lid:          0x3
            state:           4: ACTIVE
            phys state:      5: LinkUp
            rate:            400 Gb/sec (4X NDR)
            link_layer:      InfiniBand

LIDs are hexadecimal here, unlike ibstat's. The rate is of all lanes together; its parentheses hold the number of lanes
and the name of their speed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks, asked_for
from slowlink.patterns import regex


class Ibstatus(KeyedBlocks):
    """Blocks of ``key: value`` under a heading that names both the HCA and the port."""

    kind: ClassVar[str] = "ibstatus"
    marks = ("and device '", "ibstatus ")
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (
        regex(r"\s{0,40}Infini[bB]and device '(?P<device>[\w.-]{1,40})' port (?P<port>\d{1,3}) status:\s{0,8}"),
        asked_for("ibstatus"),
    )
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "default gid": (),
        "base lid": (Key("port-lid", rdma.lid),),
        "sm lid": (Key("port-sm-lid", rdma.lid),),
        "state": (Key("port-state", rdma.port_state),),
        "phys state": (Key("port-physical-state", rdma.physical_state),),
        "rate": (Key("port-rate", rdma.rate_gbit), Key("port-width", rdma.width)),
        "link_layer": (Key("port-link-layer", rdma.link_layer),),
    }


PARSER = Ibstatus
