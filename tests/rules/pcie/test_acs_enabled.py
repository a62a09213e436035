from __future__ import annotations

import sys
from pathlib import Path

from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

sys.path.insert(0, str(Path(__file__).parents[1] / "parsers"))
from lspci_text import CHECKS, GPU, HCA, OFF, ON, bridge, device, server

PROMPT = "[root@gpu03 ~]# lspci -vvv\n"


def test_a_switch_port_above_a_gpu() -> None:
    assert said("acs-enabled", PROMPT + server(acs=ON)) == snapshot(
        [
            (
                "acs-enabled",
                "error",
                "certain",
                "gpu03: ACS redirects peer-to-peer traffic on 1 PCIe bridge above GPUs or HCAs",
            )
        ]
    )


def test_the_bridge_is_a_suspect() -> None:
    (found,) = findings_of("acs-enabled", PROMPT + server(acs=ON))
    assert [(s.kind, s.name) for s in found.suspects] == [("node", "gpu03"), ("bridge", "gpu03 0000:19:00.0")]


def test_bridges_above_nvswitches_and_empty_ports_do_not_matter() -> None:
    assert findings_of("acs-enabled", server(switch_acs=ON)) == ()


def test_checking_sources_redirects_nothing() -> None:
    assert findings_of("acs-enabled", server(acs=CHECKS)) == ()


def test_a_bridge_listed_alone_does_not_tell_what_is_behind_it() -> None:
    assert [entry[:3] for entry in said("acs-enabled", bridge("17:01.0", "18", "18", ON))] == [
        ("acs-enabled", "error", "likely")
    ]


def test_a_root_port_with_one_device_is_less_sure() -> None:
    text = (
        bridge("17:01.0", "18", "18", ON)
        + device("18:00.0", GPU)
        + bridge("37:01.0", "38", "38")
        + device("38:00.0", HCA)
    )
    assert [entry[:3] for entry in said("acs-enabled", text)] == [("acs-enabled", "error", "likely")]


def test_bridges_that_a_hypervisor_made_up() -> None:
    text = bridge("17:01.0", "18", "18", ON).replace(
        "Broadcom / LSI PEX890xx PCIe Gen 5 Switch", "Red Hat, Inc. QEMU PCIe Root port"
    )
    assert said("acs-enabled", text + device("18:00.0", GPU)) == []


def test_proof_names_how_many_were_looked_at() -> None:
    assert proofs_of("acs-enabled", PROMPT + server()) == snapshot(
        [("ACS redirects nothing on all 5 bridges above GPUs and HCAs of gpu03", 0)]
    )


def test_lines_without_devices_prove_that_nothing_redirects() -> None:
    assert proofs_of("acs-enabled", f"\t\tACSCtl: {OFF}\n" * 5) == snapshot(
        [("ACS redirects nothing on all 5 devices that have it of node0", 0)]
    )


def test_a_few_lines_without_devices_are_only_possible() -> None:
    assert said("acs-enabled", f"\t\tACSCtl: {OFF}\n" * 5 + f"\t\tACSCtl: {ON}\n") == snapshot(
        [
            (
                "acs-enabled",
                "warning",
                "possible",
                "ACS redirects peer-to-peer traffic on 1 of 6 devices; the output does not tell whether GPUs or HCAs are behind them",
            )
        ]
    )


def test_most_lines_without_devices_are_likely() -> None:
    assert [entry[:3] for entry in said("acs-enabled", f"\t\tACSCtl: {ON}\n" * 5)] == [
        ("acs-enabled", "error", "likely")
    ]


def test_nodes_are_named_together() -> None:
    text = "".join(f"[root@gpu{n:02} ~]# lspci -vvv\n{server(acs=ON)}" for n in (1, 2, 3))
    (found,) = findings_of("acs-enabled", text)
    assert found.message.startswith("gpu[01-03]: ACS redirects peer-to-peer traffic on 3 PCIe bridges")


def test_it_says_what_to_do() -> None:
    assert remedies_of("acs-enabled", PROMPT + server(acs=ON)) == snapshot(
        [
            [
                ("Switch ACS off on the bridge until the next start.", "setpci -s 0000:19:00.0 ECAP_ACS+0x6.w=0000"),
                (
                    "Or on all of them, with a record to go back by.",
                    "slowlink prepare --nodes gpu03 --only acs --apply",
                ),
                ("Switch ACS off in the firmware, for good.", ""),
            ]
        ]
    )
