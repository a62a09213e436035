"""``slowlink act --cordon`` and ``--rollback`` on a real API server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from click.testing import CliRunner, Result
from test_api_server import run

from slowlink.cli.main import cli
from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import CHANGED
from slowlink.launch.in_use.kubernetes_nodes import REASON, KubernetesNodes
from slowlink.launch.surroundings import find_programs
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json

pytestmark = [pytest.mark.kubernetes, pytest.mark.xdist_group("kubernetes")]

NODES = ["gpu01", "gpu02", "gpu03", "10.0.0.4"]
"""The last one's machine calls itself gpu04."""
KUBECTL = find_programs().get("kubectl", "kubectl")


def kubectl(cluster: Cluster, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    done = run(("kubectl", *words), cluster.admin, stdin)
    assert done.returncode == 0, done.stderr
    return done


def node(cluster: Cluster, name: str) -> tuple[bool, str]:
    """Whether it is cordoned, and our reason."""
    found: dict[str, Any] = json.loads(kubectl(cluster, "get", "node", name, "-o", "json").stdout)
    return found["spec"].get("unschedulable", False), found["metadata"].get("annotations", {}).get(REASON, "")


@pytest.fixture(autouse=True)
def nodes(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four nodes that take pods; this process is their administrator."""
    kubectl(cluster, "delete", "nodes", "--all")
    hosts = {"10.0.0.4": "gpu04"}
    items = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": hosts.get(name, name)}},
        }
        for name in NODES
    ]
    kubectl(cluster, "create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    become(monkeypatch, cluster.admin)


def become(monkeypatch: pytest.MonkeyPatch, user: dict[str, str]) -> None:
    for name in ("KUBECONFIG", "NO_PROXY"):
        monkeypatch.setenv(name, user[name])


def act(*words: str) -> Result:
    return CliRunner().invoke(cli, ["act", *words], standalone_mode=False)


def accuse(*names: str) -> None:
    found = [
        Diagnosis("gpu-missing", "A GPU is missing", "so", "node", "error", "certain", (Suspect("node", name),))
        for name in names
    ]
    facts: dict[str, object] = {"state_nodes": list(names)}
    text = plain_json(Report("slowlink.report/1", "0.1.0", "degraded", "so", diagnoses=tuple(found), facts=facts))
    Path("report.json").write_text(text)


def test_nodes_are_cordoned_with_the_reason_and_given_back(cluster: Cluster) -> None:
    accuse("gpu01", "gpu04", "gpu02", "pod-0", "-lall=yes")
    kubectl(cluster, "cordon", "gpu02")
    shown = act("report.json", "--cordon", "--most", "2")
    assert shown.return_value == 1
    assert "to be cordoned in Kubernetes: 2 nodes of 4\n  10.0.0.4,gpu01: slowlink: gpu-missing " in shown.stdout
    assert node(cluster, "gpu01") == (False, "")
    done = act("report.json", "--cordon", "--apply", "--most", "2")
    assert done.return_value == 1
    assert "pod-0: Kubernetes knows no node of this name" in done.stdout
    assert "-lall=yes: no host is called so" in done.stdout
    assert "gpu02: cordoned already" in done.stdout
    cordoned, reason = node(cluster, "gpu01")
    assert cordoned
    assert reason.startswith("slowlink: gpu-missing ")
    assert node(cluster, "10.0.0.4") == (True, reason)
    assert node(cluster, "gpu02") == (True, "")
    assert f"gpu01: cordoned already: {reason}" in act("report.json", "--cordon", "--apply").stdout
    back = act("--rollback")
    assert back.return_value == 0
    assert back.stdout.startswith("given back\n  10.0.0.4,gpu01\n")
    assert [node(cluster, name) for name in NODES] == [(False, ""), (True, ""), (False, ""), (False, "")]


def test_whom_somebody_else_cordoned_since_stays_out(cluster: Cluster) -> None:
    """kubectl leaves our annotation where it is."""
    accuse("gpu01", "gpu02", "gpu03")
    assert act("report.json", "--cordon", "--apply", "--most", "3").return_value == 0
    kubectl(cluster, "uncordon", "gpu01", "gpu02")
    kubectl(cluster, "cordon", "gpu01")
    assert node(cluster, "gpu01")[1].startswith("slowlink: ")
    foreseen = act("--rollback", "--dry-run")
    assert foreseen.stdout.startswith(
        "to be given back\n  gpu03\nin use\n  gpu02: it takes jobs already\n"
        "left alone\n  gpu01: cordoned by somebody else since\n"
    )
    done = act("--rollback")
    assert done.return_value == 1
    assert [node(cluster, name)[0] for name in NODES[:3]] == [True, False, False]


def test_a_new_node_of_that_name_is_another(cluster: Cluster) -> None:
    accuse("gpu01")
    assert act("report.json", "--cordon", "--apply").return_value == 0
    kubectl(cluster, "delete", "node", "gpu01")
    new = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu01"}, "spec": {"unschedulable": True}}
    kubectl(cluster, "create", "-f", "-", stdin=json.dumps(new))
    done = act("--rollback")
    assert done.return_value == 1
    assert "not given back\n  gpu01: this is not the node that was taken out" in done.stdout
    assert node(cluster, "gpu01") == (True, "")


def test_a_change_in_between_is_not_written_over(cluster: Cluster) -> None:
    scheduler = KubernetesNodes(KUBECTL)
    seen = scheduler.node("gpu01")
    kubectl(cluster, "cordon", "gpu01")
    with pytest.raises(SlowlinkError) as refused:
        scheduler.take_out(seen, "slowlink: x")
    assert refused.value.slug == CHANGED
    assert node(cluster, "gpu01") == (True, "")


def test_the_documented_rights_are_enough_and_without_them_it_is_told(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuse("gpu01")
    become(monkeypatch, cluster.guest)
    done = act("report.json", "--cordon", "--apply")
    assert done.return_value == 3
    assert "cannot list the nodes: Kubernetes does not allow it to this user" in done.stderr
    text = (Path(__file__).parents[2] / "docs" / "act.md").read_text()
    role = text.partition("```yaml\n")[2].partition("```")[0]
    looks = role.replace(", patch", "")
    assert looks != role
    kubectl(cluster, "apply", "--validate=strict", "-f", "-", stdin=looks)
    kubectl(cluster, "create", "clusterrolebinding", "guest", "--clusterrole=slowlink-act", "--user=guest")
    done = act("report.json", "--cordon", "--apply")
    assert done.return_value == 1
    assert "not cordoned\n  gpu01: Kubernetes does not allow it to this user" in done.stdout
    kubectl(cluster, "apply", "--validate=strict", "-f", "-", stdin=role)
    assert act("report.json", "--cordon", "--apply").return_value == 0
    assert node(cluster, "gpu01")[0]
    assert act("--rollback").return_value == 0
    assert node(cluster, "gpu01") == (False, "")
