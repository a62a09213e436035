"""Queue pairs that could not be connected, and what their addresses tell."""

from __future__ import annotations

from slowlink.model.facts import Events, Network, Warnings
from slowlink.rules.evidence.messages import LogMessage, reported
from slowlink.rules.evidence.rdma_completions import gids

TIMED_OUT = "110"
INVALID = "22"
_NO_ANSWER = frozenset({TIMED_OUT, "61", "101", "113"})
_WORDS = {"timed out": TIMED_OUT, "invalid argument": INVALID, "unreachable": "101", "no route": "113", "no data": "61"}


def failed(warnings: Warnings | None, events: Events | None) -> tuple[LogMessage, ...]:
    """Every ``ibv_modify_qp`` that failed."""
    return reported(warnings, events, "ib-modify-qp-failed")


def errno_of(message: LogMessage) -> str:
    """The error's number, from the number or its words; "" when neither is known."""
    number = message.groups.get("errno") or message.groups.get("reason", "")
    if number.isdigit():
        return number
    lowered = message.text.lower()
    return next((value for words, value in _WORDS.items() if words in lowered), "")


def unanswered(warnings: Warnings | None, events: Events | None) -> tuple[LogMessage, ...]:
    """Those whose other end's address could not be resolved or reached."""
    return tuple(message for message in failed(warnings, events) if errno_of(message) in _NO_ANSWER)


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


def apart(message: LogMessage) -> bool | None:
    """Are the two ends on different subnets? None when the message does not tell. IPv4 addresses are compared by
    their first three bytes, the smallest subnet in use on such fabrics."""
    if link_local(message):
        return False
    ends = gids(message)
    if len(ends) < 2:
        return None
    local, remote = (gid.ipv4_mapped for gid in ends[:2])
    if local is None or remote is None:
        return int(ends[0]) >> 64 != int(ends[1]) >> 64
    return int(local) >> 8 != int(remote) >> 8
