"""lspci in its forms: lists, details, trees, and what grep left of them."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from lspci_text import GPU, HCA, NVSWITCH, TREE, device, server

from slowlink.catalog.pci import role_of
from slowlink.inputs import Input
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.lspci import Lspci
from slowlink.parsers.reading.read import read


def said(text: str) -> list[tuple[str, str, str, Any]]:
    return [(r.part.kind, r.part.name, r.attribute, r.value) for r in feed(Lspci, text.splitlines())]


def test_all_that_is_read_of_a_gpu() -> None:
    assert said(device("1a:00.0", GPU)) == snapshot(
        [
            ("pci", "0000:1a:00.0", "pci-role", "gpu"),
            ("pci", "0000:1a:00.0", "pci-device", "NVIDIA Corporation GH100 [H100 SXM5 80GB]"),
            ("pci", "0000:1a:00.0", "pci-answers", True),
            ("pci", "0000:1a:00.0", "pci-numa-node", 1),
            ("pci", "0000:1a:00.0", "iommu-group", "42"),
            ("pci", "0000:1a:00.0", "pcie-max-payload-supported", 512),
            ("pci", "0000:1a:00.0", "pcie-max-payload", 256),
            ("pci", "0000:1a:00.0", "pcie-max-read-request", 4096),
            ("pci", "0000:1a:00.0", "pcie-error-bits", "CorrErr"),
            ("gpu", "0000:1a:00.0", "pcie-speed-max", 32.0),
            ("gpu", "0000:1a:00.0", "pcie-width-max", 16),
            ("gpu", "0000:1a:00.0", "pcie-speed", 32.0),
            ("gpu", "0000:1a:00.0", "pcie-width", 16),
            ("gpu", "0000:1a:00.0", "pcie-speed-reduced", False),
            ("gpu", "0000:1a:00.0", "pcie-width-reduced", False),
            ("pci", "0000:1a:00.0", "pci-driver", "driver"),
        ]
    )


def test_every_line_of_a_whole_output_is_known() -> None:
    (stats,) = read([Input("lspci.txt", None, [(server() + TREE).encode()])], workers=1).sources
    assert stats.unread == 0
    assert stats.used + stats.ignored == stats.lines


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("06:00.0 3D controller [0302]: NVIDIA Corporation AD102GL [L40S] [10de:26b9] (rev a1)", "gpu"),
        (
            "0000:c1:00.0 Processing accelerators: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]",
            "gpu",
        ),
        ("31:00.0 Display controller: Device 9999:4001 (rev 01)", "gpu"),
        ("3b:00.0 0302: 10de:20b2 (rev a1)", "gpu"),
        (
            "4b:00.2 Ethernet controller [0200]: Mellanox Technologies ConnectX Family mlx5Gen Virtual Function [15b3:101e] (rev 01)",
            "hca",
        ),
        ("12:00.0 Infiniband controller [0207]: Mellanox Technologies MT28908 Family [ConnectX-6] [15b3:101b]", "hca"),
        ("00:06.0 Ethernet controller: Amazon.com, Inc. Elastic Fabric Adapter (EFA)", "hca"),
        ("04:00.0 Ethernet controller: Broadcom Inc. and subsidiaries NetXtreme BCM5720 Gigabit Ethernet PCIe", "nic"),
        ("86:00.0 Bridge [0680]: NVIDIA Corporation GA100 [A100 NVSwitch] [10de:1af1] (rev a1)", "nvswitch"),
        ("00:01.0 PCI bridge: Intel Corporation Device 352a (rev 04) (prog-if 00 [Normal decode])", "bridge"),
        ('17:00.0 "3D controller" "NVIDIA Corporation" "GA100 [A100 SXM4 40GB]" -ra1', "gpu"),
    ],
)
def test_roles(text: str, role: str) -> None:
    assert next(entry[3] for entry in said(text) if entry[2] == "pci-role") == role
    assert Lspci.wants(shape_of(text).decode())


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Audio device", "NVIDIA Corporation GA102 High Definition Audio Controller"),
        ("VGA compatible controller", "ASPEED Technology, Inc. ASPEED Graphics Family"),
        ("VGA compatible controller", "Red Hat, Inc. Virtio GPU"),
        ("DMA controller", "Mellanox Technologies MT43244 BlueField-3 SoC Management Interface"),
        ("System peripheral", "Intel Corporation Device 09a2"),
    ],
)
def test_what_looks_alike_has_no_role(kind: str, name: str) -> None:
    assert role_of(kind, name) == "other"


RECORDS = """\
Slot:\t0000:3b:00.0
Class:\t3D controller [0302]
Vendor:\tNVIDIA Corporation [10de]
Device:\tGA100 [A100 PCIe 80GB] [20b5]
SVendor:\tNVIDIA Corporation [10de]
Rev:\ta1
Driver:\tnvidia
Module:\tnouveau
NUMANode:\t0
IOMMUGroup:\t31

