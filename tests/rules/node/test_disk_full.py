from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "disk-full"
DF = "Filesystem      Size  Used Avail Use% Mounted on\n"


def test_a_full_file_system_is_an_error_on_its_node() -> None:
    text = f"gpu01 | CHANGED | rc=0 >>\n{DF}/dev/sda2       439G  117G  300G  29% /\ngpu02 | CHANGED | rc=0 >>\n{DF}"
    assert said(RULE, f"{text}/dev/sda2       439G  437G     0 100% /\n") == snapshot(
        [("disk-full", "error", "certain", "gpu02: / is full")]
    )


def test_a_terabyte_free_is_not_full() -> None:
    assert findings_of(RULE, f"{DF}nas:/scratch    200T  199T  1.1T 100% /scratch\n") == ()


def test_a_small_file_system_may_have_little_free() -> None:
    assert findings_of(RULE, f"{DF}tmpfs           5.0M     0  5.0M   0% /mnt/small\n") == ()


def test_inodes_are_told_apart_from_space() -> None:
    text = "Filesystem        Inodes    IUsed   IFree IUse% Mounted on\n/dev/sda2       29294592 29294592       0  100% /\n"
    assert said(RULE, text) == snapshot([("inodes-exhausted", "error", "certain", "/ has no inodes left")])


def test_an_exception_ends_the_program_and_a_tools_message_need_not() -> None:
    told = "OSError: [Errno 28] No space left on device: '/scratch/ckpt/step_1.pt'\n"
    assert said(RULE, told) == snapshot(
        [("disk-full", "critical", "likely", "no space is left for /scratch/ckpt/step_1.pt")]
    )
    assert said(RULE, "cp: error writing '/scratch/x': No space left on device\n") == snapshot(
        [("disk-full", "error", "likely", "no space is left for /scratch/x")]
    )
    assert said(RULE, "OSError: [Errno 122] Disk quota exceeded: '/home/mia/x'\n") == snapshot(
        [("disk-full", "critical", "likely", "a quota is used up for /home/mia/x")]
    )


def test_shared_memory_has_a_rule_of_its_own() -> None:
    assert findings_of(RULE, "OSError: [Errno 28] No space left on device: '/dev/shm/x'\n") == ()


QUOTA = "     Filesystem   space   quota   limit   grace   files   quota   limit   grace\n"


def test_a_quota_at_its_limit_is_an_error_and_one_in_its_grace_time_a_warning() -> None:
    assert said(RULE, f"{QUOTA}        /scratch  10.1T*    9.5T     10T       - 2000      0 0       -\n") == snapshot(
        [("disk-full", "error", "certain", "the quota of space on /scratch: 10.1T of 10T used")]
    )
    assert said(RULE, f"{QUOTA}        /scratch   9.6T*    9.5T     10T   6days 2000      0 0       -\n") == snapshot(
        [("disk-full", "warning", "certain", "the quota of space on /scratch: above the first limit, 10T at most")]
    )


def test_what_to_do() -> None:
    assert remedies_of(RULE, f"{DF}/dev/sda2       439G  437G     0 100% /\n") == snapshot(
        [
            [
                ("See how much is left, of space and of inodes.", "df -h -- /; df -i -- /"),
                (
                    "Find what takes most of it; remove old checkpoints, core files and images.",
                    "du -xh --max-depth=2 -- / | sort -h | tail -20",
                ),
            ]
        ]
    )
