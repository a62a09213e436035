"""``slowlink snapshot`` over nodes whose tools hang, crash, complain or are not there: a shell of this machine for each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from slowlink.cli.main import cli
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root

SSH = """\
#!/bin/sh
# Stands for ssh: the node is the word before the command, its tools lie in a folder of its name.
for word in "$@"; do
  case $word in gpu[0-9]*) node=$word ;; esac
done
if [ -e "{place}/$node.dead" ]; then
  echo "ssh: connect to host $node port 22: Connection timed out" >&2
  exit 255
fi
PATH="{place}/$node:$PATH"
export PATH
exec sh -s
"""
SMI = "nvidia-smi"
Tools = Mapping[str, Mapping[str, str | None]]
"""Node -> tool -> the script that stands for it there; None: it is not there."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("SLURM_", "KUBERNETES_"))]:
        monkeypatch.delenv(name)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    program(bin_ / "ssh", SSH.format(place=tmp_path))
    monkeypatch.setenv("PATH", f"{bin_}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    write_root(SimulatedNode("gpu00"), tmp_path / "root")
    write_answers(SimulatedNode("gpu00"), tmp_path / "answers")
    return tmp_path


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def asked(place: Path, count: int, tools: Tools, *words: str, dead: tuple[str, ...] = ()) -> dict[str, Any]:
    """The report of a snapshot of ``count`` nodes; ``exit`` is its exit status."""
    for number in range(1, count + 1):
        name = f"gpu{number:02}"
        write_programs(place / name, str(place / "answers"))
        for tool, text in tools.get(name, {}).items():
            (place / name / tool).unlink(missing_ok=True)
            if text is not None:
                program(place / name / tool, f"#!/bin/sh\n{text}\n")
    for name in dead:
        (place / f"{name}.dead").touch()
    arguments = ["snapshot", "--nodes", f"gpu[01-{count:02}]", "--root", f"{place}/root", "--seconds", "0"]
    result = CliRunner().invoke(cli, [*arguments, "--format", "json", *words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return {**json.loads(result.stdout), "exit": result.return_value}


def told(report: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """(cause, severity, nodes, message) of every diagnosis, seconds left out."""
    return [
        (
            each["cause"],
            each["severity"],
            ",".join(s["name"] for s in each["suspects"] if s["kind"] == "node"),
            re.sub(r"\d+ s\b", "N s", each["message"]),
        )
        for each in report["diagnoses"]
    ]


def unanswered(report: Mapping[str, Any], node: str) -> list[tuple[str, str, str]]:
    """(collector, outcome, why) of what ``node`` did not answer."""
    missed = [each for each in report["facts"]["not_collected"] if each["nodes"] == node]
    return [(each["collector"], each["outcome"], re.sub(r"\d+ s\b", "N s", each["why"])) for each in missed]


def outcome(report: Mapping[str, Any]) -> tuple[object, object, str]:
    return report["verdict"], report["exit"], re.sub(r"\d+ s\b", "N s", str(report["headline"]))


def test_a_tool_that_blocks_for_ever(place: Path) -> None:
    report = asked(place, 4, {"gpu02": {SMI: "exec sleep 600"}}, "--timeout", "16")
    assert outcome(report) == snapshot(
        (
            "inconclusive",
            3,
            "inconclusive: gpu02: nvidia-smi gives no answer: no end within N s, less than its N s; on 3 other nodes it answers",
        )
    )
    assert told(report) == snapshot(
        [
            (
                "tool-failed",
                "warning",
                "gpu02",
                "gpu02: nvidia-smi gives no answer: no end within N s, less than its N s; on 3 other nodes it answers",
            )
        ]
    )
    assert unanswered(report, "gpu02") == snapshot(
        [
            ("nvidia-smi-nvlink", "skipped", "nvidia-smi gave no answer before"),
            ("nvidia-smi-nvlink", "timeout", "no end within N s, less than its N s"),
            ("nvidia-smi-processes", "skipped", "nvidia-smi gave no answer before"),
            ("nvidia-smi-q", "skipped", "nvidia-smi gave no answer before"),
            ("nvidia-smi-topo", "skipped", "nvidia-smi gave no answer before"),
        ]
    )


def test_an_exit_status_and_words_that_nobody_knows(place: Path) -> None:
    report = asked(place, 4, {"gpu03": {SMI: "echo 'the flux is not aligned'; exit 127"}})
    assert outcome(report) == snapshot(
        (
            "degraded",
            1,
            "gpu03: nvidia-smi fails: exit status 127: the flux is not aligned; on 3 other nodes it answers",
        )
    )
    assert told(report) == snapshot(
        [
            (
                "tool-failed",
                "error",
                "gpu03",
                "gpu03: nvidia-smi fails: exit status 127: the flux is not aligned; on 3 other nodes it answers",
            )
        ]
    )


def test_messages_of_tools_name_their_nodes_and_different_faults_stand_apart(place: Path) -> None:
    tools = {
        "gpu01": {SMI: "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18"},
        "gpu02": {SMI: "echo 'No devices were found'; exit 6"},
        "gpu03": {"dmesg": "echo '[ 9.1] NVRM: Xid (PCI:0000:23:00): 119, pid=1, name=x, Timeout after 6s of waiting'"},
        "gpu04": {"dmesg": "echo '[ 9.1] NVRM: Xid (PCI:0000:23:00): 79, pid=1, GPU has fallen off the bus.'"},
    }
    report = asked(place, 5, tools)
    assert outcome(report) == snapshot(
        (
            "broken",
            1,
            "gpu03 GPU 1 stopped answering its driver: Xid 119 (GSP RPC timeout), 1 time; also gpu-missing (2 nodes) and version-mismatch",
        )
    )
    assert told(report) == snapshot(
        [
            (
                "gpu-driver-hung",
                "critical",
                "gpu03",
                "gpu03 GPU 1 stopped answering its driver: Xid 119 (GSP RPC timeout), 1 time",
            ),
            ("gpu-missing", "critical", "gpu04", "gpu04 GPU 1 is gone: the driver cannot reach it any more"),
            (
                "version-mismatch",
                "critical",
                "gpu01",
                "gpu01: the driver's library is not that of the loaded kernel module",
            ),
            ("gpu-missing", "critical", "gpu02", "gpu02: nvidia-smi finds no GPU: none was handed in, or none started"),
        ]
    )


def test_a_tool_that_is_missing_on_one_node_of_many(place: Path) -> None:
    report = asked(place, 4, {"gpu04": {SMI: None}})
    assert outcome(report) == snapshot(
        ("inconclusive", 3, "inconclusive: gpu04: no nvidia-smi here; on 3 other nodes it answers")
    )
    assert told(report) == snapshot(
        [("tool-failed", "warning", "gpu04", "gpu04: no nvidia-smi here; on 3 other nodes it answers")]
    )
    assert "3 nodes have 4 GPUs each" in report["facts"]["proofs"]
    assert [proof for proof in report["facts"]["proofs"] if "alike" in proof] == []


def test_a_tool_that_is_missing_everywhere_is_not_collected(place: Path) -> None:
    report = asked(place, 3, {f"gpu0{number}": {SMI: None} for number in (1, 2, 3)})
    assert outcome(report) == snapshot(("healthy", 0, "healthy: 12 ports are Active at 400 Gb/s on 3 nodes"))
    assert told(report) == []


def test_a_login_node_without_gpus_is_no_sick_node(place: Path) -> None:
    bare = "echo '0000:00:00.0 PCI bridge: Intel Corporation Sky Lake-E PCI Express Root Port A (rev 07)'"
    report = asked(place, 4, {"gpu01": {SMI: None, "lspci": bare}})
    assert [each for each in told(report) if each[0] == "tool-failed"] == []


def test_most_nodes_without_an_answer_lead(place: Path) -> None:
    write_answers(SimulatedNode("gpu00", acs=True), place / "answers")
    report = asked(place, 8, {}, dead=tuple(f"gpu0{number}" for number in range(3, 9)))
    assert outcome(report) == snapshot(
        (
            "degraded",
            1,
            "6 of 8 nodes did not answer (gpu[03-08]); of the others: gpu[01-02]: ACS redirects peer-to-peer traffic on 16 PCIe bridges above GPUs or HCAs",
        )
    )
    assert [(cause, severity) for cause, severity, _, _ in told(report)] == snapshot(
        [("acs-enabled", "error"), ("nodes-unanswered", "warning")]
    )


def test_a_node_that_does_not_answer_any_more_is_worse(place: Path) -> None:
    asked(place, 3, {}, "-o", "before")
    asked(place, 3, {}, "-o", "after", dead=("gpu02",))
    result = CliRunner().invoke(cli, ["compare", "before", "after"], standalone_mode=False)
    assert (result.return_value, result.output) == snapshot(
        (
            1,
            """\
WORSE  no answer any more: gpu02; nothing changed on gpu[01,03]; no benchmark in either

New causes
  nodes-unanswered [warning, certain]: 1 of 3 nodes did not answer: gpu02: no answer on the ssh
    port; what that node does is unknown

Nodes
  no answer any more: gpu02

Compared
  old before: healthy: 12 GPUs of 3 nodes (NVIDIA H100 80GB HBM3, driver 570.133.20): memory without
    errors, NVLinks active and without errors, NVLink fabric set up, clocks not slowed; 12 ports are
    Active at 400 Gb/s on 3 nodes (gpu[01-03])
  new after: inconclusive: 1 of 3 nodes did not answer: gpu02: no answer on the ssh port; what that
    node does is unknown (gpu[01,03])
""",
        )
    )


def test_a_node_that_was_rebooted(place: Path) -> None:
    asked(place, 2, {}, "-o", "before")
    boot = place / "root/proc/sys/kernel/random/boot_id"
    boot.write_text(boot.read_text().replace("3d0d", "4e1e"))
    asked(place, 2, {}, "-o", "after")
    result = CliRunner().invoke(cli, ["compare", "before", "after"], standalone_mode=False)
    assert (result.return_value, result.output) == snapshot(
        (
            0,
            """\
CHANGED  gpu[01-02]: rebooted; no benchmark in either

Changed on nodes
  gpu[01-02]: rebooted

Compared
  old before: healthy: 8 GPUs of 2 nodes (NVIDIA H100 80GB HBM3, driver 570.133.20): memory without
    errors, NVLinks active and without errors, NVLink fabric set up, clocks not slowed; 8 ports are
    Active at 400 Gb/s on 2 nodes (gpu[01-02])
  new after: healthy: 8 GPUs of 2 nodes (NVIDIA H100 80GB HBM3, driver 570.133.20): memory without
    errors, NVLinks active and without errors, NVLink fabric set up, clocks not slowed; 8 ports are
    Active at 400 Gb/s on 2 nodes (gpu[01-02])
""",
        )
    )