Slot:\t00:1f.0
Class:\tISA bridge
Vendor:\tIntel Corporation
Device:\tC620 LPC Controller
NUMANode:\t0
"""


def test_records() -> None:
    gpu = ("pci", "0000:3b:00.0")
    assert said(RECORDS) == [
        (*gpu, "pci-role", "gpu"),
        (*gpu, "pci-device", "NVIDIA Corporation [10de] GA100 [A100 PCIe 80GB] [20b5]"),
        (*gpu, "pci-driver", "nvidia"),
        (*gpu, "pci-numa-node", 0),
        (*gpu, "iommu-group", "31"),
    ]


def test_a_tree_places_bridges_and_devices() -> None:
    assert said(TREE) == snapshot(
        [
            ("pci", "0000:57:01.0", "pci-role", "bridge"),
            ("pci", "0000:57:01.0", "pci-buses", "58-58"),
            ("pci", "0000:58:00.0", "pci-role", "nvswitch"),
            ("pci", "0000:58:00.0", "pci-device", "NVIDIA Corporation GH100 [H100 NVSwitch]"),
            ("pci", "0000:17:01.0", "pci-role", "bridge"),
            ("pci", "0000:17:01.0", "pci-buses", "18-1c"),
            ("pci", "0000:18:00.0", "pci-role", "bridge"),
            ("pci", "0000:18:00.0", "pci-buses", "19-1c"),
            ("pci", "0000:19:00.0", "pci-role", "bridge"),
            ("pci", "0000:19:00.0", "pci-buses", "1a-1a"),
            ("pci", "0000:1a:00.0", "pci-role", "gpu"),
            ("pci", "0000:1a:00.0", "pci-device", "NVIDIA Corporation GH100 [H100 SXM5 80GB]"),
            ("pci", "0000:19:04.0", "pci-role", "bridge"),
            ("pci", "0000:19:04.0", "pci-buses", "1b-1b"),
            ("pci", "0000:1b:00.0", "pci-role", "hca"),
            ("pci", "0000:1b:00.0", "pci-device", "Mellanox Technologies MT2910 Family [ConnectX-7]"),
            ("pci", "0000:19:08.0", "pci-role", "bridge"),
            ("pci", "0000:19:08.0", "pci-buses", "1c-1c"),
        ]
    )


def test_devices_that_grep_took_away_are_numbered() -> None:
    lines = "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x8 (downgraded)\n"
    assert said(lines + lines) == [
        (kind, f"#{number}", attribute, value)
        for number in (1, 2)
        for kind, attribute, value in (
            ("pci", "pcie-speed-max", 16.0),
            ("pci", "pcie-width-max", 16),
            ("pci", "pcie-speed", 16.0),
            ("pci", "pcie-width", 8),
            ("pci", "pcie-width-reduced", True),
        )
    ]


def test_each_command_numbers_its_own_devices() -> None:
    text = "".join(f"[root@gpu{n} ~]# lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tReqRedir- CmpltRedir-\n" for n in (1, 2))
    assert [entry[1] for entry in said(text)] == ["#1", "#1"]


def test_wants_is_blind_to_digits() -> None:
    for text in (server() + TREE).splitlines():
        assert Lspci.wants(text) == Lspci.wants(shape_of(text).decode()), text


def test_the_device_that_was_asked_for_has_its_address() -> None:
    found = said("$ sudo lspci -s 1a:00.0 -vv | grep LnkSta:\n\t\tLnkSta:\tSpeed 8GT/s (ok), Width x8 (ok)\n")
    assert {entry[1] for entry in found} == {"0000:1a:00.0"}


def test_without_root_the_capabilities_are_denied() -> None:
    text = f"1a:00.0 {GPU}\n\tCapabilities: <access denied>\n\n1b:00.0 {HCA}\n\tCapabilities: <access denied>\n"
    assert said(text)[2:3] == [("node", "", "pci-capabilities-readable", False)]


def test_a_device_that_fell_off_the_bus() -> None:
    text = f"1a:00.0 {GPU} (rev ff)\n\t!!! Unknown header type 7f\n\tKernel driver in use: nvidia\n"
    assert ("pci", "0000:1a:00.0", "pci-answers", False) in said(text)
    assert ("pci", "0000:1a:00.0", "pci-answers", True) not in said(text)


def test_details_far_below_a_device_are_not_its_own() -> None:
    text = f"1a:00.0 {NVSWITCH}\n" + "\n" * 12 + "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir-\n"
    assert said(text)[-1] == ("pci", "#1", "acs-source-validation", False)


def test_other_tools_indent_as_well() -> None:
    assert said("CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n") == []


@given(
    st.lists(st.one_of(st.text(max_size=80), st.sampled_from((server() + TREE + RECORDS).splitlines())), max_size=60)
)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Lspci, lines):
        assert 1 <= r.ref.line <= len(lines)


@given(end=st.integers(0, len(server())))
def test_cut_off_anywhere_invents_nothing(end: int) -> None:
    whole, found = said(server()), said(server()[:end])
    assert found[:-8] == whole[: max(0, len(found) - 8)]
    assert {entry[:3] for entry in found} <= {entry[:3] for entry in whole} | {
        (kind, entry[1], entry[2]) for entry in whole for kind in ("pci", "gpu", "hca")
    }


def test_a_deep_branch_of_a_tree_is_asked_for() -> None:
    branch = " " * 12 + "|" + " " * 120 + "\\-10.0-[33]----00.0  Mellanox Technologies MT2910 Family [ConnectX-7]"
    assert Lspci.wants(branch)


@pytest.mark.parametrize("between", [" ", ": ", " => ", " \t\t"])
def test_a_loop_that_prints_the_address_before_what_grep_left(between: str) -> None:
    rows = (("17:00.0", "Speed 32GT/s, Width x16"), ("3d:00.0", "Speed 2.5GT/s (downgraded), Width x16 (ok)"))
    ask = "# for d in $(lspci -d 10de: | cut -d' ' -f1); do echo -n $d; lspci -vv -s $d | grep LnkSta:; done\n"
    text = "".join(f"{address}{between}LnkSta: {link}\n" for address, link in rows)
    assert said(ask + text) == [
        ("gpu", "0000:17:00.0", "pcie-speed", 32.0),
        ("gpu", "0000:17:00.0", "pcie-width", 16),
        ("gpu", "0000:3d:00.0", "pcie-speed", 2.5),
        ("gpu", "0000:3d:00.0", "pcie-width", 16),
        ("gpu", "0000:3d:00.0", "pcie-speed-reduced", True),
        ("gpu", "0000:3d:00.0", "pcie-width-reduced", False),
    ]
    assert said(text) == []  # of which devices?


@pytest.mark.parametrize("front", ["17:00.0 \t\t", "0000:17:00.0 ", "bridge 17:00.0  above GPU 0000:18:00.0   "])
def test_access_control_beside_the_address_of_a_bridge(front: str) -> None:
    """Whatever the loop asked for: bridges alone have it."""
    assert said(f"{front}ACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n") == [
        ("pci", "0000:17:00.0", "acs-redirect", True),
        ("pci", "0000:17:00.0", "acs-source-validation", True),
    ]


def test_an_address_in_a_sentence_is_no_row_of_a_loop() -> None:
    assert said("3d:00.0 Note: the LnkSta: Speed 2.5GT/s, Width x4 is bad\n17:00.0 LnkSta says Width x4\n") == []
