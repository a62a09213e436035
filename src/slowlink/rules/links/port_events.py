"""Ports whose link went down or came up, from asynchronous events (NCCL, UCX), the kernel log and UFM's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from slowlink.model.facts import Events, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.nccl import LogWarning
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import LogMessage, happened, host_of, reported

_NEVER_FABRIC = regex(r"(?:lo|veth|docker|br-|virbr|cni|cali|flannel|tap|tun|wg|usb|enx|eno|idrac|bmc)[\w.-]*")
"""Interfaces of management and of containers: whether their links come and go says nothing about the fabric."""

NamedBy = Literal["hca", "interface", "pci", "fabric", ""]


class LoggedPort(NamedTuple):
    """A port as messages name it: NCCL the HCA, the kernel the network interface, UFM a port of the fabric."""

    node: str
    """"" where no message says."""
    name: str
    """``mlx5_0``, ``ens1np0``, ``0000:12:00.0``, ``leafa:8``; "" where no message says."""
    named_by: NamedBy
    """What ``name`` is the name of: tools and variables of NCCL that take the one do not take the other."""


def ports_that_fell(warnings: Warnings | None, events: Events | None) -> Mapping[LoggedPort, list[LogMessage]]:
    """Messages of a lost link, by port."""
    return _by_port((*_async_events(warnings, events, "port error"), *happened(events, "kernel-link-down")))


def returned(warnings: Warnings | None, events: Events | None) -> Mapping[LoggedPort, list[LogMessage]]:
    """Messages of a link that came up, by port."""
    return _by_port((*_async_events(warnings, events, "port active"), *happened(events, "kernel-link-up")))


def flaps(messages: Sequence[LogMessage]) -> int:
    """How often a port lost its link: the most that one message says in one source, because several programs, and
    copies of one log, tell of the same loss."""
    return max((message.count for message in messages), default=0)


def by_device(messages: Iterable[LogMessage]) -> list[LogMessage]:
    """What the HCA told NCCL, its driver or a bond the kernel. Without carriers as network daemons log them, and links
    as UFM sees them: there a start of the node, of a switch or of the daemon looks the same."""
    return [m for m in messages if isinstance(m, LogWarning) or ("carrier" not in m.groups and not _of_fabric(m))]


def _async_events(warnings: Warnings | None, events: Events | None, event: str) -> tuple[LogMessage, ...]:
    return tuple(m for m in reported(warnings, events, "ib-async-event") if event in m.text.lower())


def _by_port(messages: tuple[LogMessage, ...]) -> dict[LoggedPort, list[LogMessage]]:
    found: dict[LoggedPort, list[LogMessage]] = {}
    for message in messages:
        port = _port_of(message)
        if not _NEVER_FABRIC.fullmatch(port.name):
            found.setdefault(port, []).append(message)
    return found


def _port_of(message: LogMessage) -> LoggedPort:
    node = host_of(message) or ""
    if isinstance(message, JobEvent) and _of_fabric(message):
        return LoggedPort(node, message.groups.get("interface", ""), "fabric")
    kinds: tuple[NamedBy, ...] = ("hca", "interface", "pci")
    kind: NamedBy = next((kind for kind in kinds if message.groups.get(kind)), "")
    return LoggedPort(node, message.groups.get(kind, ""), kind)


def _of_fabric(message: JobEvent) -> bool:
    return message.origin == "fabric"
