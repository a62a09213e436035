from __future__ import annotations

import sys
from pathlib import Path

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

sys.path.insert(0, str(Path(__file__).parents[1] / "parsers"))
from lspci_text import GPU, HCA, NVME, device, server

GONE = "\t!!! Unknown header type 7f\n\tKernel driver in use: x\n"


def test_a_gpu_that_fell_off_the_bus() -> None:
    text = f"[root@gpu03 ~]# lspci -vv\n{device('0a:00.0', GPU)}1a:00.0 {GPU} (rev ff)\n{GONE}"
    assert said("pci-device-gone", text) == snapshot(
        [("gpu-driver-hung", "critical", "likely", "gpu03: GPU 0000:1a:00.0 on the PCI bus no longer answers")]
    )


def test_an_hca() -> None:
    assert [entry[:3] for entry in said("pci-device-gone", f"1a:00.0 {HCA} (rev ff) (prog-if ff)\n{GONE}")] == [
        ("hca-missing", "critical", "likely")
    ]


def test_other_devices_and_sound_ones() -> None:
    assert findings_of("pci-device-gone", server() + f"2a:00.0 {NVME} (rev ff)\n{GONE}") == ()


def test_it_says_what_to_do() -> None:
    text = f"[root@gpu03 ~]# lspci -vv\n{device('0a:00.0', GPU)}1a:00.0 {GPU} (rev ff)\n{GONE}"
    assert remedies_of("pci-device-gone", text) == snapshot(
        [
            [
                ("See what the kernel says of it.", "dmesg -T | grep -E 'fallen off the bus|AER|pciehp|health'"),
                ("Drain the node and power it off and on.", ""),
            ]
        ]
    )


def test_a_gpu_whose_memory_window_has_no_address() -> None:
    window = "\tRegion 1: Memory at {} (64-bit, prefetchable) [size=128G]\n"
    text = "[root@gpu03 ~]# lspci -vv\n1a:00.0 " + GPU + " (rev a1)\n{}\tKernel driver in use: nvidia\n"
    assert said("pci-device-gone", text.format(window.format("<unassigned>"))) == snapshot(
        [
            (
                "gpu-missing",
                "warning",
                "likely",
                "gpu03: GPU 0000:1a:00.0: a memory window (BAR) has no address, so the driver cannot use it",
            )
        ]
    )
    assert said("pci-device-gone", text.format(window.format("3a0000000000"))) == []
    assert said("pci-device-gone", text.format("\tRegion 5: I/O ports at <unassigned>\n")) == []
