from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import OLD_QUERY, TABLE, node
from slowlink.rules.gpu.gpu_memory_state import Params


def test_a_pending_remap() -> None:
    assert said("gpu-memory-state", on_nodes(node07=node(pending="Yes"))) == snapshot(
        [("gpu-memory-errors", "error", "certain", "node07 GPU 2: a row remap waits for a reset of the GPU")]
    )


def test_uncorrectable_errors_and_a_failed_remap() -> None:
    assert said("gpu-memory-state", node(dram_unc="3", failed="Yes", sram_thr="Yes")) == snapshot(
        [
            (
                "gpu-memory-errors",
                "error",
                "certain",
                "GPU 2: a row remap failed, too many SRAM errors, by the driver's own threshold, 3 uncorrectable memory errors since the driver was loaded",
            )
        ]
    )


def test_retired_pages_of_older_gpus() -> None:
    assert said("gpu-memory-state", OLD_QUERY) == snapshot(
        [
            (
                "gpu-memory-errors",
                "error",
                "certain",
                "GPU 0: 1 uncorrectable memory error since the driver was loaded, a page retirement waits for a reset of the GPU",
            )
        ]
    )


def test_the_table_counts_errors_too() -> None:
    assert said("gpu-memory-state", TABLE) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 1: 2 uncorrectable memory errors since the driver was loaded")]
    )


def test_lifetime_counts_are_no_alarm() -> None:
    """The fixture has one uncorrectable error of its life, repaired by one remapped row."""
    assert findings_of("gpu-memory-state", node()) == ()
    assert proofs_of("gpu-memory-state", node()) == snapshot(
        [("8 GPUs: no uncorrectable memory error since the driver was loaded, no row remap pending or failed", 0)]
    )


def test_too_many_remapped_rows() -> None:
    limit = Params().most_rows
    text = f"index, remapped_rows.uncorrectable, remapped_rows.pending\n0, {limit - 1}, No\n1, {limit}, No\n"
    assert said("gpu-memory-state", text) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 1: 512 rows or more were remapped after uncorrectable errors")]
    )


def test_what_was_not_read_is_not_said() -> None:
    text = "index, retired_pages.pending\n0, No\n1, [N/A]\n"
    assert proofs_of("gpu-memory-state", text) == snapshot([("1 GPU: no page retirement pending", 0)])


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-memory-state", on_nodes(node07=node(pending="Yes"))) == snapshot(
        [
            [
                ("Drain the node, reset the GPU and test it.", "nvidia-smi --gpu-reset -i N && dcgmi diag -r 3"),
                ("Replace the GPU when remapping failed or errors come again.", ""),
            ]
        ]
    )


def test_gpus_of_amd_are_looked_at_with_their_own_tools() -> None:
    text = "GPU: 1\n    ECC:\n        TOTAL_CORRECTABLE_COUNT: 0\n        TOTAL_UNCORRECTABLE_COUNT: 3\n"
    (found,) = findings_of("gpu-memory-state", text)
    assert [step.command for step in found.remedy] == [
        "amd-smi metric --ecc-blocks; amd-smi bad-pages; amd-smi reset --gpureset -g N",
        "",
    ]
    assert found.references == ()
