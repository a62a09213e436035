"""A program printed an error whose meaning is known.

Libraries, drivers, launchers and schedulers say what is wrong in messages of their own. Where such a message names a
cause by itself, this rule repeats it with that cause; the catalogue (``catalog/vocabulary/``) holds the messages and
what they mean. Messages that need more than one line to be understood have rules of their own.

Why it matters: the first such message is usually the reason for all that follows.
How to confirm: read the lines before it on the same node, and look at the part that it names.
What to do: what the finding says; the title names the cause.
When it is wrong: when the program went on without harm, as after a retry that succeeded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.vocabulary import Meaning
from slowlink.model.facts import Environment, Events, Hardware, Network, Observations, Readings, Sweeps, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.meanings import meant
from slowlink.rules.evidence.messages import (
    LogMessage,
    at_hosts,
    counted,
    groups_of,
    hosts_of,
    listed,
    overcome,
    refs_of,
    shortened,
    times_printed,
)
from slowlink.rules.evidence.rdma_expected import Hcas, is_plain_card, rdma_expected

CAUSES = (
    "application-error",
    "collective-mismatch",
    "dma-buf-partial",
    "duplicate-gpu",
    "environment-differs",
    "fabric-congestion",
    "fabric-path-blocked",
    "hca-driver-failed",
    "file-descriptor-limit",
    "gdr-disabled",
    "gid-index-wrong",
    "gpu-application-fault",
    "gpu-clocks-throttled",
    "gpu-driver-hung",
    "gpu-hardware-fault",
    "gpu-memory-errors",
    "gpu-missing",
    "gpu-nic-affinity-wrong",
    "gpu-out-of-memory",
    "gpu-persistence-off",
    "gpus-over-requested",
    "hca-fatal-error",
    "hca-list-incomplete",
    "hca-list-wrong",
    "hca-missing",
    "hca-service-missing",
    "health-check-failed",
    "host-memory-errors",
    "imex-channel-missing",
    "iommu-translating",
    "job-configuration-wrong",
    "launcher-failed",
    "library-missing",
    "link-errors",
    "link-flapping",
    "memlock-limit",
    "memory-registration-failed",
    "mtu-mismatch",
    "net-plugin-not-loaded",
    "nic-fusion-invalid",
    "node-differs",
    "node-stalls",
    "node-too-hot",
    "nodes-unanswered",
    "not-enough-slots",
    "nvlink-down",
    "nvlink-fabric-unhealthy",
    "nvls-unavailable",
    "nvswitch-error",
    "p2p-disabled",
    "partition-mismatch",
    "pcie-errors",
    "pcie-link-degraded",
    "peer-memory-missing",
    "port-down",
    "port-rate-low",
    "process-crashed",
    "process-memory-denied",
    "proxy-affinity",
    "rank-lost",
    "rank-start-failed",
    "rank-stuck",
    "rdma-device-not-accessible",
    "rdma-retry-exceeded",
    "shm-too-small",
    "socket-fallback",
    "socket-interface-wrong",
    "disk-full",
    "storage-failing",
    "ssh-failed",
    "straggler-gpu",
    "straggler-nic",
    "subnet-manager-missing",
    "tcp-unreachable",
    "time-limit",
    "tool-failed",
    "topology-overridden",
    "tuning-harmful",
    "tuning-missing",
    "version-mismatch",
    "wrong-results",
)
"""Every cause that a vocabulary names; a test compares them."""

_IN_WORDS = ("job-configuration-wrong", "application-error", "rank-start-failed")
_MOST_WORDS = 200

_PARTS = (
    ("hca", ("hca", "device", "pci", "interface")),
    ("gpu", ("gpu",)),
)
"""Suspects by kind, from the values of a message."""


def check(
    events: Events | None,
    warnings: Warnings | None,
    sweeps: Sweeps | None,
    network: Network | None,
    environment: Environment | None,
    observations: Observations | None,
    hardware: Hardware | None,
    hcas: Hcas | None,
) -> Iterator[Finding]:
    """One finding for each meaning."""
    found: dict[tuple[str, str], tuple[Meaning, list[LogMessage]]] = {}
    for message, meaning in meant(events, warnings):
        if meaning.cause and not message.secondary:
            found.setdefault((meaning.program, meaning.kind), (meaning, []))[1].append(message)
    for meaning, messages in found.values():
        if meaning.between_nodes and network is not None and network.single_node:
            continue
        if _keeps_from_rdma(meaning) and _has_rdma(network, messages):
            continue  # the log itself disproves it: whatever is missing, nothing is lost
        if _lacks_verbs(meaning) and not _may_have_rdma(network, environment, observations, hardware, hcas):
            continue  # TCP is the network that there is
        yield _finding(meaning, messages, overcome(refs_of(messages), sweeps))


def _keeps_from_rdma(meaning: Meaning) -> bool:
    """Is it the network that is lost with what is missing? An image may bring the plug-in of a fabric that is not here,
    and lack a library under one of its names."""
    missing = meaning.cause == "library-missing" and "socket-fallback" in meaning.explains
    return missing or meaning.cause == "net-plugin-not-loaded"


def _has_rdma(network: Network | None, messages: Sequence[LogMessage]) -> bool:
    """Did NCCL take a network other than TCP after all, on the nodes of these messages where they are told?"""
    choices = network.choices if network is not None else ()
    hosts = set(hosts_of(messages))
    there = [choice for choice in choices if choice.process.host in hosts] or choices
    return bool(there) and all(choice.network != "Socket" for choice in there)


def _lacks_verbs(meaning: Meaning) -> bool:
    return meaning.kind == "ib-library-missing"


def _may_have_rdma(
    network: Network | None,
    environment: Environment | None,
    observations: Observations | None,
    hardware: Hardware | None,
    hcas: Readings | None,
) -> bool:
    """Does anything show an RDMA network? Without a sign it may be there, but for cards in any machine."""
    if network is None or not is_plain_card(hardware):
        return True
    return rdma_expected(network, environment, observations, hardware, hcas) is not None


def _finding(meaning: Meaning, messages: Sequence[LogMessage], survived: bool) -> Finding:
    named = [suspects(kind, groups_of(messages, name)) for kind, names in _PARTS for name in names]
    parts = tuple(each for group in named for each in group)
    which = f" ({listed([part.name for part in parts])})" if parts else ""
    times = times_printed(messages)
    often = f", {counted(times, 'time')}" if times > max(1, len(hosts_of(messages))) else ""
    severity: Severity = "warning" if survived and meaning.severity in ("error", "critical") else meaning.severity
    return finding(
        meaning.cause,
        f"{at_hosts(hosts_of(messages))}{meaning.says}{which}{often}{_exception(meaning, messages[0])}",
        severity=severity,
        confidence=meaning.confidence,
        evidence=lines_evidence(refs_of(messages)),
        suspects=(*parts, *suspects("node", hosts_of(messages))),
        explains=() if survived else meaning.explains,
        remedy=meaning.remedy,
    )


def _exception(meaning: Meaning, message: LogMessage) -> str:
    """The exception itself, word for word, where only its words say which setting or call is wrong."""
    if not isinstance(message, JobEvent) or message.groups.get("form") != "exception" or meaning.cause not in _IN_WORDS:
        return ""
    groups = message.groups
    words = f"{groups.get('error', '')}: {groups['detail']}" if groups.get("detail") else message.text
    return f": {shortened(words, _MOST_WORDS)}"
