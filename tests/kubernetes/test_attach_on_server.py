"""``slowlink attach --pods`` against a real API server: which pods it takes, and what is said where no kubelet is behind one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from click.testing import CliRunner, Result
from test_api_server import run

from slowlink.cli.attach import command
from slowlink.errors import SlowlinkError

pytestmark = [pytest.mark.kubernetes, pytest.mark.xdist_group("kubernetes")]

PODS = {"train-0": "gpu01", "train-1": "gpu01", "train-2": "gpu02"}


def kubectl(cluster: Cluster, *words: str, stdin: str | None = None) -> None:
    done = run(("kubectl", *words), cluster.admin, stdin)
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True)
def pods(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are on their nodes and run, says their status: a kubelet would have written it."""
    kubectl(cluster, "delete", "namespace", "team", "--ignore-not-found")
    monkeypatch.chdir(tmp_path)
    for name in ("KUBECONFIG", "NO_PROXY"):
        monkeypatch.setenv(name, cluster.admin[name])
    for name in PODS:
        kubectl(cluster, "delete", "pod", name, "--ignore-not-found", "--force", "--grace-period=0")
    container = {"name": "main", "image": "none"}
    items: list[dict[str, Any]] = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": {"job-name": "train"}},
            "spec": {"nodeName": node, "containers": [container, {"name": "side", "image": "none"}]},
        }
        for name, node in PODS.items()
    ]
    kubectl(cluster, "create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    for name in PODS:
        status = json.dumps({"status": {"phase": "Pending" if name == "train-2" else "Running"}})
        kubectl(cluster, "patch", "pod", name, "--subresource=status", "--type=merge", "--patch", status)


def attach(*words: str) -> Result:
    given = ["--no-history", "--no-snapshot", "--between", "5", "--format", "json", "-o", "found", *words]
    return CliRunner().invoke(command, given, standalone_mode=False)


def test_running_pods_are_taken_and_what_the_server_says_of_them_is_told() -> None:
    result = attach("--pods", "job-name=train", "--container", "main")
    assert result.exception is None
    assert "# asking train-[0-1] (pods with job-name=train); kubernetes: pods were named" in result.stderr
    report = json.loads(result.stdout)
    assert (result.return_value, report["verdict"]) == (3, "inconclusive")
    assert "2 of 2 nodes did not answer: train-[0-1]" in report["headline"]
    assert "Error from server" in report["headline"]


def test_a_container_that_is_not_there_is_said() -> None:
    report = json.loads(attach("--pods", "job-name=train", "--container", "nowhere").stdout)
    assert "container nowhere is not valid for pod train-" in report["headline"]


def test_where_no_pod_has_the_labels_nothing_is_asked() -> None:
    result = attach("--pods", "job-name=other")
    assert isinstance(result.exception, SlowlinkError)
    assert result.exception.message == "no pod with the labels job-name=other runs"


def test_who_may_not_list_pods_is_told(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", cluster.guest["KUBECONFIG"])
    result = attach("--pods", "job-name=train")
    assert isinstance(result.exception, SlowlinkError)
    assert "forbids" in result.exception.message or "forbidden" in result.exception.message
