"""``slowlink attach --pods``: each pod has a loopback, and so a RAS, of its own. Pods are lab hosts here, and kubectl is a
script that answers as it does and runs what is to be run in a pod on its host, since there is no kubelet on this machine.
What travels to a pod, and what comes back, is that of a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.ras_servers import OFF, ON, SLOWLINK, Servers
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

KUBECTL = """\
#!{python}
# gpu01 has the pods train-0 and train-1, gpu02 has train-2; train-9 waits for a node. train-N is node(N+1).
import json, os, subprocess, sys
words = sys.argv[1:]
with open("{log}", "a") as log:
    print(*words, file=log)
if "get" in words:
    pods = [("train-0", "gpu01", "Running"), ("train-1", "gpu01", "Running"), ("train-2", "gpu02", "Running"), ("train-9", None, "Pending")]
    wanted = pods if "job-name=train" in "".join(words) else pods[1:3]
    print(json.dumps({{"items": [{{"metadata": {{"name": name}}, "spec": {{"nodeName": node}}, "status": {{"phase": phase}}}} for name, node, phase in wanted]}}))
    sys.exit()
at = words.index("--")
pod, command = words[at - 1], words[at + 1:]
if os.path.exists("{gone}" + pod):
    sys.exit('Error from server (NotFound): pods "' + pod + '" not found')
node = "node" + str(int(pod.rpartition("-")[2]) + 1)
done = subprocess.run(["{python}", "-m", "slowlink", "lab", "exec", "--name", "{lab}", node, *command])
if done.returncode:
    print("command terminated with exit code", done.returncode, file=sys.stderr)
sys.exit(done.returncode)
"""


@pytest.fixture
def servers(lab: Lab, tmp_path: Path) -> Iterator[Servers]:
    made = Servers(lab, tmp_path)
    yield made
    made.end()


@pytest.fixture(autouse=True)
def kubectl(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What it was called with."""
    program, log = tmp_path / "bin" / "kubectl", tmp_path / "calls"
    program.parent.mkdir()
    program.write_text(KUBECTL.format(python=sys.executable, log=log, lab=lab.name, gone=f"{tmp_path}/gone-"))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return log


def words(place: Path, *more: str, labels: str = "job-name=train") -> list[str]:
    given = ["--pods", labels, "--namespace", "team", "--no-history", "--no-snapshot", "--between", "5"]
    return [*SLOWLINK, "attach", *given, "--format", "json", "-o", str(place), *more]


def attach(place: Path, *more: str, labels: str = "job-name=train") -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(words(place, *more, labels=labels), capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def test_every_pod_is_asked_two_of_one_node_too(servers: Servers, kubectl: Path, tmp_path: Path) -> None:
    """The sick job is the second pod of its node: asked by node, its neighbour would hide it."""
    servers.start("node1", "json")
    servers.start("node2", "behind")
    status, report, err = attach(tmp_path / "found", "--container", "main")
    assert (status, [each["cause"] for each in report["findings"]]) == (1, ["rank-stuck"]), err
    assert "3 of 3 nodes answered" in err
    calls = kubectl.read_text().splitlines()
    assert calls[0] == "--namespace=team get pods --selector=job-name=train --output=json"
    assert sorted(calls[1:]) == [f"--namespace=team exec --stdin --container=main train-{n} -- sh -s" for n in range(3)]
    asked = servers.commands("node2")
    assert asked.count("VERBOSE STATUS") == 2
    assert servers.controls("node2") == []


def test_a_pod_that_is_gone_leaves_it_open(servers: Servers, tmp_path: Path) -> None:
    servers.start("node1", "json")
    (tmp_path / "gone-train-1").touch()
    status, report, err = attach(tmp_path / "found")
    assert (status, report["verdict"]) == (3, "inconclusive"), err
    assert "1 of 3 nodes did not answer: train-1" in report["headline"]


def test_where_one_pod_is_on_each_node_it_stands_for_the_node(servers: Servers, tmp_path: Path) -> None:
    servers.start("node2", "json")
    servers.start("node3", "json")
    status, report, err = attach(tmp_path / "found", labels="app=one")
    assert (status, report["findings"]) == (0, []), err
    assert "# asking gpu[01-02] (pods with app=one); kubernetes: pods were named" in err


def test_the_profiler_of_a_job_in_pods_is_on_for_a_while(servers: Servers, tmp_path: Path) -> None:
    servers.start("node1", "json")
    servers.start("node3", "control")
    status, report, err = attach(tmp_path / "found", "--profile", "1")
    assert (status, report["findings"]) == (0, []), err
    assert servers.controls("node1") == [ON]
    assert servers.controls("node3") == [ON, OFF]
    assert "it was on for 1 s, by train-2; now: none" in err


@pytest.mark.parametrize(("number", "node"), [(signal.SIGKILL, "node1"), (signal.SIGTERM, "node2")])
def test_it_is_off_again_in_the_pod_when_slowlink_is_ended(
    servers: Servers, tmp_path: Path, number: signal.Signals, node: str
) -> None:
    servers.start(node, "control")
    argv = words(tmp_path / "found", "--profile", "600")
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        servers.await_controls(node, [ON])
        os.kill(running.pid, number)
        running.wait(timeout=60)
    servers.await_controls(node, [ON, OFF])
