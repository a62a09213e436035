from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "launch failed on node7: Couldn't allocate a port for PMI to use\n"

FINE = "srun: error: gpu01: tasks 0-3: Exited with exit code 1\n"


def test_names_node_and_reason() -> None:
    assert said("launcher-failed", FAILED) == snapshot(
        [
            (
                "launcher-failed",
                "critical",
                "certain",
                "node7: the process manager could not get a port or could not be reached; no rank ran",
            )
        ]
    )


def test_silent_on_a_process_that_exits() -> None:
    assert findings_of("launcher-failed", FINE) == ()


def test_mpi_that_cannot_start() -> None:
    text = "Abort(1091087) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:\n"
    assert said("launcher-failed", text) == snapshot(
        [("launcher-failed", "critical", "certain", "MPI could not be initialised; no rank ran")]
    )


def test_kubectl_that_reached_nothing_may_have_been_a_question_of_the_user() -> None:
    (found,) = findings_of("launcher-failed", "Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout\n")
    assert (found.severity, found.confidence, found.message, found.explains) == snapshot(
        ("warning", "possible", "kubectl could not reach the cluster", ())
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("launcher-failed", FAILED) == snapshot(
        [[("Start something trivial in the same way.", "srun hostname"), ("Leave out node7 and try again.", "")]]
    )
    mpi = "Abort(1091087) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:\n"
    assert remedies_of("launcher-failed", mpi) == snapshot(
        [
            [
                ("Start something trivial in the same way.", "srun hostname"),
                ("Leave out half of the nodes and try again.", ""),
            ]
        ]
    )


def test_the_store_that_processes_share_has_another_to_fall_back_on() -> None:
    line = "[gpu01:00991] PMIX ERROR: {} in file {} at line 168\n"
    assert findings_of("launcher-failed", line.format("ERROR", "gds_ds12_lock_pthread.c")) == ()
    assert findings_of("launcher-failed", line.format("OUT-OF-RESOURCE", "base/dstore_segment.c")) == ()
    assert len(findings_of("launcher-failed", line.format("UNREACHABLE", "ptl_tcp.c"))) == 1


def test_pmix_that_grumbles_in_a_run_that_comes_up_is_a_warning() -> None:
    text = (
        "[gpu01:991] PMIX ERROR: UNREACHABLE in file ptl_tcp.c at line 1849\n"
        "gpu01:4711:4712 [0] NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x7 "
        "- Init COMPLETE\n"
    )
    assert [severity for _, severity, *_ in said("launcher-failed", text)] == ["warning"]


SERVICES = (
    "autopilot-7bq2x                 0/1     CrashLoopBackOff   31 (2m ago)   3h\n",
    "gpu-operator   nvidia-dcgm-exporter-x7l2p   0/1   CrashLoopBackOff   9   40m\n",
    "monitoring     prom-prometheus-node-exporter-4ktzz   0/1   Error   3   12m\n",
    "kube-system    anything-at-all-0   0/1   ImagePullBackOff   0   12m\n",
    "2m  Warning  BackOff  pod/dcgm-exporter-abcde  Back-off restarting failed container\n",
    "Warning  BackOff  1s  kubelet  Back-off restarting failed container exporter in pod exporter-1_monitoring(0f-1)\n",
    'Warning  Failed  10s  kubelet  Failed to pull image "registry.example/k8s/dcgm-exporter:4.2": not found\n',
)


@pytest.mark.parametrize("line", SERVICES)
def test_a_pod_that_serves_the_cluster_is_not_the_job(line: str) -> None:
    assert findings_of("launcher-failed", line) == ()


@pytest.mark.parametrize(
    "line",
    [
        "train-worker-0   0/1   CrashLoopBackOff   9   40m\n",
        "ml-team   train-worker-0   0/1   Error   0   40m\n",
        "2m  Warning  BackOff  pod/train-worker-0  Back-off restarting failed container\n",
        "mpi-operator-7f9c   0/1   CrashLoopBackOff   9   40m\n",
    ],
)
def test_a_pod_of_the_job_is(line: str) -> None:
    found = said("launcher-failed", "".join(SERVICES) + line)
    assert [each[:3] for each in found] == [("launcher-failed", "critical", "certain")]


PENDING = "Warning  FailedScheduling  48s  default-scheduler  0/2 nodes are available: 2 Insufficient nvidia.com/gpu.\n"


@pytest.mark.parametrize(
    "since",
    [
        "Normal  TriggeredScaleUp  15s  cluster-autoscaler  pod triggered scale-up: [{pool-a 2->4 (max: 8)}]\n",
        "Normal  Scheduled  5s  default-scheduler  Successfully assigned ml/bench-worker-0 to gpu-07\n",
    ],
)
def test_a_pod_that_only_waits_for_nodes_is_no_failure(since: str) -> None:
    assert said("launcher-failed", PENDING) == snapshot(
        [("launcher-failed", "critical", "certain", "Kubernetes found no node for a pod; no rank ran")]
    )
    assert remedies_of("launcher-failed", PENDING) == [[("Ask for the events of the pod.", "kubectl describe pod POD")]]
    assert said("launcher-failed", PENDING + since) == snapshot(
        [
            (
                "launcher-failed",
                "warning",
                "possible",
                "Kubernetes found no node for a pod, and nodes were being added or found since: it may only have to wait",
            )
        ]
    )
