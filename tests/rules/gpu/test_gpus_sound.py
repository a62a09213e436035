from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of

from nvidia_smi_outputs import TABLE, link_errors, link_status, node


def test_one_sentence() -> None:
    assert proofs_of("gpus-sound", node() + link_status() + link_errors()) == snapshot(
        [
            (
                "8 GPUs (NVIDIA H100 80GB HBM3, driver 570.99.01): memory without errors, NVLinks active and without errors, NVLink fabric set up, clocks not slowed",
                1,
            )
        ]
    )


def test_of_many_nodes() -> None:
    assert proofs_of("gpus-sound", on_nodes(node01=link_status(), node02=link_status())) == snapshot(
        [("16 GPUs of 2 nodes (NVIDIA H100 80GB HBM3): NVLinks active", 1)]
    )


def test_what_is_not_sound_is_left_out() -> None:
    assert proofs_of("gpus-sound", node(pending="Yes", state="In Progress")) == []
    assert proofs_of("gpus-sound", node(pending="Yes")) == snapshot(
        [("8 GPUs (NVIDIA H100 80GB HBM3, driver 570.99.01): NVLink fabric set up, clocks not slowed", 1)]
    )


def test_clocks_alone_prove_nothing() -> None:
    assert proofs_of("gpus-sound", "index, clocks_event_reasons.active\n0, 0x0000000000000001\n") == []


def test_a_table_without_judgeable_state_proves_nothing() -> None:
    without = TABLE.replace("|                    0 |", "|                  N/A |").replace(
        "|                    2 |", "|                  N/A |"
    )
    assert proofs_of("gpus-sound", without) == []
