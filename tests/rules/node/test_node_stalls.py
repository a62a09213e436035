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
