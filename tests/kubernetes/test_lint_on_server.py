"""What the lint proposes and what it says that is refused, asked of a real API server (``--dry-run=server``)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from api_server import Cluster, api_server  # noqa: F401  (the fixture "cluster")
from lint_manifests import BENCH, RIGHT, changed

from slowlink.lint.joining.pods_apart import _FIX
from slowlink.workflows.lint import lint

pytestmark = [pytest.mark.kubernetes, pytest.mark.xdist_group("kubernetes")]
LIMITS = "resources: {limits: {nvidia.com/gpu: 8, rdma/shared: 1}}"


def offered(cluster: Cluster, text: str) -> subprocess.CompletedProcess[str]:
    argv = ("kubectl", "create", "--dry-run=server", "--validate=strict", "-f", "-")
    return subprocess.run(argv, env=cluster.admin, input=text, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("text", [RIGHT, _FIX], ids=["clean", "proposed"])
def test_the_server_takes_what_the_lint_finds_right_or_proposes(cluster: Cluster, text: str) -> None:
    done = offered(cluster, text)
    assert done.returncode == 0, done.stderr


MISTAKES: list[tuple[str, str]] = [
    ("      restartPolicy: Never\n", ""),
    (LIMITS, LIMITS[:-1] + ", requests: {nvidia.com/gpu: 4}}"),
    ("nvidia.com/gpu: 8", "nvidia.com/gpu: 1.5"),
    (LIMITS, "resources: {requests: {nvidia.com/gpu: 8}}"),
    ("rdma/shared: 1", "rdma/shared: 1, hugepages-2Mi: 1Gi"),
    ("rdma/shared: 1}", "rdma/shared: 1, memory: 2Gi, hugepages-2Mi: 1Gi}, requests: {hugepages-2Mi: 2Gi}"),
]


@pytest.mark.parametrize("pair", MISTAKES, ids=range(len(MISTAKES)))
def test_the_server_refuses_what_the_lint_says_it_refuses(cluster: Cluster, pair: tuple[str, str]) -> None:
    text = changed(RIGHT, pair)
    causes = [each.cause for each in lint([("job.yaml", text)]).findings]
    done = offered(cluster, text)
    assert "manifest-refused" in causes
    assert done.returncode != 0


def fixed() -> Iterator[tuple[str, str]]:
    """Changes to the field report's Job, each as a finding's YAML says."""
    yield (
        "      hostNetwork: true\n",
        (
            "      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n      restartPolicy: Never\n"
            "      volumes:\n      - name: shm\n        emptyDir: {medium: Memory}\n"
        ),
    )
    yield "  completions: 2\n", "  completions: 2\n  backoffLimit: 0\n  activeDeadlineSeconds: 1800\n"
    yield (
        "        env:\n",
        (
            "        securityContext:\n          capabilities:\n            add: [IPC_LOCK]\n"
            "        volumeMounts:\n        - {name: shm, mountPath: /dev/shm}\n        env:\n"
        ),
    )


def test_the_mended_job_of_the_field_report_is_taken(cluster: Cluster) -> None:
    assert offered(cluster, BENCH).returncode != 0
    text = changed(BENCH, *fixed())
    assert {each.rule for each in lint([("job.yaml", text)]).findings} == {"pods-apart"}
    done = offered(cluster, text)
    assert done.returncode == 0, done.stderr
