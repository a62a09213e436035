from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

from slowlink.workflows.analyze import analyze

sys.path.insert(0, str(Path(__file__).parents[1] / "parsers"))
from lspci_text import GPU, HCA, bridge, device, server

RULE = "pcie-link-below-capability"
PROMPT = "[root@gpu03 ~]# lspci -vvv\n"
NARROW = "Speed 32GT/s (ok), Width x8 (downgraded)"
SLOW = "Speed 2.5GT/s (downgraded), Width x16 (ok)"


def test_a_gpu_with_half_its_lanes() -> None:
    assert said(RULE, PROMPT + server(gpu=NARROW)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "gpu03: GPU 0000:1a:00.0: a PCIe link of 8 of 16 lanes at 32 GT/s; 1 other of the node runs at full width and speed",
            )
        ]
    )


def test_gpus_that_are_all_alike_may_be_so_by_design() -> None:
    text = "".join(device(f"{n}a:00.0", GPU, NARROW) for n in range(4))
    assert [entry[:3] for entry in said(RULE, text)] == [("pcie-link-degraded", "warning", "possible")]
    assert [entry[:3] for entry in said(RULE, device("1a:00.0", GPU, NARROW))] == [
        ("pcie-link-degraded", "error", "likely")
    ]


def test_the_speed_of_a_narrow_gpu_that_may_be_idle_is_no_fault() -> None:
    text = device("1a:00.0", GPU, "Speed 2.5GT/s (downgraded), Width x8 (downgraded)")
    assert said(RULE, text)[0][3] == snapshot("GPU 0000:1a:00.0: a PCIe link of 8 of 16 lanes; the device can do more")


def test_the_fewer_lanes_of_a_nameless_link_the_surer_it_may_be_a_port() -> None:
    for lanes, severity in ((8, "warning"), (1, "info")):
        lines = "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16\n\t\tLnkSta:\tSpeed 8GT/s (ok), "
        assert [each[:2] for each in said(RULE, f"{lines}Width x{lanes} (downgraded)\n")] == [
            ("pcie-link-degraded", severity)
        ]


def test_an_hca_at_a_lower_speed() -> None:
    assert said(RULE, PROMPT + server(hca="Speed 16GT/s (downgraded), Width x16 (ok)")) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "gpu03: HCA 0000:1b:00.0: a PCIe link of 16 lanes at 16 of 32 GT/s; 1 other of the node runs at full width and speed",
            )
        ]
    )


def test_idle_gpus_save_power() -> None:
    text = "".join(device(f"{n}a:00.0", GPU, SLOW) for n in range(4))
    assert said(RULE, text) == []
    assert proofs_of(RULE, text) == snapshot(
        [
            (
                "the PCIe links of 4 GPUs have all their lanes; how fast they are under load is not shown: look while a job runs",
                0,
            )
        ]
    )


def test_idle_gpus_beside_sound_hcas_are_told_apart() -> None:
    text = device("0a:00.0", GPU, SLOW) + device("1a:00.0", GPU, SLOW) + device("1b:00.0", HCA)
    assert proofs_of(RULE, text) == snapshot(
        [
            ("the PCIe links of 1 HCA have all their lanes", 1),
            (
                "the PCIe links of 2 GPUs have all their lanes; how fast they are under load is not shown: look while a job runs",
                0,
            ),
        ]
    )


def test_generations_that_were_read_while_idle() -> None:
    text = "index, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max\n"
    assert proofs_of(RULE, text + "0, 1, 4, 16, 16\n1, 1, 4, 16, 16\n") == snapshot(
        [
            (
                "the PCIe links of 2 GPUs have all their lanes; how fast they are under load is not shown: look while a job runs",
                0,
            )
        ]
    )
    assert proofs_of(RULE, text + "0, 4, 4, 16, 16\n1, 4, 4, 16, 16\n") == snapshot(
        [("the PCIe links of 2 GPUs have all their lanes", 1)]
    )


def test_one_slow_gpu_among_fast_ones_is_only_possible() -> None:
    text = device("0a:00.0", GPU, SLOW) + "".join(device(f"{n}a:00.0", GPU) for n in range(1, 4))
    assert [entry[:3] for entry in said(RULE, text)] == [("pcie-link-degraded", "warning", "possible")]


def test_a_second_sample_at_full_speed_clears_it() -> None:
    slow = device("0a:00.0", GPU, SLOW) + "".join(device(f"{n}a:00.0", GPU) for n in range(1, 4))
    assert said(RULE, PROMPT + slow + PROMPT + slow.replace(SLOW, "Speed 32GT/s (ok), Width x16 (ok)")) == []


