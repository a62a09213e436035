from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "hca-fault"
HEALTH = "Mar 04 02:12:10 gpu21 kernel: mlx5_core 0000:c1:00.0: poll_health:815:(pid 0): device's health compromised"
AER = "[5.1] mlx5_core 0000:38:00.0: PCIe Bus Error: severity={}, type=Transaction Layer, (Requester ID)"


def test_firmware_that_stopped() -> None:
    assert said(RULE, HEALTH) == snapshot(
        [("hca-fatal-error", "error", "likely", "gpu21 HCA 0000:c1:00.0 failed: the firmware stopped answering")]
    )


def test_one_that_recovered() -> None:
    back = "Mar 04 02:12:19 gpu21 kernel: mlx5_core 0000:c1:00.0: mlx5_health_try_recover:330:(pid 9): "
    assert [entry[1:] for entry in said(RULE, f"{HEALTH}\n{back}health recovery succeeded")] == snapshot(
        [("warning", "likely", "gpu21 HCA 0000:c1:00.0 failed: the firmware stopped answering, and it recovered")]
    )


def test_a_fatal_error_that_its_driver_polled() -> None:
    line = "[9.1] mlx5_core 0000:38:00.0: poll_health:800:(pid 0): Fatal error 3 detected"
    assert [entry[:2] for entry in said(RULE, line)] == [("hca-fatal-error", "error")]


def test_a_fatal_pcie_error() -> None:
    assert said(RULE, AER.format("Uncorrected (Fatal)")) == snapshot(
        [("hca-fatal-error", "error", "likely", "HCA 0000:38:00.0 failed: a fatal PCIe error")]
    )


@pytest.mark.parametrize(
    "line",
    [
        AER.format("Corrected"),
        AER.format("Uncorrected (Non-Fatal)"),
        "[5.1] nvme 0000:38:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
        "[5.1] mlx5_core 0000:38:00.0: print_health_info:420:(pid 0): Health issue observed, High temperature",
    ],
)
def test_what_devices_survive(line: str) -> None:
    assert findings_of(RULE, line) == ()


def test_time_outs_after_which_the_driver_goes_on_are_warnings() -> None:
    text = (
        "Mar 04 02:12:10 gpu21 kernel: mlx5_core 0000:c1:00.0: wait_func:1167:(pid 7): MANAGE_PAGES(0x108) timeout. "
        "Will cause a leak of a command resource\n"
        "Mar 04 02:12:30 gpu21 kernel: mlx5_core 0000:38:00.0 ens1np0: TX timeout detected\n"
    )
    assert said(RULE, text) == snapshot(
        [
            (
                "hca-fatal-error",
                "warning",
                "likely",
                "gpu21 HCA 0000:c1:00.0 did not answer its driver in time (MANAGE_PAGES)",
            ),
            (
                "hca-fatal-error",
                "warning",
                "likely",
                "gpu21 HCA 0000:38:00.0 sent nothing for some seconds (ens1np0)",
            ),
        ]
    )
    assert [found.explains for found in findings_of(RULE, text)] == [(), ()]


def test_one_that_its_driver_could_not_start() -> None:
    line = (
        HEALTH.partition("poll_health")[0]
        + "wait_func:1136:(pid 7): {} timeout. Will cause a leak of a command resource"
    )
    assert [entry[1:] for entry in said(RULE, line.format("ENABLE_HCA(0x104)"))] == snapshot(
        [("error", "likely", "gpu21 HCA 0000:c1:00.0 did not start: its firmware did not answer ENABLE_HCA")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, HEALTH) == snapshot(
        [
            [
                ("See whether it came back, and what came before.", "ibv_devices; dmesg -T | grep -E 'mlx5_core|AER'"),
                ("Drain the node and power it off and on.", ""),
            ]
        ]
    )
