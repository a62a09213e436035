from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node
from slowlink.rules.gpu.gpu_memory_history import Params


def test_sram() -> None:
    text = "index, ecc.errors.uncorrected.aggregate.sram, ecc.errors.corrected.volatile.sram\n0, 0, 12\n1, 2, 0\n"
    assert said("gpu-memory-history", text) == snapshot(
        [("gpu-memory-errors", "warning", "possible", "GPU 1: uncorrectable SRAM errors in its life")]
    )


def test_limits() -> None:
    limits = Params()
    header = "index, retired_pages.double_bit.count, ecc.errors.corrected.volatile.dram\n"
    below = f"0, {limits.most_pages - 1}, {limits.most_dram_corrected}\n"
    above = f"1, {limits.most_pages}, {limits.most_dram_corrected + 1}\n"
    assert findings_of("gpu-memory-history", header + below) == ()
    assert said("gpu-memory-history", header + below + above) == snapshot(
        [
            (
                "gpu-memory-errors",
                "warning",
                "possible",
                "GPU 1: 15 pages or more were retired, very many corrected DRAM errors",
            )
        ]
    )


def test_repaired_dram_is_no_matter() -> None:
    assert findings_of("gpu-memory-history", node()) == ()


def test_a_repair_that_waits_is_a_warning() -> None:
    text = "    ECC Errors\n        Channel Repair Pending                         : Yes\n"
    assert [f.severity for f in findings_of("gpu-memory-history", text)] == ["warning"]


def test_it_says_what_to_do() -> None:
    text = "index, ecc.errors.uncorrected.aggregate.sram, ecc.errors.corrected.volatile.sram\n0, 0, 12\n1, 2, 0\n"
    assert remedies_of("gpu-memory-history", text) == snapshot(
        [[("Test it at the next maintenance, and watch the counts.", "dcgmi diag -r 3")]]
    )
