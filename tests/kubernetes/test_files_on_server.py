"""Bringing home what ranks wrote, as far as a real API server without a kubelet goes: its objects and its last steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from msgspec.structs import replace
from test_api_server import JOB, filled, listed, run, scratch_of

from slowlink.launch.choose import launchers
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.model.plan import Allocation, Plan
from slowlink.workflows.rank_files.in_output import scripts_around

pytestmark = [pytest.mark.kubernetes, pytest.mark.xdist_group("kubernetes")]


def plan_of(run_id: str) -> Plan:
    here = Surroundings({}, {"kubectl": "kubectl"}, None, 1000, 4, "/", run_id=run_id)
    options = LaunchOptions(image="registry.example/tests:1", namespace="default")
    job = replace(JOB, around=scripts_around(Path(f"/tmp/slowlink-{run_id}"), ("it's own.json",), 2, "5e2f"))
    return launchers()["kubernetes"].plan(job, Allocation((), ""), here, options)


def test_the_job_is_ended_while_its_pods_can_still_find_one_another(cluster: Cluster, tmp_path: Path) -> None:
    plan = plan_of("files1")
    scratch = scratch_of(plan, tmp_path)
    for step in plan.prepare:
        done = run(filled(step.argv, scratch), cluster.admin)
        assert done.returncode == 0, done.stderr
    name = "slowlink-files1"
    labels = {"batch.kubernetes.io/job-name": name, "batch.kubernetes.io/job-completion-index": "0"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{name}-0", "namespace": "default", "labels": labels},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    assert run(("kubectl", "create", "-f", "-"), cluster.admin, json.dumps(pod)).returncode == 0
    text = (scratch / "collect.sh").read_text()
    # Without a controller nobody would remove what waits for its dependents.
    (scratch / "collect.sh").write_text(text.replace("--cascade=foreground", "--cascade=background"))
    collect, delete = plan.cleanup
    # A pod that waits for a node has nothing to send: the Job is left to the clean-up.
    assert run(filled(collect.argv, scratch), cluster.admin).returncode == 0
    assert "Job" in listed(cluster, "files1")
    running = (
        "kubectl",
        "patch",
        "pod",
        f"{name}-0",
        "--subresource=status",
        "--patch",
        '{"status":{"phase":"Running"}}',
    )
    assert run(running, cluster.admin).returncode == 0
    done = run(filled(collect.argv, scratch), cluster.admin)
    assert done.returncode == 0, done.stderr
    assert listed(cluster, "files1") == ["ConfigMap", "Secret", "Service"]
    argv = tuple("--cascade=background" if word.startswith("--cascade") else word for word in delete.argv)
    assert run(filled(argv, scratch), cluster.admin).returncode == 0
    assert listed(cluster, "files1") == []
    run(("kubectl", "delete", "pod", f"{name}-0", "--now", "--wait=false"), cluster.admin)
