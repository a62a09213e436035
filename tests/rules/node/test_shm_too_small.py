from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

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


DF = "Filesystem      Size  Used Avail Use% Mounted on\n"


def test_a_containers_default() -> None:
    text = f"[root@job-7-worker-0 /]# df -h /dev/shm\n{DF}shm              64M     0   64M   0% /dev/shm\n"
    assert said("shm-too-small", text) == snapshot(
        [
            (
                "shm-too-small",
                "warning",
                "possible",
                "job-7-worker-0: /dev/shm has 64 MiB; NCCL may not get the segments it needs",
            )
        ]
    )


def test_what_dead_jobs_left_behind() -> None:
    assert said("shm-too-small", f"{DF}tmpfs           252G  252G  1.0M 100% /dev/shm\n")[0][3] == snapshot(
        "/dev/shm has 1 MiB free; NCCL may not get the segments it needs"
    )


def test_enough_room() -> None:
    assert said("shm-too-small", f"{DF}tmpfs           252G  1.5G  251G   1% /dev/shm\n") == []


def test_it_says_what_to_do() -> None:
    assert remedies_of("shm-too-small", FAILED) == snapshot(
        [
            [
                ("See how much is there and who uses it.", "df -h /dev/shm; ls -l /dev/shm"),
                ("Give the container more shared memory.", "docker run --shm-size=8g --ipc=host ..."),
            ]
        ]
    )
