"""``slowlink snapshot`` as it is typed: on this machine, with tools of our own and a root of our own."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from slowlink.cli.snapshot import command
from slowlink.errors import SlowlinkError
from slowlink.simulate.node_state.description import Busy, SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a simulated node: its root and, first on PATH, its tools."""
    write_programs(tmp_path / "bin", str(tmp_path / "answers"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in [name for name in os.environ if name.startswith(("SLURM_", "KUBERNETES_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    become(tmp_path, SimulatedNode(platform.node()))
    return tmp_path


def become(place: Path, described: SimulatedNode) -> None:
    write_root(described, place / "root")
    write_answers(described, place / "answers")


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def test_this_machine(node: Path) -> None:
    result = invoke("--root", str(node / "root"), "--seconds", "0", "-o", "snap", "-o", "snap.html", "--format", "json")
    report = json.loads(result.stdout)
    assert (result.return_value, report["verdict"], report["findings"]) == (0, "healthy", [])
    assert "1 of 1 node answered" in result.stderr
    assert f"# asking {platform.node()} (this machine); local: no nodes were named\n" in result.stderr
    assert (node / "snap" / "manifest.json").is_file()
    assert "<html" in (node / "snap.html").read_text()


def test_a_fault_makes_the_status_1(node: Path) -> None:
    become(node, SimulatedNode(platform.node(), acs=True))
    result = invoke("--root", f"{node}/root/", "--seconds", "0")
    assert result.return_value == 1
    assert "ACS redirects peer-to-peer traffic" in result.stdout
    short = result.stdout.partition("1 of 1 node answered\n")[2]
    assert short.startswith(f"  skipped  {platform.node()}: ")
    assert short.endswith("\n  (--verbose says why)\n")
    assert "mx-smi" in short
    assert "no mx-smi here" not in short
    full = invoke("--root", f"{node}/root/", "--seconds", "0", "-v").stdout.partition("1 of 1 node answered\n")[2]
    assert f"  skipped  mx-smi: no mx-smi here: {platform.node()}\n" in full
    shutil.rmtree(max(node.glob("slowlink-*"), key=lambda path: path.stat().st_mtime_ns))
    assert [path.name.endswith("-snapshot") for path in node.glob("slowlink-*")] == [True]


def test_a_node_of_another_vendor(node: Path) -> None:
    described = SimulatedNode(platform.node(), vendor="metax", driver="3.3.12")
    shutil.rmtree(node / "root")
    (node / "bin" / "nvidia-smi").unlink()
    write_programs(node / "bin", str(node / "answers"), "metax")
    become(node, described)
    words = ("--root", f"{node}/root", "--seconds", "0", "--format", "json")
    report = json.loads(invoke(*words).stdout)
    assert (report["verdict"], report["findings"]) == ("healthy", [])
    become(node, replace(described, busy=Busy(gpu=2, name="python3")))
    report = json.loads(invoke(*words).stdout)
    assert [found["cause"] for found in report["findings"]] == ["gpu-busy"]
    assert "python3" in report["findings"][0]["message"]


def test_some_collectors_alone(node: Path) -> None:
    result = invoke("--root", f"{node}/root", "--only", "hostname", "-o", "snap")
    assert result.return_value == 3
    text = (node / "snap" / "captures" / "state" / platform.node() / "stdout").read_text()
    assert text.count(" begin ") == 1
    assert f"{node}/root/proc/sys/kernel/hostname:{platform.node()}\n" in text


def test_the_script_is_shown_and_not_run(node: Path) -> None:
    result = invoke("--dry-run", "--only", "hostname")
    assert result.return_value == 0
    assert subprocess.run(["sh", "-n"], input=result.stdout, text=True, capture_output=True).stderr == ""
    assert "slowlink_run hostname 5 ''" in result.stdout
    assert list(node.glob("slowlink-*")) == []


def test_the_collectors_are_listed() -> None:
    lines = invoke("--list").stdout.splitlines()
    assert "name, boot and clock of the node" in next(line for line in lines if line.startswith("hostname "))
    assert "(twice; needs nvidia-smi)" in next(line for line in lines if line.startswith("nvidia-smi-q "))


KUBECTL = """\
#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
*"get pods"*) echo '{"items": [{"metadata": {"name": "agent-1"}, "spec": {"nodeName": "gpu01"}, "status": {"phase": "Running"}},
 {"metadata": {"name": "agent-2"}, "spec": {"nodeName": "gpu02"}, "status": {"phase": "Running"}}]}' ;;
*"exec --stdin agent-1 -- sh -s"*) exec sh -s ;;
*) echo 'error: unable to upgrade connection: container not found ("agent")' >&2; exit 1 ;;
esac
"""


def test_pods_of_nodes(node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = node / "bin" / "kubectl"
    program.write_text(KUBECTL)
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("LOG", str(node / "log"))
    words = (
        "--pods",
        "app=agent",
        "--namespace",
        "hpc",
        "--root",
        f"{node}/root",
        "--only",
        "hostname",
        "--format",
        "json",
    )
    result = invoke(*words)
    assert result.return_value == 3
    assert "1 of 2 nodes answered; unknown: gpu02" in result.stderr
    (found,) = json.loads(result.stdout)["findings"]
    assert found["message"].startswith("1 of 2 nodes did not answer: gpu02: error: unable to upgrade connection")
    assert "--namespace=hpc get pods --selector=app=agent --output=json" in (node / "log").read_text()


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("--nodes", "a", "--hostfile", "b"), "usage"),
        (("--nodes", "a", "--pods", "b=c"), "usage"),
        (("--root", "host"), "usage"),
        (("--only", "no-such-thing"), "unknown-collector"),
        (("--with", "nothing-of-this"), "unknown-collector"),
        (("--nodes", "$(reboot)"), "bad-node-set"),
        (("--on", "local", "--nodes", "a"), "usage"),
    ],
)
def test_what_cannot_be_meant(node: Path, arguments: tuple[str, ...], slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        invoke(*arguments)
    assert (caught.value.slug, bool(caught.value.hint)) == (slug, True)
    assert list(node.glob("slowlink-*")) == []


def test_one_bundle(node: Path) -> None:
    with pytest.raises(click.BadParameter, match="one bundle"):
        invoke("-o", "a", "-o", "b")
