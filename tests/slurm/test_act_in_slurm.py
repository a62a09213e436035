"""``slowlink act --drain`` and ``--rollback`` on a real Slurm."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json
from slurm.conftest import all_idle, slurm_with
from slurm.test_node_check_in_slurm import drained, recipe

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

NODES = ["node1", "node2", "node3", "node4"]


@pytest.fixture(scope="module")
def slurm(slurm_possible: None, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One in which a node that was set down stays so until somebody resumes it."""
    with slurm_with("ReturnToService=0\n", shared, tmp_path_factory.mktemp("settings")) as lab:
        yield lab


def found(cause: str, node: str, confidence: str = "certain") -> Diagnosis:
    return Diagnosis(cause, cause, f"{node} so", "node", "error", confidence, (Suspect("node", node),))  # type: ignore[arg-type]


def saved(place: Path, *diagnoses: Diagnosis) -> str:
    """The id of a report with these; it lies at ``place``."""
    facts: dict[str, object] = {"state_nodes": [*NODES, "ALL", "node[1-4]", "--help"]}
    place.write_text(
        plain_json(Report("slowlink.report/1", "0.1.0", "degraded", "so", diagnoses=diagnoses, facts=facts))
    )
    return hashlib.sha256(place.read_bytes()).hexdigest()[:12]


def environment(shared: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_STATE_HOME": str(shared / "state")}


def act(lab: Lab, shared: Path, *words: str, as_nobody: bool = False) -> subprocess.CompletedProcess[str]:
    who = ["setpriv", "--reuid=65534", "--clear-groups"] if as_nobody else []
    return lab.exec(
        "node1", [*who, sys.executable, "-m", "slowlink", "act", *words], env=environment(shared), timeout_s=100
    )


def by_hand(lab: Lab, node: str, *words: str) -> None:
    done = lab.exec("node1", ["scontrol", "update", f"NodeName={node}", *words])
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True)
def all_in_use(slurm: Lab) -> None:
    for node in NODES:
        if slurm.exec("node1", ["sinfo", "-h", "-n", node, "-o", "%t"]).stdout.strip() != "idle":
            slurm.exec("node1", ["scontrol", "update", f"NodeName={node}", "State=RESUME"])
    assert all_idle(slurm)


def test_nodes_are_drained_with_the_reason_and_given_back(slurm: Lab, shared: Path) -> None:
    report = shared / "report.json"
    number = saved(
        report, found("gpu-missing", "node2"), found("port-rate-low", "node2"), found("gpu-slow", "node3", "possible"),
        found("gpu-missing", "node4"), found("gpu-missing", "node9"),
    )  # fmt: skip
    by_hand(slurm, "node4", "State=DRAIN", "Reason=a new fan")
    shown = act(slurm, shared, str(report), "--drain")
    assert shown.returncode == 1, shown.stderr
    assert "to be drained in Slurm: 1 node of 4\n" in shown.stdout
    assert shown.stdout.endswith("nothing was done; --apply does it\n")
    assert drained(slurm, "node2") == (False, "")
    assert not (shared / "state" / "slowlink" / "drained").exists()

    done = act(slurm, shared, str(report), "--drain", "--apply")
    assert done.returncode == 1  # for node9, which Slurm does not know; the others went on
    assert "node9: Slurm knows no node of this name" in done.stdout
    reason = f"slowlink: gpu-missing, port-rate-low {number}"
    assert f"\ndrained\n  node2: {reason}\n" in done.stdout
    assert drained(slurm, "node2") == (True, reason)
    assert drained(slurm, "node3") == (False, "")
    assert drained(slurm, "node4") == (True, "a new fan")
    again = act(slurm, shared, str(report), "--drain", "--apply")
    assert f"node2: drained already: {reason}" in again.stdout
    assert "to be drained in Slurm: 0 nodes of 4" in again.stdout
    assert len([*(shared / "state" / "slowlink" / "drained").iterdir()]) == 1

    before = act(slurm, shared, "--rollback", "--dry-run")
    assert before.returncode == 0
    assert before.stdout.startswith("to be given back\n  node2\n")
    assert drained(slurm, "node2")[0]
    back = act(slurm, shared, "--rollback")
    assert (back.returncode, back.stdout.partition("record")[0]) == (0, "given back\n  node2\n")
    assert drained(slurm, "node2") == (False, "")
    assert drained(slurm, "node4") == (True, "a new fan")
    assert "nothing is left to give back" in act(slurm, shared, "--rollback").stdout


