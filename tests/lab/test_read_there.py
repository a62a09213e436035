"""``slowlink analyze --nodes`` over ssh between lab hosts: what is read there is what copies of the files would give."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heaps import job, nccl_lines, table
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

NODES = ("node1", "node2", "node3", "node4")
XID = "[ 4711.25] NVRM: Xid (PCI:0000:1b:00): 79, pid=4000, GPU has fallen off the bus.\n"


def put(lab: Lab, shared: Path, node: str, path: str, text: str) -> None:
    """Write a file on one host: its /tmp is its own."""
    (shared / "passing").write_text(text)
    done = lab.exec(node, ["install", "-D", "-m", "755", str(shared / "passing"), path])
    assert done.returncode == 0, done.stderr


@pytest.fixture
def logs(lab: Lab, shared: Path) -> Iterator[dict[str, str]]:
    """``node:path`` -> text of what lies on the hosts."""
    log = job(*NODES, sick=True)
    texts = {f"{node}:/tmp/logs/job-7.out": nccl_lines(log, node) for node in NODES}
    texts["node1:/tmp/logs/job-7.out"] += table(log)
    texts |= {f"{node}:/tmp/logs/set $(id).txt": "/proc/sys/kernel/numa_balancing:1\n" for node in NODES[:2]}
    texts["node3:/tmp/logs/kernel.txt"] = XID
    for name, text in texts.items():
        node, _, path = name.partition(":")
        put(lab, shared, node, path, text)
    yield texts
    lab.sweep()
    for node in NODES:
        if node in {host.name for host in lab.state.hosts if host.up}:
            lab.exec(node, ["rm", "-rf", "/tmp/logs", "/tmp/bin"])


def analyze(lab: Lab, *words: str) -> tuple[int, dict[str, Any], str]:
    done = lab.exec("node1", [sys.executable, "-m", "slowlink", "analyze", "--format", "json", *words])
    return done.returncode, json.loads(done.stdout), done.stderr


def of_copies(texts: dict[str, str], place: Path) -> dict[str, Any]:
    """The report of copies below ``place``, in folders that are named ``node1:``."""
    for name, text in texts.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folders = sorted({name.partition("/")[0] for name in texts})
    argv = [sys.executable, "-m", "slowlink", "analyze", "--format", "json", *folders]
    done = subprocess.run(argv, cwd=place, capture_output=True, text=True, timeout=60, check=False)
    return dict(json.loads(done.stdout))


def test_what_is_read_there_is_what_copies_give(lab: Lab, logs: dict[str, str], tmp_path: Path) -> None:
    status, report, said = analyze(lab, "--nodes", "node[1-4]", "/tmp/logs/*")
    assert (status, report) == (1, of_copies(logs, tmp_path))
    assert [each["path"] for each in report["inputs"]] == sorted(logs)
    assert said == "# reading on node[1-4] (--nodes node[1-4]); ssh: nodes were named\n"


def test_one_has_no_file_one_no_slowlink_and_one_dies_while_it_reads(
    lab: Lab, shared: Path, logs: dict[str, str], tmp_path: Path
) -> None:
    own = f'#!/bin/sh\nexec {sys.executable} -m slowlink "$@"\n'
    for node in ("node1", "node3", "node4"):
        put(lab, shared, node, "/tmp/bin/slowlink", own)
    lab.exec("node3", ["rm", "/tmp/logs/job-7.out"])
    large = large_log(shared)
    lab.exec("node4", ["ln", "-s", str(large), "/tmp/logs/job-8.out"])
    words = ["analyze", "--slowlink", "/tmp/bin/slowlink", "--nodes", "node[1-4]", "/tmp/logs/job*", "--format", "json"]
    process = lab.popen("node1", [sys.executable, "-m", "slowlink", *words])
    await_reader(lab, process, "node4", large)
    time.sleep(1)  # the first file is on its way by ssh; the second takes many times as long
    lab.kill("node4")
    out, said = process.communicate(timeout=60)
    large.unlink()
    report = json.loads(out)
    left = {name: text for name, text in logs.items() if "job-7" in name and "node3" not in name}
    assert process.returncode == 1
    assert [(each["path"], each["lines"], each["problem"]) for each in report["inputs"]] == [
        *((name, text.count("\n"), None) for name, text in left.items()),
        ("node3:/tmp/logs/job*", 0, "no such file there: check the path, or leave the node out"),
        ("node4:/tmp/logs/job*", 0, "the connection was lost"),
    ]
    assert report["verdict"] == "degraded"
    assert "1 of 4 nodes did not answer (node4)" in report["headline"]
    assert "node2: slowlink is not there; files were brought and read here" in said
    copies = of_copies(left, tmp_path)
    assert [each for each in report["findings"] if each["rule"] != "nodes-unanswered"] == copies["findings"]


def large_log(shared: Path) -> Path:
    """One that takes a while to read."""
    large = shared / "large.log"
    lines = "".join(f"iteration @{line} loss 1.{line} and so on\n" for line in range(20_000))
    with large.open("w") as file:
        for step in range(400):
            file.write(lines.replace("@", str(step)))
    return large


def await_reader(lab: Lab, process: subprocess.Popen[str], node: str, file: Path) -> None:
    """Waits until slowlink on a host has the file open."""
    deadline = time.monotonic() + 60
    while not any("read-here" in one.argv and file in opened(one.pid) for one in lab.processes(node)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def opened(pid: int) -> list[Path]:
    """What a process of this machine has open."""
    try:
        return [entry.readlink() for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_reads_there(
    lab: Lab, shared: Path, logs: dict[str, str], number: signal.Signals
) -> None:
    large = large_log(shared)
    process = lab.popen("node1", [sys.executable, "-m", "slowlink", "analyze", "--nodes", "node[2-3]", str(large)])
    for node in ("node2", "node3"):
        await_reader(lab, process, node, large)
    subprocess.run(["kill", f"-{number.value}", str(lab.pid_of(process))], check=True)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "slowlink: interrupted" in said
    assert "2 of 2 nodes did not answer: node[2-3]: interrupted before it answered" in " ".join(out.split())
    assert lab.left(patience_s=20) == {}
    large.unlink()
