"""Somebody complains of a part, in words of their own.

Health checks, wrappers and people report the same few facts in wordings that no list will ever hold. A line that no
parser reads, and that says of a part (GPU, NVLink, HCA, port, PCIe link, module, service, limit ...) that it is down,
missing, failed, degraded or set wrongly, is quoted here with the cause that part and state name together. Lines that
deny it, that count zero, that ask, and that speak of what should or may be, are left out; a guess is a note.

Why it matters: the one line that names the fault is often not the output of any known tool.
How to confirm: ask the part itself, with the command below; the line is quoted so that you can judge it.
What to do: what the cause asks for, once it is confirmed.
When it is wrong: where the line tells of the past, of another machine, or of a test that was meant to fail. So it is
never more than *possible*; two lines that say the same make it *likely*. Output of a known tool comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity, Suspect
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, happened, hosts_of, refs_of
from slowlink.rules.node.told_remedies import ask, mends

CAUSES = (
    "acs-enabled",
    "cpu-governor-not-performance",
    "fabric-manager-down",
    "file-descriptor-limit",
    "gdr-disabled",
    "gid-index-wrong",
    "gpu-clocks-throttled",
    "gpu-driver-hung",
    "gpu-hardware-fault",
    "gpu-memory-errors",
    "gpu-missing",
    "gpu-persistence-off",
    "hca-missing",
    "health-check-failed",
    "host-memory-errors",
    "imex-channel-missing",
    "iommu-translating",
    "link-errors",
    "link-flapping",
    "memlock-limit",
    "numa-balancing-on",
    "nvlink-down",
    "nvswitch-error",
    "partition-mismatch",
    "pcie-errors",
    "pcie-link-degraded",
    "peer-memory-missing",
    "port-down",
    "port-rate-low",
    "rdma-device-not-accessible",
    "shm-too-small",
    "subnet-manager-missing",
    "switch-hardware-fault",
)
"""Every cause of ``catalog/complaints.toml``; a test compares them."""

_MILD = frozenset(
    {
        "cpu-governor-not-performance",
        "file-descriptor-limit",
        "gpu-persistence-off",
        "host-memory-errors",
        "iommu-translating",
        "memlock-limit",
        "numa-balancing-on",
        "shm-too-small",
    }
)
"""Settings and wear that may cost speed: a warning. A log that shows what they broke has rules of its own."""
_KINDS = {"gpu": "gpu", "nvlink": "gpu", "gpu-memory": "gpu", "hca": "hca", "port": "port", "pcie": "link"}
"""Part -> kind of suspect, where the line names which one."""
_OFTEN = {"carrier": 3}
"""Parts whose single event is ordinary: a link that came up once lost its carrier before."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for each cause that is complained of."""
    by_cause: dict[str, list[JobEvent]] = {}
    for event in happened(events, "complaint"):
        if event.groups["cause"] in CAUSES and event.count >= _OFTEN.get(event.groups["part"], 1):
            by_cause.setdefault(event.groups["cause"], []).append(event)
    for cause, found in by_cause.items():
        stated = [event for event in found if "guessed" not in event.groups]
        yield _finding(cause, stated) if stated else _guessed(cause, found)


def _guessed(cause: str, found: Sequence[JobEvent]) -> Finding:
    """Nobody says that it is so."""
    hosts = hosts_of(found)
    return finding(
        cause,
        f"{at_hosts(hosts)}somebody guesses: {found[0].text[:160]}",
        severity="info",
        confidence="possible",
        evidence=lines_evidence(refs_of(found), 4),
        suspects=(*_named(found), *suspects("node", hosts)),
        remedy=[ask(cause, "Ask the part itself: so far it is a guess.")],
    )


def _finding(cause: str, found: Sequence[JobEvent]) -> Finding:
    hosts = hosts_of(found)
    severity: Severity = "warning" if cause in _MILD else "error"
    more = len(found) - 1
    others = f" (and {more} more such {'line' if more == 1 else 'lines'})" if more else ""
    return finding(
        cause,
        f"{at_hosts(hosts)}a line says: {found[0].text[:160]}{others}",
        severity=severity,
        confidence="likely" if len({event.text for event in found}) > 1 else "possible",
        evidence=lines_evidence(refs_of(found), 4),
        suspects=(*_named(found), *suspects("node", hosts)),
        explains=("busbw-below-expected", "health-check-failed") if cause != "health-check-failed" else (),
        remedy=[ask(cause, "Ask the part itself: the line above is somebody's word for it."), *mends(cause)],
    )


def _named(found: Sequence[JobEvent]) -> tuple[Suspect, ...]:
    """The parts that the lines name, as far as their kind is known."""
    nodes = set(hosts_of(found))
    named = [(e.groups["which"], _KINDS.get(e.groups["part"])) for e in found if e.groups.get("which")]
    parts = [("port" if "/" in name else kind, name) for name, kind in named if kind and name not in nodes]
    return tuple(dict.fromkeys(Suspect(kind, name) for kind, name in parts))
