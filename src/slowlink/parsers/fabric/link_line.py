"""A link as iblinkinfo prints it, which ``ibqueryerrors --report-port`` prints too.

Source: rdma-core, infiniband-diags/iblinkinfo.c (print_port) and ibqueryerrors.c (print_port_config). "Could be" names
what both ends support above what they trained to.
"""

from __future__ import annotations

import re

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.patterns import regex

_ROW = regex(
    r'(?:Link info: )?\s{0,12}(?:(?P<guid>0x[0-9a-f]{1,16}) {1,8}(?:"(?P<own>[^"]{0,120})" {1,8})?)?'
    r"(?P<lid>\d{1,6}) {1,6}(?P<port>\d{1,3})\[[^\]]{0,6}\] ==\((?P<link>[^()]{0,80}(?:\(FDR10\)[^()]{0,40})?)"
    r"(?:\(HOQ:[^()]{0,40}\))?\)?==>(?P<remote>.{0,400})"
)
_LINK = regex(
    r" {0,24}(?:(?P<width>[\d?]{1,2}X) {1,24}(?P<speed>[\d.]{1,9} Gbps(?: \(FDR10\))?) {1,8})?"
    r"(?P<state>\w{2,12})/ {0,12}(?P<physical>\w{2,32})\)? ?"
)
_REMOTE = regex(
    r"\s{1,20}(?:(?P<guid>0x[0-9a-f]{1,16})\s{1,12})?(?P<lid>\d{1,6})\s{1,6}(?P<port>\d{1,3})"
    r'\[[^\]]{0,6}\] "(?P<name>.{0,120}?)"'
    r" \((?P<notes>.{0,200})\)"
)
_WIDER = regex(r"Could be (\d{1,2}X)")
_FASTER = regex(r"Could be (FDR10|[\d.]{1,9} Gbps)")


class LinkLine(Struct, frozen=True):
    """One printed link, split into its columns."""

    own_guid: str
    own_name: str
    lid: int
    port: int
    columns: re.Match[str] | None
    """Width, speed and states."""
    remote: re.Match[str] | None
    """The other end; None where there is none."""


def link_line(text: str) -> LinkLine | None:
    """The columns of ``text``; None when it is no link."""
    row = _ROW.fullmatch(text.strip())
    if row is None:
        return None
    columns, remote = _LINK.fullmatch(row["link"]), _REMOTE.fullmatch(row["remote"])
    return LinkLine(row["guid"] or "", row["own"] or "", int(row["lid"]), int(row["port"]), columns, remote)


def read_link(found: LinkLine, part: Part, line: Line, into: Gathered) -> None:
    """Everything that the line says of the port ``part`` and its link."""
    add = into.add
    if (columns := found.columns) is not None:
        add("link-state", part, rates.state(columns["state"]), line)
        add("link-physical-state", part, rates.physical_state(columns["physical"]), line)
        add("link-width", part, rates.lanes(columns["width"] or ""), line)
        add("link-speed", part, rates.lane_speed(columns["speed"] or ""), line)
    if (remote := found.remote) is not None:
        peer = names.port(names.node_name(remote["name"], remote["guid"] or ""), remote["port"])
        add("link-peer", part, peer.name, line)
        wider, faster = _WIDER.search(remote["notes"]), _FASTER.search(remote["notes"])
        add("link-width-max", part, rates.lanes(wider[1]) if wider else None, line)
        add("link-speed-max", part, rates.lane_speed(faster[1]) if faster else None, line)
