from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node


def test_below_loaded_peers() -> None:
    assert said("gpu-clocks-low", on_nodes(node07=node(sm="1100"))) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "error",
                "likely",
                "node07 GPU 2: the SM clock under load is 1100 MHz, far below that of the other GPUs",
            )
        ]
    )


def test_an_idle_gpu_may_be_slow() -> None:
    assert findings_of("gpu-clocks-low", node(sm="345", util="0")) == ()


def test_a_little_below_is_usual() -> None:
    assert findings_of("gpu-clocks-low", node(sm="1755")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-clocks-low", on_nodes(node07=node(sm="1100"))) == snapshot(
        [
            [
                ("See why, under load.", "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER"),
                ("Take locked clocks off.", "nvidia-smi -rgc; nvidia-smi -rac"),
            ]
        ]
    )
