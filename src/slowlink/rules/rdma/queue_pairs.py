"""Queue pairs that could not be connected: why, and what their addresses (GIDs) show."""

from __future__ import annotations

from slowlink.model.facts import Events, Network, Warnings
from slowlink.rules.evidence.messages import LogMessage, reported
from slowlink.rules.evidence.rdma_completions import gids

# Error numbers of Linux, as messages print them.
INVALID = "22"
_NO_DATA, _UNREACHABLE, _TIMED_OUT, _NO_ROUTE = "61", "101", "110", "113"
_NO_ANSWER = frozenset({_NO_DATA, _UNREACHABLE, _TIMED_OUT, _NO_ROUTE})
_NUMBER_OF_WORDS = {
    "timed out": _TIMED_OUT,
    "invalid argument": INVALID,
    "unreachable": _UNREACHABLE,
    "no route": _NO_ROUTE,
    "no data": _NO_DATA,
}


def failed_connections(warnings: Warnings | None, events: Events | None) -> tuple[LogMessage, ...]:
    """Every ``ibv_modify_qp`` that failed."""
    return reported(warnings, events, "ib-modify-qp-failed")


def errno_of(message: LogMessage) -> str:
    """The error's number, from the number or its words; "" when neither is known."""
    number = message.groups.get("errno") or message.groups.get("reason", "")
    if number.isdecimal():
        return number
    lowered = message.text.lower()
    return next((value for words, value in _NUMBER_OF_WORDS.items() if words in lowered), "")


def unanswered(warnings: Warnings | None, events: Events | None) -> tuple[LogMessage, ...]:
    """Those where the address of the other end could not be resolved or reached."""
    return tuple(message for message in failed_connections(warnings, events) if errno_of(message) in _NO_ANSWER)


def link_local(message: LogMessage) -> bool:
    """Does one of the GIDs belong to no network (fe80::)?"""
    return any(gid.is_link_local for gid in gids(message))


def roce_link_local(message: LogMessage, network: Network | None) -> bool:
    """Is a link-local GID certainly one of RoCE? On InfiniBand every GID of the default subnet begins with fe80::, and
    that is right. RoCE makes its own of a MAC address, with ff:fe in the middle."""
    made_of_mac = any(gid.is_link_local and (int(gid) >> 24) & 0xFFFF == 0xFFFE for gid in gids(message))
    devices = network.devices if network is not None else ()
    layers = {device.link_layer for device in devices if device.transport == "IB"}
    return link_local(message) and (made_of_mac or layers == {"RoCE"})


def of_different_kinds(message: LogMessage) -> bool:
    """Is one end an IPv4 address and the other an IPv6 one? The same index means something else on each node then."""
    ends = gids(message)
    return len(ends) > 1 and not link_local(message) and (ends[0].ipv4_mapped is None) != (ends[1].ipv4_mapped is None)


def on_different_subnets(message: LogMessage) -> bool | None:
    """Are the two ends on different subnets? None when the message does not say; False for link-local GIDs, which have
    none. IPv4 addresses are compared by their first three bytes, the smallest subnet in use on such fabrics; other GIDs
    by their first eight (the subnet prefix)."""
    if link_local(message):
        return False
    ends = gids(message)
    if len(ends) < 2:
        return None
    local, remote = (gid.ipv4_mapped for gid in ends[:2])
    if local is None or remote is None:
        return int(ends[0]) >> 64 != int(ends[1]) >> 64
    return int(local) >> 8 != int(remote) >> 8
