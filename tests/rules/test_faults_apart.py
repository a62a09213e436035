"""Different faults on different nodes are two diagnoses, although they have one cause."""

from __future__ import annotations

from slowlink.model.report import Finding, Severity
from slowlink.rules.diagnosis import diagnose
from slowlink.rules.evidence.findings import finding, suspects

MISMATCH = "version-mismatch"


def found(
    message: str, *nodes: str, cause: str = MISMATCH, severity: Severity = "error", explains: tuple[str, ...] = ()
) -> Finding:
    return finding(
        cause, message, severity=severity, confidence="certain", suspects=suspects("node", nodes), explains=explains
    )


def told(*findings: Finding) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(d.cause, d.message, tuple(s.name for s in d.suspects), d.explains) for d in diagnose(findings)]


def test_two_faults_on_two_nodes() -> None:
    library, firmware = found("node1: the library does not fit", "node1"), found("node2: firmware is old", "node2")
    assert told(library, firmware) == [
        (MISMATCH, "node1: the library does not fit", ("node1",), ()),
        (MISMATCH, "node2: firmware is old", ("node2",), ()),
    ]


def test_one_fault_on_two_nodes_and_two_faults_on_one_node_are_one() -> None:
    same = found("node1: 3 of 8 fit", "node1"), found("node2: 5 of 8 fit", "node2")
    assert [names for _, _, names, _ in told(*same)] == [("node1", "node2")]
    shared = found("node1: the library does not fit", "node1"), found("firmware is old", "node1", "node2")
    assert [names for _, _, names, _ in told(*shared)] == [("node1", "node2")]


def test_a_finding_without_a_node_joins_the_first() -> None:
    nowhere = found("some library does not fit")
    one, other = found("node1: firmware is old", "node1"), found("node2: image differs", "node2")
    assert [message for _, message, _, _ in told(nowhere, one, other)] == [nowhere.message, other.message]
    assert [message for _, message, _, _ in told(nowhere, nowhere)] == [nowhere.message]


def test_a_fault_inside_a_node_is_not_explained_by_one_on_another() -> None:
    lost = found("gpu1 is gone", "node1", cause="gpu-missing", severity="critical", explains=("gpu-driver-hung",))
    here = found("gpu2 hangs", "node1", cause="gpu-driver-hung")
    there = found("gpu2 hangs", "node2", cause="gpu-driver-hung")
    assert [cause for cause, *_ in told(lost, here)] == ["gpu-missing"]
    assert [cause for cause, *_ in told(lost, there)] == ["gpu-missing", "gpu-driver-hung"]
