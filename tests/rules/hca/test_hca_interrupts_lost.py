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


DEVICE = HOST + "mlx5_core 0000:c5:00.1: "
FOUND = DEVICE + "mlx5_cmd_eq_recover:264:(pid 471): Recovered 1 EQEs on cmd_eq\n"
UNDONE = DEVICE + "wait_func_handle_exec_timeout:1135:(pid 471): cmd[0]: CREATE_EQ(0x301) No done completion\n"
OVER = DEVICE + "wait_func:1166:(pid 471): CREATE_EQ(0x301) timeout. Will cause a leak of a command resource\n"


@pytest.mark.parametrize(
    ("late", "commands"),
    [
        (FOUND + LATE, 1),
        (FOUND + LATE + FOUND + LATE.replace("cmd[0]", "cmd3"), 2),
        (FOUND + LATE + FOUND + LATE.replace("MODIFY_CQ(0x403)", "CREATE_CQ(0x400)"), 2),
        (UNDONE + OVER, 1),
        (FOUND + LATE + UNDONE + OVER, 2),
        (FOUND + FOUND, 2),
        (FOUND + LATE + (FOUND + LATE).replace("gpu21", "gpu22") + REFUSED.replace("gpu21", "gpu22"), 2),
    ],
)
def test_a_command_that_two_lines_tell_counts_once(late: str, commands: int) -> None:
    ((_, _, _, message),) = said(RULE, REFUSED + late)
    assert message.endswith(f"({commands} of them)")


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
