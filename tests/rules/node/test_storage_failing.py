from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said

RULE = "storage-failing"


def test_the_kernel_made_it_read_only() -> None:
    text = "/dev/nvme1n1p1 on /local type ext4 (ro,relatime,emergency_ro)\n/dev/sda2 on / type xfs (rw,relatime)\n"
    assert said(RULE, text) == snapshot(
        [
            (
                "storage-failing",
                "error",
                "certain",
                "/local cannot be written to: the kernel made it read only after an error",
            )
        ]
    )


def test_somebody_may_have_wanted_it() -> None:
    assert said(RULE, "/dev/nvme1n1p1 on /local type ext4 (ro,relatime)\n") == snapshot(
        [("storage-failing", "warning", "possible", "/local cannot be written to: it is mounted read only")]
    )


def test_a_disk_that_can_be_written_to() -> None:
    assert findings_of(RULE, "/dev/sda2 on / type xfs (rw,relatime)\n") == ()


def test_programs_are_refused() -> None:
    assert said(RULE, "mkdir: cannot create directory '/local/job': Read-only file system\n") == snapshot(
        [("storage-failing", "error", "likely", "/local/job can only be read")]
    )
    assert said(RULE, "OSError: [Errno 116] Stale file handle: '/home/mia/data'\n") == snapshot(
        [("storage-failing", "critical", "likely", "a file system is gone on its server")]
    )


def test_a_target_of_lustre_is_away() -> None:
    assert said(RULE, "OST0002             : inactive device\n") == snapshot(
        [
            (
                "storage-failing",
                "error",
                "likely",
                "OST0002 of the Lustre file system is inactive: files that lie there cannot be read",
            )
        ]
    )


def test_what_the_kernel_says_of_disks() -> None:
    text = (
        "[Mon Nov 17 03:12:44 2025] EXT4-fs (nvme1n1p1): Remounting filesystem read-only\n"
        "[Mon Nov 17 03:12:46 2025] nvme nvme1: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff\n"
    )
    assert said("program-said", text) == snapshot(
        [("storage-failing", "error", "likely", "a disk or its file system fails, 2 times")]
    )
    assert findings_of("program-said", "kernel: EXT4-fs (sda2): mounted filesystem with ordered data mode.\n") == ()


def test_a_disk_that_its_driver_gave_up() -> None:
    text = "/sys/class/nvme/nvme0/state:live\n/sys/class/nvme/nvme1/state:dead\n"
    assert said(RULE, text) == snapshot(
        [("storage-failing", "error", "certain", "nvme1 does not answer: its driver gave it up")]
    )
    assert findings_of(RULE, "/sys/class/nvme/nvme0/state:live\n/sys/class/nvme/nvme1/state:resetting\n") == ()


def test_a_rank_that_could_not_read_its_program_is_why_the_others_waited_for_it() -> None:
    stale = "OSError: [Errno 116] Stale file handle: '/usr/lib/libtransformer_engine.so'\n"
    waited = (
        "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 15/16 clients joined.\n"
    )
    assert [each.cause for each in diagnoses_of(stale + waited)] == ["storage-failing"]
