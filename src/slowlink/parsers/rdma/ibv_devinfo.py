"""``ibv_devinfo``, plain and ``-v``: HCAs, their ports, MTUs and GIDs.

The program is part of rdma-core (``libibverbs/examples/devinfo.c``)::

    hca_id: mlx5_0
            fw_ver:                         28.43.2026
            node_guid:                      a088:c203:00aa:0010
                    port:   1
                            state:                  PORT_ACTIVE (4)
                            active_mtu:             4096 (5)
                            link_layer:             Ethernet
                            GID[  3]:               ::ffff:10.1.2.3, RoCE v2

Numbers in parentheses are codes. MTUs are in bytes. ``active_speed`` of ``-v`` is the speed of one lane: the port's
rate is that times the lanes in ``active_width``, one line above. The capabilities that ``-v`` adds say nothing about
health; they are known, so that they do not count as unread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks, asked_for
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, says_something, whole
from slowlink.patterns import regex

_GID = regex(r"\s{0,60}GID\[ {0,4}(?P<index>\d{1,4})\]:\s{1,20}(?P<gid>[0-9a-fA-F:.]{2,60})(?:, (?P<type>.{1,30}))?")
_CAPABILITY = regex(
    r"\s{0,60}(?:[A-Z][A-Z0-9_]{2,40}|max_\w{1,40}:.{0,40}|\w{2,40}_caps?:|(?:NO SUPPORT|Unknown flags: \w{1,20})"
    r"|(?:cq moderation|raw packet) caps:|(?:completion_timestamp_mask|core clock|tag matching) not supported"
    r"|[Dd]evice.{0,20} memory.{0,40}"
    r"|(?:C-VLAN stripping|Scatter FCS|IP csum) offload|Delay drop)\s{0,8}"
)
"""Words of ``-v`` that stand alone."""
_SPEED = regex(r"\s{0,60}active_speed:\s{1,20}(?P<gbit>\d{1,4}(?:\.\d{1,3})?) Gbps .{0,20}")
"""The speed of one lane; the line above says how many lanes there are."""
_SILENT = (
    "transport",
    "vendor_id",
    "vendor_part_id",
    "port_lmc",
    "page_size_cap",
    "device_cap_flags",
    "device_cap_flags_ex",
    "atomic_cap",
    "local_ca_ack_delay",
    "hca_core_clock",
    "num_comp_vectors",
    "completion_timestamp_mask",
    "port_cap_flags",
    "port_cap_flags2",
    "completion timestamp_mask",
    "maximum available device memory",
    "bad_pkey_cntr",
    "qkey_viol_cntr",
    "sm_sl",
    "pkey_tbl_len",
    "gid_tbl_len",
    "subnet_timeout",
    "init_type_reply",
    "active_speed",
    "effective_speed",
    "flags",
    "rx_hash_function",
    "rx_hash_fields_mask",
    "supported_qp",
    "qp_rate_limit_min",
    "qp_rate_limit_max",
    "general_odp_caps",
    "comp_mask",
)


def _text(value: str) -> str | None:
    return value if says_something(value) else None


class IbvDevinfo(KeyedBlocks):
    """Blocks of ``key: value`` under ``hca_id:`` and ``port:``, and GIDs, which have a form of their own."""

    kind: ClassVar[str] = "ibv_devinfo"
    marks = (
        *("\nport:", "ibv_devinfo -", "GID[", "\nmax_", "_cap:", "_caps:", "Unknown flags: ", " caps:"),
        *(" not supported", "evice", "offload", "Delay drop"),
        *(f"{last}{end}" for last in f"{ascii_uppercase}_" for end in ("\n", "0\n")),
    )
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (
        regex(r"\s{0,40}hca_id:\s{1,20}(?P<device>[\w.-]{1,40})\s{0,8}"),
        regex(r"\s{0,60}port:\s{1,20}(?P<port>\d{1,3})\s{0,8}"),
        asked_for(r"ibv_devinfo(?: -v)? -d"),
    )
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "fw_ver": (Key("hca-firmware", _text),),
        "node_guid": (Key("hca-node-guid", rdma.guid),),
        "sys_image_guid": (Key("hca-system-guid", rdma.guid),),
        "hw_ver": (
            Key("hca-hardware-version", lambda value: str(number) if (number := whole(value)) is not None else None),
        ),
        "board_id": (Key("hca-board-id", _text),),
        "phys_port_cnt": (Key("hca-port-count", whole),),
        "state": (Key("port-state", rdma.port_state),),
        "max_mtu": (Key("port-mtu-max", rdma.mtu_bytes),),
        "active_mtu": (Key("port-mtu", rdma.mtu_bytes),),
        "sm_lid": (Key("port-sm-lid", rdma.lid),),
        "port_lid": (Key("port-lid", rdma.lid),),
        "link_layer": (Key("port-link-layer", rdma.link_layer),),
        "phys_state": (Key("port-physical-state", rdma.physical_state),),
        "active_width": (Key("port-width", rdma.width),),
        **dict.fromkeys(_SILENT, ()),
    }

    @classmethod
    def gate(cls) -> Gate:
        ((family,),) = super().gate()
        return ((f"{family}|{as_whole(_GID, _CAPABILITY)}",),)

    @classmethod
    def wants(cls, text: str) -> bool:
        return super().wants(text) or _GID.fullmatch(text) is not None or _CAPABILITY.fullmatch(text) is not None

    def feed(self, line: Line) -> Use:
        width = self._found[-1] if self._found else None
        use = super().feed(line)
        speed = _SPEED.fullmatch(line.text) if use is Use.IGNORED else None
        if speed is not None and width is not None and width.attribute == "port-width" and self._near(line):
            rate = float(speed["gbit"]) * float(width.value)
            self._found.append(reading("port-rate", width.part, rate, line))
            return Use.USED
        if use is not Use.NOT_MINE or not self._device or not self._near(line):
            return use
        match = _GID.fullmatch(line.text)
        if match is not None and self._port:
            return self._gid(match, line)
        if _CAPABILITY.fullmatch(line.text):
            self._last = line.no
            return Use.IGNORED
        return Use.NOT_MINE

    def _gid(self, match: re.Match[str], line: Line) -> Use:
        self._last = line.no
        part = Part("gid", f"{self._device}/{self._port}/{int(match['index'])}")
        said = {
            "gid-value": rdma.gid(match["gid"]),
            "gid-ipv4": rdma.gid_ipv4(match["gid"]),
            "gid-type": rdma.gid_type(match["type"] or ""),
        }
        found = [reading(name, part, value, line) for name, value in said.items() if value is not None]
        if not found or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.extend(found)
        return Use.USED


PARSER = IbvDevinfo
