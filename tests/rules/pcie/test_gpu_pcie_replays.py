from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node


def replays(count: int) -> str:
    return node().replace("Replays Since Reset                            : 3", f"Replays Since Reset : {count}", 1)


def test_growth() -> None:
    assert said("gpu-pcie-replays", on_nodes(node07=replays(3) + replays(903))) == snapshot(
        [
            (
                "pcie-errors",
                "warning",
                "likely",
                "node07 GPU 0: the PCIe link sent packets again 900 times between two readings",
            )
        ]
    )


def test_thousands_are_more_than_training() -> None:
    ((_, severity, _, _),) = said("gpu-pcie-replays", on_nodes(node07=replays(8_120) + replays(19_331)))
    assert severity == "error"


def test_one_look_tells_only_what_no_training_explains() -> None:
    assert said("gpu-pcie-replays", replays(90_000)) == snapshot(
        [
            (
                "pcie-errors",
                "warning",
                "possible",
                "GPU 0: the PCIe link sent packets again 90000 times since the last reset, far more often than those of the node's other GPUs; a second reading shows whether it goes on",
            )
        ]
    )
    assert findings_of("gpu-pcie-replays", replays(900)) == ()


def test_many_at_all_gpus_are_their_uptime() -> None:
    assert (
        findings_of(
            "gpu-pcie-replays", node().replace("Since Reset                            : 3", "Since Reset : 9000")
        )
        == ()
    )


def test_of_few_gpus_nobody_knows_what_is_usual() -> None:
    head = "# gpu sbecc dbecc pci\n# Idx errs errs errs\n"
    text = head + "    0     0     0     2\n    1     0     0 40000\n    2     0     0     1\n"
    assert findings_of("gpu-pcie-replays", text) == ()
    assert len(findings_of("gpu-pcie-replays", text + "    3     0     0     0\n")) == 1


def test_a_few_come_with_training() -> None:
    assert findings_of("gpu-pcie-replays", replays(3) + replays(9)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-pcie-replays", on_nodes(node07=replays(3) + replays(903))) == snapshot(
        [
            [
                (
                    "Read it again under load, with the kernel's PCIe errors.",
                    "nvidia-smi -q | grep Replay; dmesg | grep AER",
                )
            ]
        ]
    )


def test_packets_that_were_given_up() -> None:
    text = (
        "==============NVSMI LOG==============\nGPU 00000000:1B:00.0\n    PCI\n"
        "        Replays Since Reset               : 0\n        Replay Number Rollovers           : {}\n"
    )
    assert [entry[:3] for entry in said("gpu-pcie-replays", text.format(12))] == [
        ("pcie-errors", "warning", "possible")
    ]
    assert said("gpu-pcie-replays", text.format(0)) == []