def test_two_slow_samples_do_not() -> None:
    slow = device("0a:00.0", GPU, SLOW) + "".join(device(f"{n}a:00.0", GPU) for n in range(1, 4))
    assert said(RULE, PROMPT + slow + PROMPT + slow) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "gpu03: GPU 0000:0a:00.0: a PCIe link of 16 lanes at 2.5 of 32 GT/s; in 2 samples it never reached the speed of the other GPUs",
            )
        ]
    )


def test_the_port_above_may_be_the_limit() -> None:
    text = bridge("17:01.0", "18", "18", speed="16GT/s") + device(
        "18:00.0", HCA, "Speed 16GT/s (downgraded), Width x16 (ok)"
    )
    assert said(RULE, text)[0][3].endswith("the port above it can do no more")


@pytest.mark.parametrize("state", ["Speed unknown (downgraded), Width x0 (downgraded)", "Speed 2.5GT/s, Width x0"])
def test_virtual_functions_have_no_lanes(state: str) -> None:
    assert findings_of(RULE, device("18:00.0", HCA, state)) == ()


def test_a_storage_adapter_beside_faster_ones_is_only_possible() -> None:
    old = "Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]"
    text = device("18:00.0", HCA) + device("19:00.0", old, "Speed 8GT/s (ok), Width x8 (downgraded)", cap="8GT/s")
    assert [entry[:3] for entry in said(RULE, text)] == [("pcie-link-degraded", "warning", "possible")]


def test_drives_switches_and_empty_ports_are_not_judged() -> None:
    assert said(RULE, server()) == []
    assert proofs_of(RULE, server()) == snapshot([("the PCIe links of 2 GPUs and 2 HCAs have all their lanes", 1)])


def test_links_without_names_may_be_anything() -> None:
    lines = "\t\tLnkSta:\tSpeed 8GT/s (ok), Width x8 (downgraded)\n\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x0 (downgraded)\n"
    assert said(RULE, lines) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "1 PCIe link below what the device can do; the output does not name the devices: ports with smaller cards and storage show the same as GPUs or HCAs",
            )
        ]
    )


@pytest.mark.parametrize(
    "link",
    [
        "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x{}\n",
        "\t\tLnkSta: Speed 5GT/s (downgraded), Width x{} (ok)\n",
        "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x{}\n",
    ],
)
def test_a_low_speed_alone_of_devices_without_names_accuses_nobody(link: str) -> None:
    """Idle GPUs look like this; the lanes would tell."""
    assert said(RULE, 4 * link.format(16)) == []
    assert [entry[:3] for entry in said(RULE, 4 * link.format("8 (downgraded)"))] == [
        ("pcie-link-degraded", "warning", "possible")
    ]


def test_idle_gpus_that_nvidia_smi_shows_explain_links_without_names() -> None:
    text = (
        "index, pstate, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max\n"
        "0, P8, 1, 5, 16, 16\n1, P8, 1, 5, 16, 16\n"
        "$ lspci -s 18:00.0 -vv | grep LnkSta:\n\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16\n"
        "$ lspci -d 10de: -vv | grep LnkSta:\n" + 2 * "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16\n"
    )
    assert said(RULE, text) == []


def test_the_one_device_that_was_asked_for() -> None:
    asked = "$ lspci -s 18:00.0 -vv | grep Lnk\n\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x{}\n"
    assert proofs_of(RULE, asked.format(16)) == snapshot(
        [("the PCIe link of 0000:18:00.0 runs at its full width and speed", 1)]
    )
    assert [entry[:3] for entry in said(RULE, asked.format(8))] == [("pcie-link-degraded", "error", "likely")]
    slower = asked.replace("LnkSta:\tSpeed 16GT/s", "LnkSta:\tSpeed 8GT/s")
    assert [entry[:3] for entry in said(RULE, slower.format(16))] == [("pcie-link-degraded", "warning", "possible")]


def test_lspcis_own_word_where_the_capability_was_not_shown() -> None:
    text = f"18:00.0 {HCA}\n\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x16 (ok)\n"
    assert said(RULE, text) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "HCA 0000:18:00.0: a PCIe link of 16 lanes at 8 GT/s; the device can do more",
            )
        ]
    )


def test_under_load_the_speed_counts() -> None:
    text = (
        "[root@gpu03 ~]# nvidia-smi --query-gpu=index,pci.bus_id,utilization.gpu,pcie.link.gen.current --format=csv\n"
        "index, pci.bus_id, utilization.gpu [%], pcie.link.gen.current\n"
        "0, 00000000:0A:00.0, 98 %, 1\n" + PROMPT + device("0a:00.0", GPU, SLOW)
    )
    assert [entry[:3] for entry in said(RULE, text)] == [("pcie-link-degraded", "error", "likely")]


