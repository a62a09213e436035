"""What ranks of a batch job wrote on their nodes comes home behind its output, also when it is ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab
from slowlink.workflows.rank_files.framed import received

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

_RUN = str(Path(__file__).parents[1] / "launch" / "run_plan.py")
_PLACE = "/tmp/slowlink-batch"
_WRITE = f"""\
import os, pathlib, sys, time
node = os.environ["SLURMD_NODENAME"]
pathlib.Path("{_PLACE}", "nccl-debug", f"{{node}}.{{os.getpid()}}.log").write_text("words of NCCL\\n")
sys.stdout.write("# table\\n")
sys.stdout.flush()
time.sleep(600 * int(sys.argv[1]) + int(sys.argv[2]))  # the first to fail ends the others
sys.exit(int(sys.argv[2]))
"""


@pytest.mark.parametrize(("sleeps", "status"), [(0, 0), (0, 7), (1, 0)])
def test_files_of_all_nodes_are_printed(slurm: Lab, shared: Path, sleeps: int, status: int) -> None:
    argv = [sys.executable, _RUN, "slurm", "node[2-4]", "5", "2", str(shared / "scratch"), "mpich"]
    argv += [sys.executable, "-c", _WRITE, str(sleeps), str(status)]
    started = slurm.popen("node2", argv, env={"RUN_PLAN_FILES": _PLACE})
    text = ""
    if sleeps:
        assert started.stdout is not None
        for line in started.stdout:
            text += line
            if text.count("# table") == 5:
                break
        subprocess.run(["kill", "-INT", str(slurm.pid_of(started))], check=True)
    out, err = started.communicate(timeout=120)
    text += out
    assert f"ended {'interrupted' if sleeps else 'exited'}" in err, err
    assert ("ended exited 0" in err) is (not sleeps and not status)
    sections = text.split("#slowlink-node 5e2f ")[1:]
    counts = {section.split("\n")[0]: len(received(section, "5e2f")[0]) for section in sections}
    assert counts == {"node2": 2, "node3": 2, "node4": 1}, text + err
    assert all(received(section, "5e2f")[1] for section in sections)
    assert list(shared.glob("slowlink-*.out")) == []
    assert slurm.exec("node1", ["squeue", "--noheader", "--states=RUNNING"]).stdout == ""
    for node in slurm.nodes[1:]:
        assert slurm.exec(node, ["ls", _PLACE]).returncode != 0
