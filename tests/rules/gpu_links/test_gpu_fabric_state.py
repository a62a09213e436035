from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node


def test_not_set_up() -> None:
    text = on_nodes(node07=node(state="In Progress", status="N/A"))
    assert said("gpu-fabric-state", text) == snapshot(
        [
            (
                "fabric-manager-down",
                "critical",
                "likely",
                "node07 GPU 2: the NVLink fabric is not set up (In Progress): no fabric manager that fits the driver, or one that has not finished",
            )
        ]
    )


def test_a_failed_registration() -> None:
    assert said("gpu-fabric-state", node(status="Failure")) == snapshot(
        [
            (
                "fabric-manager-down",
                "error",
                "likely",
                "GPU 2: the NVLink fabric is not set up (Failure): no fabric manager that fits the driver, or one that has not finished",
            )
        ]
    )


def test_a_fabric_that_is_not_whole() -> None:
    assert said("gpu-fabric-state", node(health="Unhealthy")) == snapshot(
        [("nvlink-fabric-unhealthy", "error", "likely", "GPU 2: the NVLink fabric is not whole (unhealthy)")]
    )


def test_not_applicable_is_no_fault() -> None:
    text = node(state="N/A", status="N/A", health="N/A")
    assert findings_of("gpu-fabric-state", text) == ()


def test_cards_without_switches_are_a_possibility() -> None:
    text = node(name="NVIDIA H100 PCIe", state="In Progress", status="N/A")
    assert [(f.severity, f.confidence) for f in findings_of("gpu-fabric-state", text)] == snapshot(
        [("warning", "possible")]
    )


def test_completed() -> None:
    assert proofs_of("gpu-fabric-state", node()) == snapshot([("8 GPUs: the NVLink fabric is set up", 0)])


def test_a_cut_word_is_no_state() -> None:
    text = "GPU 00000000:3B:00.0\n    Fabric\n        State  : Compl\n        Status : Succ\n"
    assert findings_of("gpu-fabric-state", text) == ()


def test_it_says_what_to_do() -> None:
    text = on_nodes(node07=node(state="In Progress", status="N/A"))
    assert remedies_of("gpu-fabric-state", text) == snapshot(
        [
            [
                ("See whether it runs, and what it says.", "systemctl status nvidia-fabricmanager"),
                (
                    "Start it now and at boot; its version must be the driver's.",
                    "systemctl enable --now nvidia-fabricmanager",
                ),
            ]
        ]
    )


def test_a_status_beside_a_fabric_that_is_not_whole_says_nothing_new() -> None:
    found = findings_of("gpu-fabric-state", node(status="Insufficient Resources", health="Unhealthy"))
    assert [each.cause for each in found] == ["nvlink-fabric-unhealthy"]
