"""Ports above GPUs that can do less than the GPUs."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "pcie-host-slower"
SXM, CARD = "NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe"


def query(name: str, *host: int, device: int = 5) -> str:
    gpus = "".join(
        f"GPU 00000000:{number}A:00.0\n    Product Name                          : {name}\n    PCI\n"
        "        GPU Link Info\n            PCIe Generation\n"
        f"                Max                       : {min(each, device)}\n"
        f"                Device Max                : {device}\n                Host Max                  : {each}\n"
        for number, each in enumerate(host, 1)
    )
    return "[root@gpu07 ~]# nvidia-smi -q\n==============NVSMI LOG==============\n" + gpus


def test_a_board_is_built_for_its_speed() -> None:
    assert said(RULE, query(SXM, 4, 4)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "gpu07 GPU 0000:1a:00.0 and GPU 0000:2a:00.0: the port above can do 16 GT/s at most, the GPU itself 32",
            )
        ]
    )


def test_a_slot_below_the_others() -> None:
    text = query(CARD, 5, 5, 4)
    assert said(RULE, text) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "gpu07 GPU 0000:3a:00.0: the port above can do 16 GT/s at most, the GPU itself 32",
            )
        ]
    )
    (found,) = findings_of(RULE, text)
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("gpu", "gpu07 GPU 0000:3a:00.0"), ("node", "gpu07")]
    )


def test_cards_in_an_older_machine_are_noted() -> None:
    assert said(RULE, query(CARD, 4, 4)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "info",
                "possible",
                "gpu07 GPU 0000:1a:00.0 and GPU 0000:2a:00.0: the port above can do 16 GT/s at most, the GPU itself 32: the machine may be older than its GPUs",
            )
        ]
    )


@pytest.mark.parametrize("text", [query(SXM, 5, 5), query("NVIDIA A100-SXM4-80GB", 5, 5, device=4)])
def test_silent_where_ports_can_do_as_much(text: str) -> None:
    assert said(RULE, text) == []


def test_an_older_driver_tells_what_both_ends_can_do() -> None:
    def older(name: str, speed: int) -> str:
        lines = query(name, speed, speed).splitlines()
        return "\n".join(line for line in lines if "Device Max" not in line and "Host Max" not in line)

    assert said(RULE, older(SXM, 4)) == said(RULE, query(SXM, 4, 4))
    assert said(RULE, older(SXM, 5)) == []
    assert said(RULE, older(CARD, 4)) == []
