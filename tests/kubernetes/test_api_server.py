"""What our plans hand to Kubernetes, checked by a real API server: strict validation, rights, and clean-up."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from msgspec.structs import replace

from slowlink.launch.choose import launchers
from slowlink.launch.interface import KubernetesOptions, LaunchOptions, Surroundings
from slowlink.launch.refusals import refusal
from slowlink.launch.yaml_text import to_yaml
from slowlink.model.plan import Allocation, Plan, RankJob

pytestmark = [pytest.mark.kubernetes, pytest.mark.xdist_group("kubernetes")]

JOB = RankJob(
    argv=("/opt/all_reduce_perf", "-b", "8", "it's"),
    nranks=16,
    ranks_per_node=8,
    env={"NCCL_DEBUG": "INFO", "A": "b c"},
    gpus_per_node=8,
    timeout_s=600,
)
PLAIN = KubernetesOptions()
RDMA = KubernetesOptions(
    rdma_resource="rdma/hca_shared_devices_a",
    rdma_count=8,
    host_network=True,
    service_account="default",
    node_selector=(("pool", "gpu"),),
    tolerations=("dedicated",),
    pull_secrets=("registry",),
    networks=("rdma-net", "fabric/rail-1"),
)
AMD = KubernetesOptions(gpu_resource="amd.com/gpu")
BARE = KubernetesOptions(sshd=False)


def plan_of(run_id: str, kubernetes: KubernetesOptions = PLAIN, namespace: str = "default") -> Plan:
    here = Surroundings({}, {"kubectl": "kubectl"}, None, 1000, 4, "/", run_id=run_id)
    options = LaunchOptions(image="registry.example/tests:1", namespace=namespace, kubernetes=kubernetes)
    return launchers()["kubernetes"].plan(JOB, Allocation((), ""), here, options)


def run(argv: tuple[str, ...], env: dict[str, str], stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, env=env, input=stdin, capture_output=True, text=True, timeout=60, check=False)


def scratch_of(plan: Plan, directory: Path) -> Path:
    for file in plan.files:
        (directory / file.path).write_text(file.content)
    return directory


def filled(argv: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    return tuple(word.replace("{scratch}", str(directory)) for word in argv)


def listed(cluster: Cluster, run_id: str) -> list[str]:
    answer = run(
        ("kubectl", "get", "jobs,services,configmaps,secrets", "-l", f"slowlink.dev/run={run_id}", "-o", "json"),
        cluster.admin,
    )
    return sorted(item["kind"] for item in json.loads(answer.stdout)["items"])


@pytest.mark.parametrize(("run_id", "kubernetes"), [("plain1", PLAIN), ("rdma1", RDMA), ("amd1", AMD), ("bare1", BARE)])
def test_the_objects_are_taken_and_removed(
    cluster: Cluster, tmp_path: Path, run_id: str, kubernetes: KubernetesOptions
) -> None:
    plan = plan_of(run_id, kubernetes)
    scratch = scratch_of(plan, tmp_path)
    for step in plan.prepare:
        done = run(filled(step.argv, scratch), cluster.admin)
        assert done.returncode == 0, done.stderr
    key = ["Secret"] if kubernetes.sshd else []
    assert listed(cluster, run_id) == ["ConfigMap", "Job", *key, "Service"]
    # Without a controller nobody would remove what waits for its dependents: background, for this test.
    (delete,) = plan.cleanup
    argv = tuple("--cascade=background" if word.startswith("--cascade") else word for word in delete.argv)
    done = run(filled(argv, scratch), cluster.admin)
    assert done.returncode == 0, done.stderr
    assert listed(cluster, run_id) == []
    # A second time there is nothing to remove, and that is no error.
    assert run(filled(argv, scratch), cluster.admin).returncode == 0


def test_only_this_run_is_removed(cluster: Cluster, tmp_path: Path) -> None:
    for run_id in ("mine", "other"):
        directory = tmp_path / run_id
        directory.mkdir()
        scratch = scratch_of(plan_of(run_id), directory)
        for step in plan_of(run_id).prepare:
            assert run(filled(step.argv, scratch), cluster.admin).returncode == 0
    (delete,) = plan_of("mine").cleanup
    argv = tuple("--cascade=background" if word.startswith("--cascade") else word for word in delete.argv)
    assert run(argv, cluster.admin).returncode == 0
    assert listed(cluster, "mine") == []
    assert listed(cluster, "other") == ["ConfigMap", "Job", "Secret", "Service"]


def job_document() -> dict[str, Any]:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")
    content = plan_of("bad1").files[0].content
    return next(document for document in yaml.safe_load_all(content) if document["kind"] == "Job")


def apply_job(cluster: Cluster, document: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    argv = ("kubectl", "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
    return run(argv, cluster.admin, to_yaml([document]))


def test_the_server_would_notice(cluster: Cluster) -> None:
    """The check is worth something only if wrong objects fail it."""
    assert apply_job(cluster, job_document()).returncode == 0
    wrong: list[tuple[str, tuple[str, ...], Any]] = [
        ("field not declared", ("spec", "backofLimit"), 0),
        ("restartPolicy", ("spec", "template", "spec", "restartPolicy"), "Always"),
        (
            "must be an integer",
            ("spec", "template", "spec", "containers", "0", "resources"),
            {"limits": {"nvidia.com/gpu": "1.5"}},
        ),
        ("Invalid value", ("metadata", "name"), "Not_A_Name"),
        ("Invalid value", ("metadata", "labels"), {"slowlink.dev/run": "no spaces"}),
    ]
    for words, path, value in wrong:
        document = job_document()
        place: Any = document
        for key in path[:-1]:
            place = place[int(key)] if key.isdigit() else place[key]
        place[path[-1]] = value
        refused = apply_job(cluster, document)
        assert refused.returncode != 0, path
        assert words in refused.stderr


def test_a_forbidden_namespace_is_said_in_our_words(cluster: Cluster, tmp_path: Path) -> None:
    plan = plan_of("guest1")
    scratch = scratch_of(plan, tmp_path)
    assert run(filled(plan.prepare[0].argv, scratch), cluster.guest).returncode == 0  # the key is made here
    refused = run(filled(plan.prepare[1].argv, scratch), cluster.guest)
    assert refused.returncode != 0
    error = refusal(refused.stderr)
    assert error is not None
    assert error.slug == "forbidden-namespace"


def test_a_namespace_that_does_not_exist(cluster: Cluster, tmp_path: Path) -> None:
    plan = plan_of("place1", namespace="nowhere")
    scratch = scratch_of(plan, tmp_path)
    assert run(filled(plan.prepare[0].argv, scratch), cluster.admin).returncode == 0
    refused = run(filled(plan.prepare[1].argv, scratch), cluster.admin)
    error = refusal(refused.stderr)
    assert error is not None
    assert error.slug == "no-namespace"


@pytest.mark.parametrize("operator", ["mpijob", "jobset"])
def test_an_operator_that_is_not_there(cluster: Cluster, tmp_path: Path, operator: str) -> None:
    plan = plan_of("op1", replace(PLAIN, operator=operator))
    scratch = scratch_of(plan, tmp_path)
    refused = run(filled(plan.prepare[-1].argv, scratch), cluster.admin)
    assert refused.returncode != 0
    error = refusal(refused.stderr)
    assert error is not None
    assert error.slug == "no-operator"


def test_the_documented_rights_are_enough(cluster: Cluster, tmp_path: Path) -> None:
    """The Role of docs/launchers.md, given to somebody who has nothing else."""
    text = (Path(__file__).parents[2] / "docs" / "launchers.md").read_text()
    role = text.partition("```yaml\n")[2].partition("```")[0]
    assert run(("kubectl", "apply", "--validate=strict", "-f", "-"), cluster.admin, role).returncode == 0
    bind = ("kubectl", "create", "rolebinding", "guest", "--role=slowlink", "--user=guest", "--namespace=team")
    assert run(bind, cluster.admin).returncode == 0
    plan = plan_of("rights1", namespace="team")
    scratch = scratch_of(plan, tmp_path)
    for step in (*plan.prepare, *plan.cleanup):
        argv = tuple("--cascade=background" if word.startswith("--cascade") else word for word in step.argv)
        done = run(filled(argv, scratch), cluster.guest)
        assert done.returncode == 0, done.stderr
    follow = ("kubectl", "get", "pods", "--namespace=team")
    assert run(follow, cluster.guest).returncode == 0
    assert run(("kubectl", "get", "pods", "--namespace=default"), cluster.guest).returncode != 0
