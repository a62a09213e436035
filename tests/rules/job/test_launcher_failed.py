from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

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


def test_a_request_that_the_job_cannot_meet_needs_another_request() -> None:
    line = "srun: error: Unable to create step for job 4711: More processors requested than permitted\n"
    (remedy,) = remedies_of("launcher-failed", line)
    assert remedy[0] == (
        "Compare the request of the step with what the job has.",
        "scontrol show job JOB | grep -E 'NumNodes|TRES'",
    )


ABORT = "Abort(1091087) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:\n"


@pytest.mark.parametrize(
    "reason",
    [
        "MPICH ERROR: no mill is near rank 4 (rc=0).",
        "[ERROR] no mill is near rank 4 (rc=0).",
        "Error: no mill is near rank 4 (rc=0).",
    ],
)
def test_why_mpi_could_not_be_initialised_stands_above_its_abort(reason: str) -> None:
    (found,) = findings_of("launcher-failed", f"{reason}\n{ABORT}")
    assert found.message == "MPI could not be initialised (no mill is near rank 4 (rc=0).); no rank ran"
    assert [step.text for step in found.remedy] == ["Do what the error asks for: it is MPI's own reason."]
    assert [diagnosis.cause for diagnosis in diagnoses_of(f"{reason}\n{ABORT}")] == ["launcher-failed"]


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
    assert [each[:3] for each in found] == [("launcher-failed", "critical", "likely")]


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
        [
            (
                "launcher-failed",
                "critical",
                "certain",
                "Kubernetes found no node for a pod (2 nodes with too little nvidia.com/gpu left); no rank ran",
            )
        ]
    )
    assert remedies_of("launcher-failed", PENDING) == [[("Ask for the events of the pod.", "kubectl describe pod POD")]]
    assert said("launcher-failed", PENDING + since) == snapshot(
        [
            (
                "launcher-failed",
                "warning",
                "possible",
                "Kubernetes found no node for a pod (2 nodes with too little nvidia.com/gpu left), and nodes were being "
                "added or found since: it may only have to wait",
            )
        ]
    )


def test_a_container_that_ended_did_run() -> None:
    line = "3m  Warning  BackOff  pod/train-0  Back-off restarting failed container main in pod train-0_ml(0c1f-77)\n"
    assert [each[3] for each in said("launcher-failed", line)] == ["a container fails again and again"]


DESCRIBED = """\
Name:             train-3
Node:             gpu-7f/10.128.0.41
Containers:
  main:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
Events:
  Warning  BackOff  2m11s (x31 over 80m)  kubelet  Back-off restarting failed container main in pod train-3_ml(7c6a)
"""


def test_the_last_state_of_a_container_explains_why_it_starts_again_and_again() -> None:
    (only,) = diagnoses_of(DESCRIBED)
    assert (only.cause, only.confidence, only.message) == snapshot(
        ("rank-lost", "certain", "gpu-7f: out of memory, the kernel killed a process of the job")
    )
    (other,) = diagnoses_of(DESCRIBED.replace("OOMKilled", "Error").replace("137", "3"))
    assert (other.cause, other.message) == snapshot(("launcher-failed", "gpu-7f: a container fails again and again"))


def test_a_pod_that_its_node_could_not_hold() -> None:
    text = "6m  Warning  Evicted  pod/gpt-2  The node was low on resource: ephemeral-storage. Threshold quantity: 1.\n"
    (only,) = diagnoses_of(text)
    assert (only.cause, only.message) == snapshot(
        ("rank-lost", "Kubernetes took a pod away, for its node ran low on ephemeral-storage")
    )


def test_what_tells_more_than_that_the_start_failed_is_the_message() -> None:
    text = (
        "slurmstepd: error: pyxis: child 20113 failed with error code: 1\n"
        "slurmstepd: error: pyxis:     [ERROR] URL https://registry.example/auth returned error code: 401 Unauthorized\n"
        "slurmstepd: error: pyxis: couldn't start container\n"
        "slurmstepd: error: Failed to invoke spank plugin stack\n"
    )
    assert [each[3] for each in said("launcher-failed", text)] == [
        "the container image could not be fetched or unpacked; no rank ran"
    ]
    assert [each[3] for each in said("launcher-failed", "srun: error: cannot find mpi plugin for mpi/pmix\n")] == [
        "Slurm has no plug-in for the kind of MPI that was asked for (see srun --mpi=list); no rank ran"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor h100, 16 more needed",
        "2/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable",
    ],
)
def test_a_job_that_waits_in_a_queue_is_not_broken(line: str) -> None:
    assert [(d.cause, d.severity) for d in diagnoses_of(f"    Message:               {line}\n")] == [
        ("launcher-failed", "warning")
    ]


def test_what_srun_only_warns_of_started() -> None:
    text = "srun: {}: can't honor --ntasks-per-node set to 1 which doesn't match the requested tasks 36 with the number of requested nodes 9. Ignoring --ntasks-per-node.\n"
    assert said("launcher-failed", text.format("warning")) == []
    assert [severity for _, severity, _, _ in said("launcher-failed", text.format("error"))] == ["critical"]