CURRENT_WIDTHS = "index, pcie.link.width.current\n0, 16\n1, {}\n2, 16\n"


def test_a_gpu_with_fewer_lanes_than_its_neighbours_is_doubted() -> None:
    (finding,) = findings_of("pcie-link-below-capability", CURRENT_WIDTHS.format(8))
    assert (finding.severity, finding.message) == snapshot(
        ("warning", "GPU 1: a PCIe link of 8 lanes; most other GPUs of the node have more lanes")
    )


def test_lanes_are_called_whole_only_where_that_is_known() -> None:
    assert proofs_of("pcie-link-below-capability", CURRENT_WIDTHS.format(16)) == snapshot(
        [
            (
                "the PCIe links of 3 GPUs have all their lanes; how fast they are under load is not shown: look while a job runs",
                0,
            )
        ]
    )
    assert proofs_of("pcie-link-below-capability", "index, pcie.link.width.current\n0, 8\n1, 8\n") == []


def test_it_says_what_to_do() -> None:
    assert remedies_of("pcie-link-below-capability", CURRENT_WIDTHS.format(8)) == snapshot(
        [
            [
                (
                    "Compare what the link can do with what it does, under load.",
                    "lspci -vv | grep -E 'LnkCap:|LnkSta:'",
                ),
                ("Reseat the card, and compare with a sound node.", ""),
            ]
        ]
    )


@pytest.mark.parametrize(
    "name", ["Internal PCIe GPP Bridge to Bus", "PCI Express Root Port #1", "PCIe Downstream Port"]
)
def test_a_bridge_that_is_listed_alone_is_no_card(name: str) -> None:
    text = f"""\
00:08.1 PCI bridge: Some Vendor {name}
\tCapabilities: [58] Express (v2) Root Port (Slot-), MSI 00
\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM L1
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)
"""
    assert findings_of("pcie-link-below-capability", text) == ()
    assert (
        len(findings_of("pcie-link-below-capability", text.replace(f"PCI bridge: Some Vendor {name}", "Some card")))
        == 1
    )


def test_a_port_that_was_switched_off_later_is_shown_as_it_was_before() -> None:
    """The line that is shown is the one that the words are about."""
    asked = "$ lspci -s 18:00.0 -vv | grep Lnk\n\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed {}\n"
    text = asked.format("16GT/s, Width x8") + asked.format("2.5GT/s, Width x0")
    assert [e.line for found in findings_of(RULE, text) for e in found.evidence] == [3]


CAN = (
    "\t\tLnkCap:\tPort #1, Speed 32GT/s, Width x16, ASPM L1\n\t\t\tClockPM- Surprise- LLActRep{} BwNot+ ASPMOptComp+\n"
)
DOES = (
    "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x{} (downgraded)\n\t\t\tTrErr- Train- SlotClk+ DLActive{} BWMgmt-\n"
)
CONTROL = "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, {} CommClk+\n"
NAMED = f"1a:00.0 {GPU} (rev a1)\n"


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        (NAMED + CAN.format("-") + CONTROL.format("LnkDisable-") + DOES.format(8, "-"), True),
        (NAMED + CAN.format("-") + CONTROL.format("LnkDisable+") + DOES.format(8, "-"), False),
        (NAMED + CAN.format("-") + CONTROL.format("Disabled+") + DOES.format(8, "-"), False),
        (NAMED + CAN.format("+") + DOES.format(8, "-"), False),
        (NAMED + CAN.format("+") + DOES.format(8, "+"), True),
        (CAN.format("-")[:60] + "\n" + CONTROL.format("Disabled-") + DOES.format(8, "-"), True),
        (CAN.format("-")[:60] + "\n" + CONTROL.format("Disabled+") + DOES.format(8, "-"), False),
    ],
)
def test_a_link_that_is_off_is_not_judged_by_its_lanes(text: str, judged: bool) -> None:
    assert bool(findings_of(RULE, text)) is judged
    assert judged or proofs_of(RULE, text) == []


@pytest.mark.parametrize(
    "name",
    [
        "VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] HawkPoint1 (rev c2)",
        "Display controller: Advanced Micro Devices, Inc. [AMD/ATI] Device 150e (rev c1)",
        "VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Raphael [1002:164e] (rev c1)",
    ],
)
def test_the_link_of_a_gpu_inside_a_processor_is_not_judged(name: str) -> None:
    assert findings_of(RULE, device("c5:00.0", name, NARROW)) == ()
    assert len(
        findings_of(RULE, device("c5:00.0", name.replace("Raphael", "Navi 31").replace("164e", "744c"), NARROW))
    ) == ("Raphael" in name)


