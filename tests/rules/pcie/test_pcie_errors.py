from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "pcie-errors"
KERNEL = "Mar 04 02:12:10 gpu21 kernel: "


def report(severity: str, section: str) -> str:
    return (
        f"{KERNEL}{{1}}[Hardware Error]: event severity: {severity}\n"
        f"{KERNEL}{{1}}[Hardware Error]:   section_type: {section}\n"
    )


@pytest.mark.parametrize("what", ["Link Down", "Card not present"])
def test_a_slot_that_lost_its_device_may_have_held_a_disk(what: str) -> None:
    assert said(RULE, f"{KERNEL}pcieport 0000:40:01.1: pciehp: Slot(3): {what}\n") == [
        ("pcie-errors", "warning", "possible", "gpu21: the PCIe port 0000:40:01.1 lost its device")
    ]


def test_a_fatal_report_of_the_firmware() -> None:
    (found,) = findings_of(RULE, report("fatal", "PCIe error"))
    assert (found.severity, found.confidence, found.message) == snapshot(
        ("error", "likely", "gpu21: the hardware reported a fatal error of PCIe")
    )
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            (
                "See which device is behind the port, and what came before.",
                "lspci -tv; dmesg -T | grep -E 'pciehp|AER'",
            ),
            ("Drain the node and reseat the card.", ""),
        ]
    )


def test_one_that_the_node_survived_is_a_warning() -> None:
    assert [entry[1:] for entry in said(RULE, report("recoverable", "PCIe error"))] == snapshot(
        [("warning", "likely", "gpu21: the hardware reported a recoverable error of PCIe")]
    )


PORT = f"{KERNEL}pcieport 0000:0a:01.0: AER: {{}} error {{}} 0000:0c:00.0\n"
GPU = (
    f"{KERNEL}nvidia 0000:0c:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer, "
    "(Receiver ID)\n"
)


@pytest.mark.parametrize(
    "text",
    [
        PORT.format("Uncorrectable (Fatal)", "message received from"),
        PORT.format("Uncorrected (Fatal)", "received:"),
        PORT.format("Multiple Uncorrected (Fatal)", "message received from") + GPU,
    ],
)
def test_a_fatal_error_that_the_kernel_logs(text: str) -> None:
    assert said(RULE, text) == [("pcie-errors", "error", "likely", "gpu21: a fatal PCIe error of 0000:0c:00.0")]


def test_a_device_that_recovered_from_it_is_a_warning() -> None:
    back = f"{KERNEL}pcieport 0000:0a:01.0: AER: device recovery successful\n"
    assert [entry[1:] for entry in said(RULE, GPU + back)] == snapshot(
        [("warning", "likely", "gpu21: a fatal PCIe error of 0000:0c:00.0, and the device recovered")]
    )
    assert [entry[1] for entry in said(RULE, back + GPU)] == ["error"]


def test_that_of_an_hca_is_told_by_its_own_rule_with_the_line_of_its_port() -> None:
    assert findings_of(RULE, PORT.format("Uncorrected (Fatal)", "received:") + GPU.replace("nvidia", "mlx5_core")) == ()


@pytest.mark.parametrize(
    "text",
    [
        PORT.format("Uncorrected (Non-Fatal)", "received:"),
        f"{KERNEL}pcieport 0000:40:01.1: pciehp: Slot(3): Link Up\n",
        report("corrected", "PCIe error"),
        report("fatal", "memory error"),
    ],
)
def test_silent_on_what_is_corrected_or_not_pcie(text: str) -> None:
    assert findings_of(RULE, text) == ()
