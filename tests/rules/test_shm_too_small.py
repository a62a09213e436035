from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = (
    "node07:4711:4712 [0] misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
    "/dev/shm/nccl-a1B2c3 to 9637892 bytes, error: No space left on device (28)\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO cuMem host allocations do not appear to be working; falling back "
    "to a /dev/shm/ based implementation.\n"
    "OSError: [Errno 28] No space left on device: '/scratch/x'\n"
)


def test_says_how_much_was_asked_for() -> None:
    assert said("shm-too-small", FAILED) == snapshot(
        [("shm-too-small", "critical", "certain", "node07: /dev/shm is full: NCCL asked for 9.6 MB")]
    )


def test_silent_on_another_full_file_system() -> None:
    assert findings_of("shm-too-small", FINE) == ()