LOOKED_UP = "$(basename $(readlink /sys/class/infiniband/{}/device))"
HALF = "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n\t\tLnkSta:\tSpeed 32GT/s, Width x8 (downgraded)\n"
FULL = "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"


@pytest.mark.parametrize(
    "address",
    [
        LOOKED_UP.format("mlx5_7"),
        "`readlink -f /sys/class/infiniband/mlx5_7/device | xargs basename`",
        '"$(grep PCI_SLOT_NAME /sys/class/infiniband/mlx5_7/device/uevent | cut -d= -f2)"',
    ],
)
def test_an_hca_whose_address_the_shell_looked_up(address: str) -> None:
    command = f"[root@z9 ~]# lspci -vv -s {address} | grep -E 'LnkCap:|LnkSta:'\n"
    assert said(RULE, command + HALF) == [
        (
            "pcie-link-degraded",
            "error",
            "likely",
            "z9: HCA mlx5_7: a PCIe link of 8 of 16 lanes at 32 GT/s; the device can do more",
        )
    ]
    assert findings_of(RULE, command + FULL) == ()


def test_a_loop_over_hcas_names_each_above_its_link() -> None:
    loop = f"[root@z9 ~]# for d in mlx5_6 mlx5_7; do echo $d; lspci -vv -s {LOOKED_UP.format('$d')} | grep Lnk; done\n"
    (found,) = findings_of(RULE, f"{loop}mlx5_6\n{FULL}mlx5_7\n{HALF}")
    assert [suspect.name for suspect in found.suspects] == ["z9 mlx5_7", "z9"]


def test_an_address_with_few_lanes_is_no_gpu_or_hca() -> None:
    idle = (
        "\t\tLnkCap:\tPort #1, Speed 8GT/s, Width x4\n\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x1 (downgraded)\n"
    )
    assert findings_of(RULE, f"[root@z9 ~]# lspci -vv -s 00:1c.0 | grep Lnk\n{idle}") == ()
    assert len(findings_of(RULE, f"[root@z9 ~]# lspci -vvs d8:00.0 | grep Lnk\n{HALF}")) == 1


def test_a_card_for_a_screen_has_fewer_lanes_than_those_beside_it() -> None:
    query = "$ nvidia-smi --query-gpu=index,name,pcie.link.gen.current,pcie.link.width.current --format=csv,noheader\n"
    computes = "1, NVIDIA H200, 5, 16\n2, NVIDIA H200, 5, 16\n"
    assert said(RULE, f"{query}0, NVIDIA RTX PRO 2000 Blackwell, 1, 8\n{computes}") == []
    assert [each[:3] for each in said(RULE, f"{query}0, NVIDIA H200, 5, 8\n{computes}")] == [
        ("pcie-link-degraded", "warning", "possible")
    ]


def test_two_narrow_models_beside_others_are_not_all_that_there_is() -> None:
    query = "$ nvidia-smi --query-gpu=index,name,pcie.link.gen.current,pcie.link.width.current,pcie.link.width.max"
    rows = [*(f"{n}, NVIDIA A100, 4, 8, 16" for n in (0, 1)), *(f"{n}, NVIDIA H100, 5, 16, 16" for n in (2, 3))]
    text = "\n".join([f"{query} --format=csv,noheader", *rows]) + "\n"
    assert [each[:3] for each in said(RULE, text)] == [("pcie-link-degraded", "error", "likely")]


def test_full_links_prove_nothing_beside_one_that_nobody_can_judge() -> None:
    query = "$ nvidia-smi --query-gpu=index,name,pcie.link.gen.current,pcie.link.width.current --format=csv,noheader\n"
    screen = "0, NVIDIA RTX PRO 2000 Blackwell, 1, 8\n"
    for first, verdict in (("", "healthy"), (screen, "inconclusive")):
        assert analyze(f"{query}{first}1, NVIDIA H200, 5, 16\n".encode()).verdict == verdict
    noted = "\t\tCESta:\tRxErr- BadTLP+ BadDLLP- Rollover- Timeout- AdvNonFatalErr-\n"
    assert (
        analyze((device("1a:00.0", GPU, "Speed 32GT/s (ok), Width x16 (ok)") + noted).encode()).verdict
        == "inconclusive"
    )
