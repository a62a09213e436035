"""``slowlink analyze --on slurm`` in an allocation of a real Slurm: a step on each node reads there; a cancelled one
leaves nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]


@pytest.mark.parametrize("program", [(), ("--slowlink", "/nowhere/slowlink")])
def test_files_of_the_nodes_of_an_allocation(slurm: Lab, shared: Path, program: tuple[str, ...]) -> None:
    for number, node in enumerate(slurm.nodes):
        text = shared / "passing"
        text.write_text(f"/proc/sys/kernel/numa_balancing:{number % 2}\n")
        slurm.exec(node, ["cp", str(text), f"/tmp/set-{number}.txt"])
    words = ["analyze", "--on", "slurm", "--format", "json", *program, "/tmp/set-*"]
    argv = ["salloc", "--quiet", "--nodes=4", sys.executable, "-m", "slowlink", *words]
    done = slurm.exec("node1", argv, timeout_s=100)
    assert "reading on node[1-4] (SLURM_JOB_NODELIST=node[1-4]); slurm: asked for" in done.stderr
    assert ("node[1-4]: slowlink is not there; files were brought" in done.stderr) == bool(program)
    report = json.loads(done.stdout)
    assert [(each["path"], each["problem"]) for each in report["inputs"]] == [
        (f"{node}:/tmp/set-{number}.txt", None) for number, node in enumerate(slurm.nodes)
    ]
    (finding,) = [each for each in report["findings"] if each["cause"] == "numa-balancing-on"]
    assert [each["name"] for each in finding["suspects"]] == ["node2", "node4"]
