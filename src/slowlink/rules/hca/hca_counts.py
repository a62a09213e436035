"""A node counts fewer HCAs than its peers, or than machines of its kind have.

``ls /sys/class/infiniband | wc -l``, ``fi_info -p efa ... | grep -c provider`` and their like print one number. From
three nodes on it is compared with what more than half of them have; else with the machine of the catalogue that the
input names (an instance type), or with what was given. Two nodes that differ are told as such: neither is the usual
one.

Why it matters: the node has less network bandwidth than its kind, and GPUs share HCAs.
How to confirm: ``lspci`` on this node and on another; the cloud's own description of the instance's interfaces.
What to do: attach what was not attached when the instance was made; where PCI shows the device, ask the driver why it
does not start (``dmesg``).
When it is wrong: the type that is named is another machine's, or the count leaves devices out on purpose. Where nothing
says how many there should be, nothing is shown: then the count is no proof, and links between GPUs say nothing of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from slowlink.facts.readings import latest, node_of, nodes_of
from slowlink.model.facts import Hardware, Observations, Of, Readings, Sweeps
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.hca.named_system import Named, named_system

CAUSES = ("hca-missing", "node-differs", "hardware-unknown")

_FEWEST_PEERS = 3
_KINDS = ("efa-count", "hca-count")
"""What is counted, the more telling first."""


class Expected(NamedTuple):
    """How many there should be, and who says so."""

    number: int
    why: str
    sure: bool = True


def check(
    counts: Annotated[Readings, Of(*_KINDS)],
    ports: Annotated[Readings, Of("port-state", "port-rate")] | None,
    observations: Observations | None,
    hardware: Hardware | None,
    sweeps: Sweeps | None,
) -> Iterator[Finding | Proof]:
    """Against peers, then what was given, then the machine that is named; else it stays open."""
    named = named_system(observations)
    low: dict[Expected, list[Reading]] = {}
    right: list[Reading] = []
    for kind in _KINDS:
        now = list(latest(each for each in counts.all if each.attribute == kind).values())
        expected = _expected(now, named, hardware)
        for reading in now if expected is not None else ():
            if expected is not None and int(reading.value) < expected.number:
                low.setdefault(expected, []).append(reading)
            else:
                right.append(reading)
    for expected, readings in low.items():
        yield _low(readings, expected, named)
    told = {node_of(reading) for readings in low.values() for reading in readings}
    whole = [reading for reading in right if node_of(reading) not in told]
    if whole and not low:
        yield Proof(f"{on_nodes(whole)}all HCAs are there: {_numbers(whole)}", reading_evidence(whole[:1]), weight=0)
    if not low and not right:
        yield from _open(counts, judged=ports is not None or sweeps is not None)
        if ports is None:
            yield from _none(counts)


def _expected(now: Sequence[Reading], named: Named | None, hardware: Hardware | None) -> Expected | None:
    """None where nobody says how many there should be."""
    usual, times = Counter(int(each.value) for each in now).most_common(1)[0] if now else (0, 0)
    if len(now) >= _FEWEST_PEERS and 2 * times > len(now):
        return Expected(usual, f"most of {len(now)} nodes have {usual}")
    if hardware is not None and hardware.given and hardware.nics:
        number = sum(group.count for group in hardware.nics)
        return Expected(number, f"a node should have {number}, as given")
    return Expected(named.hcas, f"{named.title} has {named.hcas}", named.sure) if named is not None else None


def _numbers(readings: Sequence[Reading]) -> str:
    return " or ".join(map(str, sorted({int(reading.value) for reading in readings})))


def _low(readings: Sequence[Reading], expected: Expected, named: Named | None) -> Finding:
    severity: Severity = "error" if expected.sure else "warning"
    confidence: Confidence = "likely" if expected.sure else "possible"
    by_name = [line_evidence(named.ref)] if named is not None and expected.why.startswith(named.title) else []
    return finding(
        "hca-missing",
        f"{on_nodes(readings)}{_numbers(readings)} of {expected.number} HCAs ({expected.why})",
        severity=severity,
        confidence=confidence,
        evidence=(*reading_evidence(readings, expected=f"{expected.number} HCAs"), *by_name),
        suspects=node_suspects(readings),
        explains=("hca-list-incomplete", "busbw-below-expected", "straggler-nic", "node-differs"),
        remedy=[
            ("Compare with a node that has them all.", "lspci | grep -iE 'mellanox|elastic fabric|infiniband'"),
            ("See why the driver has not started them.", "dmesg | grep -iE 'mlx5|efa|bnxt_re|irdma'"),
        ],
    )


def _none(counts: Readings) -> Iterator[Finding]:
    """Nodes that have no RDMA device at all, of which nobody says that they should have one."""
    now = latest(each for each in counts.all if each.attribute == "hca-count")
    empty = [each for each in now.values() if each.value == 0]
    if empty and len(empty) == len(now):
        yield finding(
            "hca-missing",
            f"{on_nodes(empty)}there is no RDMA device, and nothing says that there should be one",
            severity="warning",
            confidence="possible",
            evidence=reading_evidence(empty),
            suspects=node_suspects(empty),
            remedy=[("See whether PCI shows any.", "lspci | grep -iE 'mellanox|elastic fabric|infiniband'")],
        )


def _open(counts: Readings, *, judged: bool) -> Iterator[Finding]:
    """Nobody says how many there should be: nodes that differ, and the question that is left."""
    by_kind: Mapping[str, list[Reading]] = {
        kind: list(latest(each for each in counts.all if each.attribute == kind).values()) for kind in _KINDS
    }
    for now in by_kind.values():
        if len(nodes_of(now)) > 1 and len({each.value for each in now}) > 1:
            words = ", ".join(f"{each.host} has {counted(int(each.value), 'HCA')}" for each in now[:4])
            yield finding(
                "node-differs",
                words,
                severity="warning",
                confidence="certain",
                evidence=reading_evidence(now),
                suspects=node_suspects(now),
                remedy=[("Compare what PCI shows on both.", "lspci | grep -iE 'mellanox|elastic fabric|infiniband'")],
            )
    shown = [each for now in by_kind.values() for each in now if each.value]
    if shown and not judged:
        yield finding(
            "hardware-unknown",
            f"{on_nodes(shown)}{_numbers(shown)} HCAs were counted, and nothing says how many there should be; to "
            "settle it, say which system it is (--system)",
            severity="info",
            confidence="certain",
            evidence=reading_evidence(shown),
            remedy=[("See which machine it is.", "sudo dmidecode -s system-product-name; nvidia-smi -L")],
        )