def test_whom_somebody_else_took_out_since_stays_out(slurm: Lab, shared: Path) -> None:
    report = shared / "report.json"
    number = saved(report, *(found("gpu-missing", node) for node in NODES))
    assert act(slurm, shared, str(report), "--drain", "--apply", "--most", "4").returncode == 0
    by_hand(slurm, "node1", "State=RESUME")
    by_hand(slurm, "node1", "State=DRAIN", "Reason=slowlink: gpu-missing says Bob")
    by_hand(slurm, "node2", "Reason=RMA 77")
    by_hand(slurm, "node3", "State=RESUME")
    by_hand(slurm, "node4", "State=DOWN", f"Reason=slowlink: gpu-missing {number}")
    done = act(slurm, shared, "--rollback")
    assert done.returncode == 1
    assert "node1: drained by somebody else: slowlink: gpu-missing says Bob" in done.stdout
    assert "node2: drained by somebody else: RMA 77" in done.stdout
    assert "node3: it takes jobs already" in done.stdout
    assert [drained(slurm, node)[0] for node in NODES] == [True, True, False, False]
    # The drain is taken back, and nothing else: who is down stays down.
    state = slurm.exec("node1", ["sinfo", "-h", "-n", "node4", "-o", "%T"]).stdout
    assert state.startswith("down")


def test_a_report_drains_no_cluster(slurm: Lab, shared: Path) -> None:
    report = shared / "report.json"
    saved(report, *(found("gpu-missing", node) for node in (*NODES, "ALL", "node[1-4]", "--help")))
    done = act(slurm, shared, str(report), "--drain", "--apply")
    assert done.returncode == 1
    assert "4 nodes would be more than 1 of 4: none is touched (--most 4 allows it)" in done.stdout
    assert all_idle(slurm)
    only = act(slurm, shared, str(report), "--drain", "--apply", "--nodes", "node2,ALL")
    assert only.returncode == 1
    assert "ALL: no host is called so" in only.stdout
    assert [drained(slurm, node)[0] for node in NODES] == [False, True, False, False]
    # What slowlink took out before counts: a wrong report every night empties a cluster, too.
    more = act(slurm, shared, str(report), "--drain", "--apply", "--nodes", "node3")
    assert "2 nodes, with 1 that slowlink took out before, would be more than 1 of 4" in more.stdout
    assert [drained(slurm, node)[0] for node in NODES] == [False, True, False, False]


def test_who_may_not_drain_is_told(slurm: Lab, shared: Path) -> None:
    report = shared / "report.json"
    saved(report, found("gpu-missing", "node2"))
    copied = f"chmod 755 /etc/slurm; mkdir -p -m 777 /tmp/nobody && cp {report} /tmp/nobody && chmod 644 /tmp/nobody/report.json"
    assert slurm.exec("node1", ["sh", "-c", copied]).returncode == 0
    done = act(
        slurm, shared, "/tmp/nobody/report.json", "--drain", "--apply", "-o", "/tmp/nobody/records", as_nobody=True
    )
    assert done.returncode == 1, done.stderr
    assert "not drained\n  node2: Slurm does not allow it to this user" in done.stdout
    assert all_idle(slurm)


def test_an_end_in_the_middle_leaves_a_true_record(slurm: Lab, shared: Path, tmp_path: Path) -> None:
    """scontrol itself waits before its second drain, and then slowlink is interrupted."""
    report = shared / "report.json"
    saved(report, *(found("gpu-missing", node) for node in NODES))
    wrapped = shared / "wrapped"
    wrapped.mkdir()
    waits = "case $* in *NodeName=node2*DRAIN*) touch $0.waits; exec sleep 60 ;; esac"
    (wrapped / "scontrol").write_text(f'#!/bin/sh\n{waits}\nexec /usr/bin/scontrol "$@"\n')
    (wrapped / "scontrol").chmod(0o755)
    env = environment(shared) | {"PATH": f"{wrapped}{os.pathsep}{os.environ['PATH']}"}
    words = [sys.executable, "-m", "slowlink", "act", str(report), "--drain", "--apply", "--most", "4"]
    started = slurm.popen("node1", words, env=env)
    deadline = time.monotonic() + 60
    while not (wrapped / "scontrol.waits").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    os.kill(slurm.pid_of(started), signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    path = Path(err.partition("what is known is in ")[2].partition("\n")[0])
    states = [each["state"] for each in json.loads(path.read_text())["nodes"]]
    assert states == ["drained", "unknown", "planned", "planned"]
    assert [drained(slurm, node)[0] for node in NODES] == [True, False, False, False]
    back = act(slurm, shared, "--rollback", str(path))
    assert back.returncode == 0, back.stdout
    assert all_idle(slurm)


def test_the_health_check_of_the_recipe_does_not_give_back_what_act_drained(slurm: Lab, shared: Path) -> None:
    """What a run of many nodes showed, a look at one does not refute."""
    script = shared / "node2" / "slowlink"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho node2 ok: 8 GPUs\n")
    script.chmod(0o755)
    report = shared / "report.json"
    saved(report, found("slow-node", "node2"))
    assert act(slurm, shared, str(report), "--drain", "--apply").returncode == 0
    program = str(recipe("slurm-health-check.sh", shared))
    slurm.exec("node2", [program], env={"SLURMD_NODENAME": "node2"})
    assert drained(slurm, "node2")[0]
