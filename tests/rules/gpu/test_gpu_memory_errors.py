from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 48, pid=4711, An uncorrectable double bit error (DBE) has been detected\n"

FINE = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n"


def test_names_gpu_and_xid() -> None:
    assert said("gpu-memory-errors", FAILED) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 0000:3b:00.0: Xid 48 (double-bit ECC error)")]
    )


def test_silent_on_a_fault_of_the_program() -> None:
    assert findings_of("gpu-memory-errors", FINE) == ()


def test_a_remapped_row_alone_is_a_warning() -> None:
    text = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row marked for remapping\n"
    assert [f.severity for f in findings_of("gpu-memory-errors", text)] == ["warning"]


def test_an_error_that_was_not_recovered() -> None:
    text = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 140, pid=4711, name=train, Unrecovered ECC Error\n"
    assert said("gpu-memory-errors", text) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 0000:3b:00.0: Xid 140 (unrecovered ECC error)")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-memory-errors", FAILED) == snapshot(
        [
            [
                ("Read the GPU's own counters.", "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT"),
                ("NVIDIA advises for Xid 48: drain the node and reset the GPU.", "nvidia-smi --gpu-reset -i N"),
                ("Test the GPU before it works again.", "dcgmi diag -r 3"),
            ]
        ]
    )


def test_an_uncontained_error_ends_every_process_on_the_gpu() -> None:
    text = FAILED + "[ 77.2] NVRM: Xid (PCI:0000:3b:00): 95, pid=4711, Uncontained: LTC TAG (0x1,0x0). RST: Yes\n"
    assert said("gpu-memory-errors", text) == snapshot(
        [
            (
                "gpu-memory-errors",
                "critical",
                "certain",
                "GPU 0000:3b:00.0: Xid 48 (double-bit ECC error) and Xid 95 (uncontained ECC error)",
            )
        ]
    )


def test_a_contained_error_ends_one_process() -> None:
    text = "[ 77.2] NVRM: Xid (PCI:0000:3b:00): 94, pid=4711, Contained: SM (0x1). RST: No, D-RST: No\n"
    assert said("gpu-memory-errors", text) == snapshot(
        [("gpu-memory-errors", "error", "certain", "GPU 0000:3b:00.0: Xid 94 (contained ECC error)")]
    )
