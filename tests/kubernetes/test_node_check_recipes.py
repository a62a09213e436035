"""The recipes of docs/node-check for Kubernetes: the API server takes the pod, and the plug-in of
node-problem-detector says what its statuses mean."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from msgspec.structs import replace
from test_api_server import run

from simulated_nodes import GOOD, on_disk, slowlink_there

RECIPES = Path(__file__).parents[2] / "docs" / "node-check"


@pytest.mark.kubernetes
@pytest.mark.xdist_group("kubernetes")
def test_the_api_server_takes_the_pod(cluster: Cluster) -> None:
    argv = ("kubectl", "create", "--dry-run=server", "--validate=strict", "-o", "json", "-f")
    done = run((*argv, str(RECIPES / "init-container.yaml")), cluster.admin)
    assert done.returncode == 0, done.stderr
    (check,) = json.loads(done.stdout)["spec"]["initContainers"]
    assert check["command"] == ["sh", "-c"]


@pytest.mark.parametrize(
    ("said", "status", "ends"),
    [("n ok: 8 GPUs", 0, 0), ("n not ok: gpu-missing: 7", 1, 1), ("n unknown: x", 3, 0), ("", 1, 0)],
)
def test_the_pod_starts_unless_something_was_found(tmp_path: Path, said: str, status: int, ends: int) -> None:
    (tmp_path / "slowlink").write_text(f"#!/bin/sh\necho '{said}'\nexit {status}\n")
    (tmp_path / "slowlink").chmod(0o755)
    script = (RECIPES / "init-container.yaml").read_text().partition("- |\n")[2].partition("      securityContext")[0]
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env={"PATH": path}, check=False)
    assert (done.returncode, done.stdout.strip()) == (ends, said)


def test_the_plug_in_of_node_problem_detector(tmp_path: Path) -> None:
    settings = json.loads((RECIPES / "node-problem-detector.json").read_text())
    (rule,) = settings["rules"]
    assert [each["type"] for each in settings["conditions"]] == [rule["condition"]]
    text = (RECIPES / Path(rule["path"]).name).read_text()
    for kind, status in ((GOOD, 0), (replace(GOOD, slow_port=3), 1)):
        place = tmp_path / str(status)
        place.mkdir()
        (place / "slowlink").write_text(slowlink_there(*on_disk(kind, place)))
        (place / "slowlink").chmod(0o755)
        own = text.replace("/opt/slowlink/bin/slowlink", str(place / "slowlink"))
        own = re.sub(r" --policy \S+ --root \S+", "", own)
        done = subprocess.run(["sh", "-c", own], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        assert len(done.stdout.rstrip("\n")) <= settings["pluginConfig"]["max_output_length"]
    cannot_start = text.replace("/opt/slowlink/bin/slowlink", "false")
    assert subprocess.run(["sh", "-c", cannot_start], stdout=subprocess.DEVNULL, check=False).returncode == 3
