"""What stands far behind the front of a line, or in lines that were joined into one, is read."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import slowlink
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log

HEALTHY = job_log(SimulatedJob(plateau_gbs=186.0))
BAD = "[   12.3] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."
STEPS = [f"step {step} loss 2.31 lr 1e-4" for step in range(120)]

JOINED: dict[str, Callable[[list[str]], str]] = {
    "rsyslogd": lambda lines: "Nov  3 04:05:06 gpu17 train[77]: " + "#012".join(lines),
    "Ansible": lambda lines: "gpu17 | CHANGED => " + json.dumps({"rc": 0, "stdout_lines": lines}),
    "JUnit": lambda lines: f"<testcase><system-out>{'&#10;'.join(lines)}</system-out></testcase>",
    "a page": lambda lines: "<br>".join(lines),
    "bars": lambda lines: "dmesg: " + " | ".join(lines),
    "blanks": lambda lines: " ".join(lines),
    "a record": lambda lines: json.dumps({"log": " ".join(lines)}),
    "a record of rsyslogd": lambda lines: json.dumps({"log": "#012".join(lines), "time": "2026-11-03T04:05:06Z"}),
    "dots": lambda lines: "loading " + "." * 2100 + lines[-1],
    "blanks of a terminal": lambda lines: lines[-1].replace(" ", "\x1b[1C"),
    "letters as numbers": lambda lines: "".join(('{"msg": "', *(f"\\u{ord(each):04x}" for each in lines[-1]), '"}')),
    "a log of NCCL": lambda lines: "Nov  3 04:05:06 gpu17 train[77]: gpu17:7:9 [0] NCCL INFO comm#012" + lines[-1],
}


def among_others(line: str) -> bytes:
    lines = HEALTHY.splitlines()
    lines.insert(len(lines) // 2, line)
    return "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize("join", JOINED.values(), ids=JOINED.keys())
def test_nothing_is_hidden_by_a_join(join: Callable[[list[str]], str]) -> None:
    report = slowlink.analyze(among_others(join([*STEPS, BAD])))
    assert (report.verdict, report.diagnoses[0].cause) == ("broken", "gpu-missing")


@pytest.mark.parametrize("join", JOINED.values(), ids=JOINED.keys())
def test_a_join_of_harmless_lines_changes_no_verdict(join: Callable[[list[str]], str]) -> None:
    assert slowlink.analyze(among_others(join([*STEPS, "[   12.3] usb 1-1: new device"]))).verdict == "healthy"


def test_the_host_before_a_join_stands_before_all_its_lines() -> None:
    line = JOINED["rsyslogd"]([*STEPS, BAD])
    (event,) = read([Input("t", None, [f"{line}\n".encode()])], workers=1).events
    assert event.host == "gpu17"


@pytest.mark.parametrize("before", [0, 1500, 1590, 1700, 1900, 1999, 5000])
def test_a_message_counts_once_wherever_parts_overlap(before: int) -> None:
    events = read([Input("t", None, [f"{'x' * before} {BAD}\n".encode()])], workers=1).events
    assert [(each.kind, each.count) for each in events] == [("kernel-xid", 1)]


def test_a_part_of_a_line_has_no_front() -> None:
    words = "x" * 1599 + " Killed" + " y" * 1000
    assert slowlink.analyze(among_others(words)).verdict == "healthy"
