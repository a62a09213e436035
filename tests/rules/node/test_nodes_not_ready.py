from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies
from text_findings import findings_of

from slowlink.simulate.job import SimulatedJob, job_log

RULE = "nodes-not-ready"
NODES = """\
NAME     STATUS                     ROLES    AGE    VERSION
gpu-01   Ready                      <none>   120d   v1.29.4
gpu-02   NotReady                   <none>   120d   v1.29.4
gpu-03   Ready,SchedulingDisabled   <none>   120d   v1.29.4
gpu-04   NotReady                   <none>   120d   v1.29.4
"""
_SINCE = "Fri, 20 Nov 2026 09:55:00 +0000   Fri, 20 Nov 2026 10:00:00 +0000"
DESCRIBED = f"""\
Name:               gpu-02
  DiskPressure   True    {_SINCE}   KubeletHasDiskPressure   kubelet has disk pressure
  Ready          False   {_SINCE}   KubeletNotReady          container runtime is down
"""
POD = "bench-worker-3   1/1   Unknown   0   3m\n"


def test_nodes_that_are_not_ready() -> None:
    assert findings(RULE, NODES) == snapshot(
        [
            {
                "cause": "nodes-unanswered",
                "message": "gpu-[02,04] are not ready for Kubernetes",
                "how": "error, certain",
                "suspects": ["node gpu-02", "node gpu-04"],
                "evidence": [(3, ""), (5, "")],
                "explains": ["rank-lost"],
            }
        ]
    )
    assert remedies(RULE, NODES) == snapshot(
        [[("Ask Kubernetes for the node's conditions and events.", "kubectl describe node gpu-02")]]
    )


def test_what_the_kubelet_says_counts_before_the_list() -> None:
    assert findings(RULE, NODES + DESCRIBED) == snapshot(
        [
            {
                "cause": "nodes-unanswered",
                "message": "gpu-04 is not ready for Kubernetes",
                "how": "error, certain",
                "suspects": ["node gpu-04"],
                "evidence": [(5, "")],
                "explains": ["rank-lost"],
            },
            {
                "cause": "health-check-failed",
                "message": "the kubelet says what is wrong with gpu-02: kubelet has disk pressure and container runtime is down",
                "how": "error, certain",
                "suspects": ["node gpu-02"],
                "evidence": [(7, ""), (8, "")],
                "explains": ["rank-lost"],
            },
        ]
    )


def test_a_pod_whose_node_is_silent() -> None:
    assert findings(RULE, POD) == snapshot(
        [
            {
                "cause": "nodes-unanswered",
                "message": "Kubernetes hears nothing of the node that a pod runs on",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(1, "")],
                "explains": ["rank-lost"],
            }
        ]
    )


def test_a_node_that_came_back_is_no_finding() -> None:
    gone = "2m   Normal   NodeNotReady   node/gpu-02   Node gpu-02 status is now: NodeNotReady\n"
    back = "1m   Normal   NodeReady      node/gpu-02   Node gpu-02 status is now: NodeReady\n"
    assert len(findings(RULE, gone)) == 1
    assert findings(RULE, gone + back) == []
    assert len(findings(RULE, back + gone)) == 1


def test_of_a_cluster_where_a_job_was_measured_only_its_nodes_count() -> None:
    assert findings(RULE, NODES + POD + job_log(SimulatedJob())) == []


def test_nodes_that_are_ready_or_out_of_use_are_no_finding() -> None:
    lines = NODES.splitlines(keepends=True)
    assert findings(RULE, lines[0] + lines[1] + lines[3]) == []


def test_an_event_without_a_name_leaves_a_measured_job_open() -> None:
    event = "  Warning  NodeNotReady  5m  node-controller  Node is not ready\n"
    job = job_log(SimulatedJob())
    assert [found.severity for found in findings_of(RULE, event)] == ["error"]
    assert [found.severity for found in findings_of(RULE, job + event)] == ["warning"]
