from __future__ import annotations

import pytest
from text_findings import findings_of, said

RULE = "hca-interrupts-lost"
HOST = "Mar 04 02:12:10 gpu21 kernel: "
REFUSED = (
    HOST + "DMAR: [INTR-REMAP] Request device [c5:00.1] fault index 0x41 [fault reason 0x22] Present field in the IRTE"
    " entry is clear\n"
)
WIDE = REFUSED.replace("[c5:00.1]", "[0xc5:0x00.1]")
LATE = (
    HOST + "mlx5_core 0000:c5:00.1: wait_func_handle_exec_timeout:1128:(pid 471): cmd[0]: MODIFY_CQ(0x403) recovered"
    " after timeout\n"
)


@pytest.mark.parametrize("refused", [REFUSED, WIDE])
def test_refused_interrupts_and_late_commands_of_one_device_are_a_cause(refused: str) -> None:
    assert said(RULE, refused + LATE) == [
        (
            "hca-interrupts-lost",
            "error",
            "likely",
            "gpu21: the IOMMU refuses interrupts of the HCA 0000:c5:00.1, whose driver hears of its commands only after"
            " their time is over (1 of them)",
        )
    ]


def test_of_two_devices_or_nodes_they_are_none() -> None:
    for other in (LATE.replace("c5:00.1", "c6:00.1"), LATE.replace("gpu21", "gpu22"), ""):
        assert findings_of(RULE, REFUSED + other) == ()


@pytest.mark.parametrize("line", [REFUSED, WIDE, LATE])
def test_each_alone_is_an_error_without_a_reason(line: str) -> None:
    (found,) = findings_of("errors-unexplained", line)
    assert found.cause == "error-unexplained"


@pytest.mark.parametrize(
    "text",
    [
        "DMAR-IR: Enabled IRQ remapping in x2apic mode",
        "DMAR-IR: Queued invalidation will be enabled to support x2apic and Intr-remapping.",
        "AMD-Vi: Interrupt remapping enabled",
        "DMAR-IR: IOAPIC id 8 under DRHD base  0xfed91000 IOMMU 0",
    ],
)
def test_how_interrupt_remapping_came_up_is_no_fault(text: str) -> None:
    assert findings_of(RULE, HOST + text + "\n" + LATE) == ()
    assert findings_of("errors-unexplained", HOST + text + "\n") == ()
