from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "hca-driver-failed"
OLD = "Mar 04 02:12:10 gpu21 kernel: mlx5_core: probe of 0000:c1:00.0 failed with error -110"
NEW = "[    9.881344] efa 0000:8f:00.0: probe with driver efa failed with error -62"


def test_a_device_that_could_not_be_started() -> None:
    assert said(RULE, OLD) == snapshot(
        [("hca-driver-failed", "error", "certain", "gpu21: mlx5_core could not start 0000:c1:00.0 (error -110)")]
    )


def test_as_newer_kernels_say_it() -> None:
    assert said(RULE, NEW) == snapshot(
        [("hca-driver-failed", "error", "certain", "efa could not start 0000:8f:00.0 (error -62)")]
    )


def test_other_devices_are_not_its_business() -> None:
    assert findings_of(RULE, "[1.2] i2c_hid: probe of 0018:04F3:31B4.0001 failed with error -22") == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, OLD) == snapshot(
        [
            [
                ("Read what the driver said before, and whether the card is there.", "dmesg -T; lspci; ibv_devices"),
                ("Power the node off and on; update the firmware; replace the card if it happens again.", ""),
            ]
        ]
    )
