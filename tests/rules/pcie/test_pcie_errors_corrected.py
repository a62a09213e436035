from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

import slowlink

RULE = "pcie-errors-corrected"
PORT, GPU = "0000:15:01.0", "0000:17:00.0"
LINK = (
    "17:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"
    "\tLnkCap: Port #0, Speed 32GT/s, Width x16, ASPM not supported\n\tLnkSta: Speed 32GT/s, Width x16\n"
)


def error(driver: str = "nvidia", address: str = GPU, at: str = "08:11:02") -> str:
    return (
        f"[Mi Nov  5 {at} 2025] pcieport {PORT}: AER: Corrected error message received from {address}\n"
        f"[Mi Nov  5 {at} 2025] {driver} {address}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, "
        "(Receiver ID)\n"
        f"[Mi Nov  5 {at} 2025] {driver} {address}:    [ 7] BadDLLP\n"
    )


def test_a_few_of_a_gpu_are_a_warning() -> None:
    assert said(RULE, error() + error(at="09:30:00")) == snapshot(
        [("pcie-errors", "warning", "likely", "GPU 0000:17:00.0 logged 2 corrected PCIe errors (BadDLLP)")]
    )


def test_more_than_a_handful_in_a_minute_are_an_error() -> None:
    assert said(RULE, "".join(error("mlx5_core", "0000:18:00.0", f"08:11:{second:02}") for second in range(9))) == (
        snapshot([("pcie-errors", "error", "likely", "HCA 0000:18:00.0 logged 9 corrected PCIe errors (BadDLLP)")])
    )


def test_one_in_each_of_many_minutes_is_no_burst() -> None:
    steady = "".join(error(at=f"08:{minute:02}:07") for minute in range(10, 30, 2))
    assert [found[1] for found in said(RULE, steady)] == ["error"]
    since_the_start = "".join(
        f"[{60 * minute}.201133] nvidia {GPU}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)\n"
        for minute in range(1500, 1512)
    )
    assert [found[1] for found in said(RULE, since_the_start)] == ["error"]
    seldom = "".join(error(at=f"{hour:02}:10:07") for hour in range(24))
    assert [found[1] for found in said(RULE, seldom)] == ["warning"]


def test_what_the_kernel_left_out_counts() -> None:
    (found,) = findings_of(RULE, error() + "[Mi Nov  5 08:11:09 2025] aer_ratelimit: 88 callbacks suppressed\n")
    assert (found.severity, found.confidence, found.message) == snapshot(
        (
            "error",
            "likely",
            "GPU 0000:17:00.0 logged 1 corrected PCIe error (BadDLLP), and 88 more that the kernel did not print",
        )
    )
    assert [(step.text, step.command) for step in found.remedy] == snapshot(
        [
            (
                "See whether the count grows, under load and a minute apart.",
                "grep . /sys/bus/pci/devices/0000:17:00.0/aer_dev_correctable",
            ),
            ("Compare what the link can do with what it does, under load.", "lspci -vv | grep -E 'LnkCap:|LnkSta:'"),
            ("Reseat the card, and compare with a sound node.", ""),
        ]
    )


def test_errors_of_a_port_count_where_a_gpu_lies_behind_it() -> None:
    port = "".join(
        f"[  {second}.201133] pcieport {PORT}: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n"
        for second in range(60, 80)
    )
    tree = (
        "15:01.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)\n"
        "\tBus: primary=15, secondary=17, subordinate=17, sec-latency=0\n" + LINK
    )
    assert [entry[1:] for entry in said(RULE, port + tree)] == snapshot(
        [("error", "likely", "the PCIe port 0000:15:01.0 logged 20 corrected PCIe errors")]
    )
    assert [entry[1:] for entry in said(RULE, port)] == snapshot(
        [
            (
                "warning",
                "possible",
                "the PCIe port 0000:15:01.0 logged 20 corrected PCIe errors; which device is behind it is not shown",
            )
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "".join(error("nvme", "0000:81:00.0", f"08:11:{second:02}") for second in range(20)),
        f"[  60.2] pcieport {PORT}: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n",
        "[Mi Nov  5 08:11:09 2025] aer_ratelimit: 88 callbacks suppressed\n",
    ],
)
def test_silent_on_other_devices_and_on_one_error_of_an_unknown_port(text: str) -> None:
    assert findings_of(RULE, text) == ()


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        ("", "healthy"),
        (error(), "degraded"),
        ("".join(error(at=f"08:11:{second:02}") for second in range(9)), "degraded"),
    ],
)
def test_a_link_at_full_width_with_errors_is_not_healthy(tmp_path: Path, log: str, verdict: str) -> None:
    (tmp_path / "dmesg.txt").write_text(log + LINK)
    assert slowlink.analyze(tmp_path).verdict == verdict
