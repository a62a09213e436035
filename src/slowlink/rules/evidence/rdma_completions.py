"""RDMA work completions with an error, by status, as NCCL and UCX print them.

Status numbers: ``enum ibv_wc_status`` (ibv_poll_cq(3)).
"""

from __future__ import annotations

from ipaddress import IPv6Address

from slowlink.model.facts import Events, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.source import Ref
from slowlink.rules.evidence.messages import LogMessage, groups_of, reported, warned

# Numbers of ``enum ibv_wc_status`` that rules ask for.
LENGTH = 1
PROTECTION = 4
REMOTE_ACCESS = 10
RETRY = 12
NOT_READY = 13

# Part of the status's name in capitals, as newer versions of NCCL, UCX and libibverbs print it -> its number.
_NAMES = {
    "LOC_LEN": LENGTH,
    "LOC_PROT": PROTECTION,
    "WR_FLUSH": 5,
    "REM_ACCESS": REMOTE_ACCESS,
    "RNR_RETRY": NOT_READY,
    "RETRY_EXC": RETRY,
    "LOCAL LENGTH": LENGTH,
    "LOCAL PROTECTION": PROTECTION,
    "REMOTE ACCESS": REMOTE_ACCESS,
    "TRANSPORT RETRY COUNT": RETRY,
    "RECEIVE-NO-READY RETRY COUNT": NOT_READY,
    "RNR RETRY COUNT": NOT_READY,
    "WORK REQUEST FLUSHED": 5,
}


def status_of(message: LogMessage) -> int | None:
    """The number of the message's status, printed as a number or by name; None for neither."""
    number = message.groups.get("status", "")
    if number.isascii() and number.isdecimal() and len(number) < 4:
        return int(number)
    name = message.groups.get("status_name", "").upper()
    return next((value for part, value in _NAMES.items() if part in name), None)


def completions(warnings: Warnings | None, events: Events | None, *statuses: int) -> tuple[LogMessage, ...]:
    """Completion errors with one of these status numbers."""
    return tuple(m for m in reported(warnings, events, "ib-completion-error") if status_of(m) in statuses)


def recovered(warnings: Warnings | None) -> tuple[LogWarning, ...]:
    """Devices that failed and came back (NCCL_IB_RESILIENCY_PORT_FAILOVER, RECOVERY)."""
    return warned(warnings, "ib-device-recovered")


def gids(message: LogMessage) -> tuple[IPv6Address, ...]:
    """The GIDs that the message names, local one first; unreadable ones are left out."""
    found = []
    for name in ("local_gid", "remote_gid"):
        try:
            found.append(IPv6Address(message.groups.get(name, "").strip("() ").split("%")[0]))
        except ValueError:
            continue
    return tuple(found)


def peers_of(messages: tuple[LogMessage, ...]) -> tuple[str, ...]:
    """Addresses of the other ends, without their ports."""
    return tuple(dict.fromkeys(peer.split("<")[0] for peer in groups_of(messages, "peer")))


def refs_with(messages: tuple[LogMessage, ...], more: tuple[LogMessage, ...]) -> tuple[Ref, ...]:
    """Up to three lines of each, those of ``messages`` first."""
    return tuple(m.ref for m in (*messages[:3], *more[:3]))
