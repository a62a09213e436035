from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "peer-memory-errors"
LINE = (
    "Mar 04 02:12:10 gpu21 kernel: nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, "
    "skipping further processing\n"
)


def test_repeated_errors_are_one_warning() -> None:
    (found,) = findings_of(RULE, LINE * 3)
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "peer-memory-error",
            "warning",
            "likely",
            "gpu21: nvidia_peermem reported 3 errors: detected invalid context, skipping further processing",
        )
    )
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            ("See what ended at that time.", "dmesg -T | grep -B5 peermem"),
            ("Load the module anew while no job runs.", "modprobe -r nvidia_peermem && modprobe nvidia_peermem"),
        ]
    )


def test_silent_on_its_start() -> None:
    assert said(RULE, "nvidia_peermem         16384  0\n") == []
