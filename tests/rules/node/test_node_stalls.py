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
