"""One name for each node and port of a fabric, whichever tool prints it.

A node goes by its description. Where that is the maker's default, which many nodes share, it goes by its GUID.
Sources: infiniband-diags prints descriptions as they are; ibdiagnet cuts them into system, board and port.
"""

from __future__ import annotations

from slowlink.model.state import Part
from slowlink.patterns import regex

GUID = r"0x[0-9a-fA-F]{1,16}"

_MANAGED = regex(r"MF\d{1,2};(?P<system>[^:;]{1,100}):(?P<type>[^/]{0,60})(?P<board>(?:/[\w.-]{1,30}){0,3})")
"""What managed switches call themselves: ``MF0;leaf1:MQM9700/U1``, a board of a director ``MF0;big:MCS8500/L01/U1``."""
_DEFAULT = regex(r"|(?:.{0,80} )?Mellanox Technologies(?: .{0,40})?|localhost(?: .{0,40})?|\(none\)(?: .{0,40})?")
_BY_GUID = regex(r"S[0-9a-f]{16}/N(?P<guid>[0-9a-f]{16})(?:/.{0,40})?")
_UNIT = regex(r"/U\d{1,3}$")
_LABEL = regex(r"(?P<node>.{1,200}?)/P(?P<port>\d{1,3}(?:/\d{1,3}){0,3})")


def guid(text: str) -> str:
    """``0x200001`` and ``0000000000200001`` to ``0x0000000000200001``."""
    return f"0x{text.lower().removeprefix('0x').zfill(16)}"


def node_name(description: str, node_guid: str = "") -> str:
    """A node's name from its description: ``node03 mlx5_0``, ``leaf1``, ``big/L01``, or its GUID."""
    text = description.strip().strip("'\"").strip()
    managed = _MANAGED.fullmatch(text)
    if managed is not None:
        return _UNIT.sub("", managed["system"] + managed["board"])
    if node_guid and _DEFAULT.fullmatch(text) is not None:
        return guid(node_guid)
    return text


def node_name_of_label(label: str) -> str:
    """A node's name from what ibdiagnet makes of it: ``leaf1/U1``, ``node03/mlx5_0``, ``S00../N00..``."""
    text = label.strip()
    unnamed = _BY_GUID.fullmatch(text)
    if unnamed is not None:
        return guid(unnamed["guid"])
    if _UNIT.search(text) is not None:
        return _UNIT.sub("", text)
    host, slash, device = text.partition("/")
    return f"{host} {device.partition('/')[0]}" if slash else host


def node_of_port_label(label: str) -> str:
    """A node's name from ibdiagnet's name of a port: ``leaf1/U1/P1/1/1``, ``node03/mlx5_0/B134D0F0/0/0/1``."""
    switch = _LABEL.fullmatch(label.strip())
    return node_name_of_label(switch["node"] if switch is not None else label)


def node(name: str) -> Part:
    """A node of the fabric."""
    return Part("fabric-node", name)


def port(name: str, number: int | str) -> Part:
    """A port of a node: ``leaf1/5``, ``node03 mlx5_0/1``."""
    return Part("fabric-port", f"{name}/{int(number)}")


def by_lid(lid: int | str) -> str:
    """The name of a node of which a tool prints the LID alone; ``facts.fabric`` finds its own name."""
    return f"lid {int(lid)}"
