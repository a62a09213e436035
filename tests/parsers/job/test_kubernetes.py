"""What kubectl shows of a job whose pods do not run."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.kubernetes import Kubernetes

LOG = """\
$ kubectl get pods
NAME                READY   STATUS             RESTARTS   AGE
bench-launcher-x    0/1     CrashLoopBackOff   4          3m
bench-worker-0      1/1     Running            0          3m
bench-worker-1      0/1     OOMKilled          2          3m
bench-worker-2      0/1     ImagePullBackOff   0          3m
Events:
  Warning  FailedScheduling  2m    default-scheduler  0/12 nodes are available: 12 Insufficient nvidia.com/gpu.
  Warning  Failed            90s   kubelet            Failed to pull image "registry/bench:1": not found
  Warning  BackOff           10s   kubelet            Back-off restarting failed container worker in pod bench-worker-1
Error from server (NotFound): pods "bench-worker-9" not found
command terminated with exit code 137
Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout
"""


def test_pods_events_and_the_api_server() -> None:
    assert events_of(Kubernetes, LOG) == snapshot(
        [
            ("k8s-backoff", None, None, {"pod": "bench-launcher-x"}, 1),
            ("k8s-oom-killed", None, None, {"pod": "bench-worker-1"}, 1),
            ("k8s-image-pull", None, None, {"pod": "bench-worker-2"}, 1),
            ("k8s-unschedulable", None, None, {"reason": "12 Insufficient nvidia.com/gpu."}, 1),
            ("k8s-image-pull", None, None, {"image": "registry/bench:1"}, 1),
            ("k8s-backoff", None, None, {"container": "worker"}, 1),
            ("k8s-not-found", None, None, {"error": 'pods "bench-worker-9" not found'}, 1),
            ("k8s-command-exit", None, None, {"code": "137"}, 1),
            ("k8s-api-unreachable", None, None, {"error": "dial tcp 10.0.0.1:6443: i/o timeout"}, 1),
        ]
    )


STATES = """\
NAMESPACE   NAME             READY   STATUS                     RESTARTS   AGE
ml          bench-worker-0   0/1     Init:ExitCode:1            0          3m
ml          bench-worker-1   0/1     UnexpectedAdmissionError   0          3m
ml          bench-worker-2   0/1     InvalidImageName           0          3m
ml          bench-worker-3   1/1     Unknown                    0          3m
ml          bench-worker-4   0/1     DeadlineExceeded           0          3m
LAST SEEN   TYPE      REASON         OBJECT        MESSAGE
2m          Normal    NodeNotReady   node/gpu-02   Node gpu-02 status is now: NodeNotReady
1m          Normal    NodeReady      node/gpu-02   Node gpu-02 status is now: NodeReady
"""


def test_states_of_pods_and_events_of_nodes() -> None:
    assert events_of(Kubernetes, STATES) == snapshot(
        [
            (
                "k8s-pod-failed",
                None,
                None,
                {"namespace": "ml", "pod": "bench-worker-0", "status": "Init:ExitCode:1"},
                1,
            ),
            (
                "k8s-pod-failed",
                None,
                None,
                {"namespace": "ml", "pod": "bench-worker-1", "status": "UnexpectedAdmissionError"},
                1,
            ),
            (
                "k8s-image-pull",
                None,
                None,
                {"namespace": "ml", "pod": "bench-worker-2", "status": "InvalidImageName"},
                1,
            ),
            ("k8s-pod-node-silent", None, None, {"namespace": "ml", "pod": "bench-worker-3", "status": "Unknown"}, 1),
            (
                "k8s-deadline-exceeded",
                None,
                None,
                {"namespace": "ml", "pod": "bench-worker-4", "status": "DeadlineExceeded"},
                1,
            ),
            ("k8s-node-not-ready", "gpu-02", None, {"host": "gpu-02"}, 1),
            ("k8s-node-ready", "gpu-02", None, {"host": "gpu-02"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "bench-worker-0   0/1   Completed   0   3m",
        "bench-worker-0   1/1   Running   0   14s",
        "bench-worker-0   0/1   Pending   0   3m",
        "bench-worker-0   0/1   Init:0/2   0   3m",
        "bench-worker-0   1/1   Terminating   0   3m",
        "all nodes are available",
        "The Error column of the table was empty.",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Kubernetes, text) == []
