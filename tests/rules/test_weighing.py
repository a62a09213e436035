"""Success, hearsay and order in time, through the whole way from text to diagnosis."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.report import Diagnosis
from slowlink.parsers.reading.read import read
from slowlink.rules.diagnosis import diagnose
from slowlink.rules.engine import run

STOPPED = ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "success"}}\n'


def _diagnosed(*texts: str) -> tuple[Diagnosis, ...]:
    inputs = [Input(f"job{number}.log", None, [text.encode()]) for number, text in enumerate(texts)]
    return diagnose(run(assemble(read(inputs, workers=1)), None).findings)


def _said(*texts: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(d.cause, d.severity, d.explains) for d in _diagnosed(*texts)]


def test_an_exception_explains_the_exit_codes_that_follow() -> None:
    text = "[rank3]: KeyError: 'corn'\nsrun: error: node07: tasks 0-3: Exited with exit code 1\n"
    assert _said(text) == snapshot([("application-error", "critical", ("rank-lost",))])


def test_what_the_words_of_the_first_error_mean_is_the_cause_of_it() -> None:
    text = (
        "srun: error: task 9 launch failed: Error configuring interconnect\n"
        "srun: error: node04: tasks 0-7: Exited with exit code 9\n"
        "slurmstepd[881]: error: job_manager: exiting abnormally: Error configuring interconnect\n"
    )
    assert [(cause, severity) for cause, severity, _ in _said(text)] == snapshot([("launcher-failed", "critical")])


def test_a_kill_for_want_of_memory_explains_the_exceptions_before_its_message() -> None:
    text = (
        "RuntimeError: DataLoader worker (pid 4711) is gone\n"
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.\n"
    )
    assert _said(text) == snapshot([("rank-lost", "critical", ("application-error",))])


def test_a_helper_that_fails_before_a_good_run_is_a_warning() -> None:
    text = "[rank0]: FileNotFoundError: [Errno 2] No such file or directory: '/cache'\n" + STOPPED
    found = _diagnosed(text)
    assert [(d.cause, d.severity, d.message) for d in found] == snapshot(
        [
            (
                "application-error",
                "warning",
                "an error, on rank 0: FileNotFoundError: [Errno 2] No such file or directory: '/cache'; "
                "yet the run came to its end afterwards",
            )
        ]
    )


def test_a_crash_after_the_work_is_told_so() -> None:
    found = _diagnosed(STOPPED + "Segmentation fault (core dumped)\n")
    assert [(d.cause, d.severity, d.message) for d in found] == snapshot(
        [("process-crashed", "error", "after the work was done: a process died of signal 11 (SIGSEGV)")]
    )


def test_success_of_another_source_overcomes_nothing() -> None:
    assert [severity for _, severity, _ in _said("KeyError: 'corn'\n", STOPPED)] == ["critical"]


def test_hearsay_is_not_graver_than_the_tool() -> None:
    tool = "[root@gpu01 ~]# cat /proc/sys/kernel/numa_balancing\n1\n"
    assert _said(tool + "the automatic NUMA balancing check: still turned on\n") == snapshot(
        [("numa-balancing-on", "warning", ())]
    )


def test_a_failure_above_the_time_limit_is_why_the_job_stood_still() -> None:
    text = (
        "[rank1]: RuntimeError: the mill is dry\n"
        "slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***\n"
    )
    assert _said(text) == snapshot([("application-error", "critical", ("time-limit",))])


PENDING = (
    "  Warning  FailedScheduling  4m  default-scheduler  0/5 nodes are available: 3 {}, 2 node(s) didn't match Pod's "
    "node affinity/selector. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.\n"
)
NO_GPU = PENDING.format("Insufficient nvidia.com/gpu")
XID = "gpu04 kernel: NVRM: Xid (PCI:0000:4a:00): 48, pid=3311, name=python3, DBE (double bit error) detected\n"


def test_a_fault_of_a_gpu_is_why_a_pod_finds_none() -> None:
    assert _said(NO_GPU + XID) == snapshot([("gpu-memory-errors", "critical", ("launcher-failed",))])
    assert _said(NO_GPU) == snapshot([("launcher-failed", "critical", ())])


def test_a_fault_of_a_gpu_is_why_the_device_plug_in_took_it_back() -> None:
    taken = "  Warning  GpuUnhealthy  9m  device-plugin  XidCriticalError: Xid=48 on Device=GPU-1, the device will go unhealthy.\n"
    assert _said(NO_GPU + taken) == snapshot([("gpu-missing", "critical", ("launcher-failed",))])
    assert _said(NO_GPU + taken + XID) == snapshot(
        [("gpu-memory-errors", "critical", ("launcher-failed", "gpu-missing"))]
    )


def test_a_fault_of_a_gpu_is_no_reason_for_a_want_of_something_else() -> None:
    for want in ("Insufficient memory", "Insufficient rdma/hca_shared"):
        assert [cause for cause, _, _ in _said(PENDING.format(want) + XID)] == ["launcher-failed", "gpu-memory-errors"]


def test_a_request_that_slurm_cannot_serve_is_explained_by_the_gpu_that_is_gone() -> None:
    refused = "srun: error: Unable to allocate resources: Requested node configuration is not available\n"
    gone = "gpu04 kernel: NVRM: Xid (PCI:0000:4a:00): 79, pid=3311, name=python3, GPU has fallen off the bus.\n"
    assert _said(refused + gone) == snapshot([("gpu-missing", "critical", ("launcher-failed",))])


def test_nodes_out_of_service_are_why_a_pod_finds_no_place() -> None:
    nodes = (
        "NAME     STATUS                     ROLES    AGE    VERSION\n"
        "gpu-03   {}   <none>   120d   v1.29.4\n"
        "gpu-04   Ready                      <none>   120d   v1.29.4\n"
    )
    cordoned = nodes.format("Ready,SchedulingDisabled")
    assert _said(cordoned + PENDING.format("node(s) were unschedulable")) == snapshot(
        [("health-check-failed", "critical", ("launcher-failed",))]
    )
    assert _said(nodes.format("NotReady                ") + NO_GPU) == snapshot(
        [("nodes-unanswered", "critical", ("launcher-failed",))]
    )
    assert _said(cordoned + NO_GPU) == snapshot([("launcher-failed", "critical", ())])
    assert _said(cordoned) == []


def test_more_time_does_not_help_where_the_work_was_done() -> None:
    cancelled = "slurmstepd: error: *** STEP 4711.0 ON gpu07 CANCELLED AT 2031-04-05T06:07:08 DUE TO TIME LIMIT ***\n"
    (late,), (early,) = _diagnosed(STOPPED + cancelled), _diagnosed(cancelled)
    assert [step.command for step in late.remedy] == ["py-spy dump --pid PID"]
    assert early.remedy[-1].command == "sbatch --time=HH:MM:SS ..."


G8_FAILED = (
    "g8:2291:2340 [0] misc/ibvwrap.cc:199 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n"
)
G7_TO_G8 = "g7:18110:18161 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.5.0.8<38123> failed : "
BOTH = ["memlock-limit", "tcp-unreachable"]


@pytest.mark.parametrize(
    "reason", ["Software caused connection abort", "Connection refused", "Connection reset by peer"]
)
def test_a_peer_that_had_failed_before_explains_a_broken_connection(reason: str) -> None:
    assert [cause for cause, _, _ in _said(f"{G8_FAILED}{G7_TO_G8}{reason}\n")] == ["memlock-limit"]
    assert [cause for cause, _, _ in _said(G8_FAILED, f"{G7_TO_G8}{reason}\n")] == ["memlock-limit"]


def test_a_connection_with_a_fault_of_its_own_is_explained_by_no_peer() -> None:
    no_route, refused = f"{G7_TO_G8}No route to host\n", f"{G7_TO_G8}Connection refused\n"
    same = G7_TO_G8.replace("g7:18110:18161", "g8:2291:2340")
    for text in (f"{G8_FAILED}{no_route}", f"{refused}{G8_FAILED}", f"{G8_FAILED}{same}Connection refused\n"):
        assert sorted(cause for cause, _, _ in _said(text)) == BOTH


def steps(first: int, last: int) -> str:
    """What torchvision's loop prints."""
    return "".join(
        f"Epoch: [0]  [{n:>4}/900]  eta: 0:03:11    time: 0.2{n % 7}04  data: 0.0012  max mem: 30100\n"
        for n in range(first, last, 20)
    )


FAILED = "slurmstepd: error: *** STEP 81.0 ON gpu07 CANCELLED AT 2031-04-05T06:07:08 DUE TO NODE FAILURE ***\n"


def test_a_success_before_further_steps_is_not_the_end_of_the_work() -> None:
    for before in ("Capture of graphs for training complete\n", "Training completed in 71 s\n" + steps(0, 200)):
        found, *_ = _diagnosed(before + steps(0, 400) + FAILED)
        assert (found.severity, found.message.startswith("after the work")) == ("critical", False)
    found, *_ = _diagnosed(steps(0, 400) + "Training completed in 71 s\n" + FAILED)
    assert (found.severity, found.message.startswith("after the work")) == ("error", True)
