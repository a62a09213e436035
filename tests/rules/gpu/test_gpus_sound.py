from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of

from nvidia_smi_outputs import TABLE, link_errors, link_status, node


def test_one_sentence() -> None:
    assert proofs_of("gpus-sound", node() + link_status() + link_errors()) == snapshot(
        [
            (
                "8 GPUs (NVIDIA H100 80GB HBM3, driver 570.99.01): no memory errors since the driver was loaded (8 GPUs had some before), NVLinks active and without errors, NVLink fabric set up, clocks not slowed",
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


def test_memory_is_said_to_be_sound_as_far_as_it_was_looked_at() -> None:
    columns = "index, ecc.mode.current, ecc.errors.uncorrected.volatile.total"
    assert proofs_of("gpus-sound", f"{columns}\n0, Enabled, 0\n1, Enabled, 0\n") == snapshot(
        [("2 GPUs: no memory errors since the driver was loaded (repairs were not looked at)", 1)]
    )
    full = f"{columns}, ecc.errors.uncorrected.aggregate.total, retired_pages.pending"
    assert proofs_of("gpus-sound", f"{full}\n0, Enabled, 0, 0, No\n1, Enabled, 0, 3, No\n") == snapshot(
        [("2 GPUs: no memory errors since the driver was loaded (1 GPU had some before)", 1)]
    )
    assert proofs_of("gpus-sound", f"{full}\n0, Enabled, 0, 0, No\n1, Enabled, 0, 0, No\n") == snapshot(
        [("2 GPUs: memory without errors", 1)]
    )


def test_a_gpu_without_ecc_cannot_tell_of_errors() -> None:
    columns = "index, ecc.mode.current, ecc.errors.uncorrected.volatile.total"
    assert proofs_of("gpus-sound", f"{columns}\n0, Enabled, 0\n1, Disabled, 0\n") == snapshot(
        [("1 GPU: no memory errors since the driver was loaded (repairs were not looked at)", 1)]
    )
    assert proofs_of("gpus-sound", f"{columns}\n0, Disabled, 0\n1, Disabled, 0\n") == []
    repairs = f"{columns}, retired_pages.pending\n0, Disabled, N/A, No\n"
    assert proofs_of("gpus-sound", repairs) == snapshot(
        [("1 GPU: no repair of memory pending (ECC is off: nothing counts its errors)", 1)]
    )
