from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def changed(before: str, after: str) -> str:
    return f"NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 ({before}) to 0x1 ({after})\n"


WANTED = changed("None", "GPU Reset Required")


def test_the_driver_asks_for_a_reset() -> None:
    assert said("gpu-recovery-action", WANTED) == snapshot(
        [("gpu-driver-hung", "error", "certain", "GPU 0000:3b:00.0: the driver asks for a reset of the GPU")]
    )


def test_the_last_line_counts() -> None:
    assert findings_of("gpu-recovery-action", WANTED + changed("GPU Reset Required", "None")) == ()


def test_the_error_before_it_says_more() -> None:
    error = "NVRM: Xid (PCI:0000:3b:00): 95, pid=4711, name=train, Uncontained ECC error\n"
    assert findings_of("gpu-recovery-action", error + WANTED) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-recovery-action", changed("None", "Drain P2P")) == snapshot(
        [
            [
                ("See which error it was.", "dmesg -T | grep -e Xid -e NVRM"),
                ("End every process that uses peer-to-peer; then the driver says what else it needs.", ""),
            ]
        ]
    )
