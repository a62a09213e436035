from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "node-stalls"
KERNEL = "Mar 04 02:12:10 gpu21 kernel: "


@pytest.mark.parametrize(
    "line, words",
    [
        ("INFO: task train:4711 blocked for more than 120 seconds.", "task train waited inside the kernel for minutes"),
        (
            "watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [train:4711]",
            "processor 7 did nothing else for many seconds",
        ),
        ("nfs: server store01 not responding, still trying", "file server store01 does not answer"),
    ],
)
def test_each_kind_of_stall_is_a_warning(line: str, words: str) -> None:
    assert said(RULE, f"{KERNEL}{line}\n") == [("node-stalls", "warning", "likely", f"gpu21: {words}")]


def test_what_to_do() -> None:
    (found,) = findings_of(RULE, f"{KERNEL}INFO: task train:4711 blocked for more than 120 seconds.\n")
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            ("See what the kernel logged before and after.", "dmesg -T | grep -E -A5 'blocked for|lockup|nfs:'"),
            ("See where a task waits now.", "cat /proc/PID/stack"),
        ]
    )


def test_silent_on_a_server_that_answers_again() -> None:
    assert findings_of(RULE, f"{KERNEL}nfs: server store01 OK\n") == ()


def waited(*times: tuple[float, str]) -> list[tuple[str, str, str, str]]:
    return said(RULE, "".join(f"[{9000 + at:.1f}] nfs: server {words}\n" for at, words in times))


LOST, BACK = "fs1 not responding, still trying", "fs1 OK"
STALL = [("node-stalls", "warning", "likely", "file server fs1 does not answer")]


def test_a_server_that_was_back_soon_is_no_stall() -> None:
    assert waited((0, LOST), (6.6, BACK)) == []
    assert waited((0, LOST), (3, LOST), (6.6, BACK)) == []


@pytest.mark.parametrize(
    "times",
    [
        [(0, LOST)],
        [(0, LOST), (900, BACK)],
        [(0, LOST), (5, "fs2 OK")],
        [(0, LOST), (5, BACK), (700, LOST)],
        [(0, LOST), (5, BACK), (700, "fs1 not responding, timed out")],
        [(0, LOST), (5, BACK), (700, "fs1 not responding, timed out"), (705, BACK)],
        [(100 * turn + at, words) for turn in range(9) for at, words in ((0, LOST), (40, BACK))],
    ],
    ids=["never", "late", "another", "gone again", "timed out", "timed out, and back", "again and again"],
)
def test_other_waits_are_stalls(times: list[tuple[float, str]]) -> None:
    assert waited(*times) == STALL


@pytest.mark.parametrize(
    ("lost", "back", "short"),
    [
        ("[Mon Mar  2 10:00:01 2026] ", "[Mon Mar  2 10:00:09 2026] ", True),
        ("Mar  2 10:00:01 n1 kernel: ", "Mar  2 10:00:09 n1 kernel: ", True),
        ("Mar  2 10:00:01 n1 kernel: ", "Mar  3 10:00:09 n1 kernel: ", False),
        ("2026-03-02T10:00:01.5+00:00 n1 kernel: ", "2026-03-02T10:00:09.5+00:00 n1 kernel: ", True),
        ("", "", False),
    ],
)
def test_times_are_read_in_the_forms_of_logs(lost: str, back: str, short: bool) -> None:
    assert (findings_of(RULE, f"{lost}nfs: server {LOST}\n{back}nfs: server {BACK}\n") == ()) is short


IOSTAT = "Device            r/s     rkB/s r_await     w/s     wkB/s w_await  aqu-sz  %util\n"


def test_a_disk_that_is_busy_and_late() -> None:
    late = "sda            188.00   6016.00  812.44    4.00     64.00  921.50  156.40 100.00\n"
    busy = "sda            188.00   6016.00    0.44    4.00     64.00    0.50  156.40 100.00\n"
    assert said(RULE, IOSTAT + late) == snapshot(
        [("node-stalls", "warning", "likely", "disk sda is busy all the time and takes 922 ms to answer")]
    )
    assert findings_of(RULE, IOSTAT + busy) == ()


def test_time_lost_to_disks() -> None:
    text = "/proc/pressure/io:full avg10=48.10 avg60=44.01 avg300=31.12 total=71201120112\n"
    assert said(RULE, text) == snapshot(
        [("node-stalls", "warning", "likely", "for 44 % of a minute everything waited for disks or file servers")]
    )


def test_processes_that_wait_for_a_file_server() -> None:
    text = "  41022   40990 Dl   nfs_wait_bit_killable            python train.py --config c.yaml\n"
    assert said(RULE, text) == snapshot(
        [("node-stalls", "warning", "likely", "waiting for files inside the kernel: python (nfs_wait_bit_killable)")]
    )
