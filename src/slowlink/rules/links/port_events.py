"""Ports whose link went down or came up, from NCCL's asynchronous events and from the kernel log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slowlink.model.facts import Events, Warnings
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import LogMessage, happened, host_of, warned

_NEVER_FABRIC = regex(r"(?:lo|veth|docker|br-|virbr|cni|cali|flannel|tap|tun|wg|usb|enx|eno|idrac|bmc)[\w.-]*")
"""Interfaces of management and of containers: whether their links come and go says nothing about the fabric."""

Port = tuple[str, str]
"""(node, port) as far as known, ``""`` where not."""


def ports_that_fell(warnings: Warnings | None, events: Events | None) -> Mapping[Port, list[LogMessage]]:
    """Messages of a lost link, by port."""
    return _by_port((*_async(warnings, "port error"), *happened(events, "kernel-link-down")))


def returned(warnings: Warnings | None, events: Events | None) -> Mapping[Port, list[LogMessage]]:
    """Messages of a link that came up, by port."""
    return _by_port((*_async(warnings, "port active"), *happened(events, "kernel-link-up")))


def flaps(messages: Sequence[LogMessage]) -> int:
    """How often a port lost its link: each source's most frequent message, because several programs log the same."""
    most: dict[str, int] = {}
    for message in messages:
        source = message.ref.source
        most[source] = max(most.get(source, 0), message.count)
    return sum(most.values())


def _async(warnings: Warnings | None, event: str) -> tuple[LogMessage, ...]:
    return tuple(w for w in warned(warnings, "ib-async-event") if event in w.text.lower())


def _by_port(messages: tuple[LogMessage, ...]) -> dict[Port, list[LogMessage]]:
    found: dict[Port, list[LogMessage]] = {}
    for message in messages:
        groups = message.groups
        name = groups.get("hca") or groups.get("interface") or groups.get("pci") or ""
        if _NEVER_FABRIC.fullmatch(name):
            continue
        found.setdefault((host_of(message) or "", name), []).append(message)
    return found
