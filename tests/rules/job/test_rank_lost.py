from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said, table

from slowlink.rules.diagnosis import verdict
from slowlink.rules.evidence.findings import Proof

FAILED = "mpirun noticed that process rank 5 with PID 4711 on node gpu07 exited on signal 9 (Killed).\n"

FINE = (
    "node07:4711:4712 [0] NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 busId 1b000 - Abort COMPLETE\n"
    "srun: error: gpu01: task 1: Terminated\n"
)


def test_a_kill() -> None:
    assert said("rank-lost", FAILED) == snapshot(
        [("rank-lost", "critical", "likely", "rank 5 on gpu07 died of signal 9 (SIGKILL): something outside killed it")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("rank-lost", FAILED) == snapshot(
        [
            [
                ("See on the node what ended the process.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
                ("See how the scheduler accounts for the job.", "sacct -j JOB -o JobID,State,ExitCode,MaxRSS,NodeList"),
            ]
        ]
    )


def test_silent_on_communicators_that_are_closed_at_the_end() -> None:
    assert findings_of("rank-lost", FINE) == ()


def test_the_rank_that_its_peers_report_and_that_says_nothing() -> None:
    closed = "NCCL WARN socketProgress: Connection closed by remote peer node09<41331>\n"
    text = f"node07:4711:4712 [0] {closed}node08:5711:5712 [1] {closed}"
    assert said("rank-lost", text) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "a rank on node09 went away without an error of its own, as its peers report",
            )
        ]
    )


def test_no_guess_where_a_rank_has_an_error_of_its_own() -> None:
    text = (
        "node07:4711:4712 [0] NCCL WARN socketProgress: Connection closed by remote peer node09<41331>\n"
        "node09:6711:6712 [0] NCCL WARN Error: failed to extend /dev/shm/nccl-a1 to 9637892 bytes\n"
    )
    assert findings_of("rank-lost", text) == ()


def test_out_of_memory_is_certain() -> None:
    text = (
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.\n"
    )
    assert said("rank-lost", text) == snapshot(
        [("rank-lost", "critical", "certain", "out of memory, the kernel killed a process of the job")]
    )


def test_an_exit_code_after_wrong_data_is_that_verdict() -> None:
    exited = "srun: error: gpu01: task 0: Exited with exit code 1\n"
    assert findings_of("rank-lost", table().replace("values : 0 OK", "values : 3 FAILED") + exited) == ()


def test_a_full_gpu_counts_only_when_the_process_ended() -> None:
    full = (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB "
        "total capacity)\n"
    )
    assert findings_of("rank-lost", full) == ()
    assert said("rank-lost", full + "srun: error: gpu01: task 3: Exited with exit code 1\n") == snapshot(
        [("rank-lost", "critical", "certain", "the memory of a GPU is full, and the process that needed more ended")]
    )


RAISED = (
    "[rank5]: Traceback (most recent call last):\n"
    '[rank5]:   File "/app/train.py", line 90, in <module>\n'
    "[rank5]: ValueError: shard 17 is empty\n"
)
WAITED = (
    "[rank0]:[E ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=81, "
    "OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600038 milliseconds before timing out.\n"
)


def test_an_exception_of_the_rank_that_the_others_waited_for() -> None:
    assert said("rank-lost", RAISED + WAITED) == [
        ("rank-lost", "critical", "likely", "rank 5 ended with ValueError: shard 17 is empty")
    ]


def test_an_exception_that_nobody_waited_for_or_that_follows_a_time_out() -> None:
    assert findings_of("rank-lost", RAISED) == ()
    assert findings_of("rank-lost", RAISED.replace("rank5", "rank0") + WAITED) == ()


def test_nccls_status_alone_leaves_the_network_open() -> None:
    devices = "".join(
        f"#  Rank  {rank} Group  0 Pid  {rank}1 on  node0{rank} device  0 [0x1a] NVIDIA H100 80GB HBM3\n"
        for rank in (7, 8)
    )
    failure = "node08: Test NCCL failure common.cu:7 'remote process exited or there was a network error / '\n"
    text = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor)\n# Using devices\n" + devices + failure
    assert said("rank-lost", text) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "possible",
                "a rank on node07 went away without an error of its own, or the network to it failed, as its peers report",
            )
        ]
    )


def test_a_step_looks_at_the_network_where_it_may_have_failed() -> None:
    may_be = "node08: Test NCCL failure common.cu:7 'remote process exited or there was a network error / '\n"
    closed = "NCCL WARN socketProgress: Connection closed by remote peer node09<41331>\n"
    for text, expected in ((may_be, True), (closed, False), (EXITED, False)):
        (remedy,) = remedies_of("rank-lost", text)
        assert any("rdma link" in command for _, command in remedy) == expected, text


def test_where_memory_was_full_that_is_the_answer() -> None:
    killed = (
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.\n"
    )
    (remedy,) = remedies_of("rank-lost", killed)
    assert remedy[0] == (
        "Compare what the job took with what it had.",
        "sacct -j JOB -o JobID,State,ReqMem,MaxRSS,MaxRSSNode",
    )


EXITED = "srun: error: gpu07: task 5: Exited with exit code 1\n"


@pytest.mark.parametrize(("texts", "severity"), [((table(), EXITED), "warning"), ((EXITED + table(),), "info")])
def test_an_end_beside_a_whole_table_counts_where_none_followed_it(texts: tuple[str, ...], severity: str) -> None:
    assert [entry[1] for entry in said("rank-lost", *texts)] == [severity]


def test_a_job_that_ended_badly_is_not_healthy() -> None:
    measured = Proof("the bandwidth is as it should be", weight=3)
    (late,) = diagnoses_of(table(), EXITED)
    (early,) = diagnoses_of(EXITED + table())
    assert (late.cause, verdict([late], [measured])) == ("rank-lost", "inconclusive")
    assert (early.severity, verdict([early], [measured])) == ("info", "healthy")


@pytest.mark.parametrize(("code", "severity"), [(1, "warning"), (2, "warning"), (3, "critical"), (139, "critical")])
def test_a_command_that_kubectl_sent_may_have_been_a_question(code: int, severity: str) -> None:
    text = f"command terminated with exit code {code}\n"
    found = findings_of("rank-lost", text) or findings_of("process-crashed", text)
    assert [each.severity for each in found] == [severity]


def test_a_command_that_slowlink_ran_itself_is_no_rank() -> None:
    ended: dict[str, object] = {
        "status": 3,
        "signal": None,
        "reason": "exited",
        "started_at": 1.0,
        "seconds": 0.5,
        "detail": "",
        "nodes": [],
    }
    capture: dict[str, object] = {
        "name": "command",
        "kind": "command",
        "argv": ["sh", "train.sh"],
        "node": None,
        "files": [],
        "env": {},
    }
    manifest = {"schema": "slowlink.bundle/1", "slowlink": "0.1.0", "created": "2026-11-29T14:02:47Z", "nodes": ["a"]}
    text = json.dumps({**manifest, "command": [], "captures": [{**capture, "ended": ended}]})
    assert said("rank-lost", text) == snapshot([("application-error", "critical", "likely", "sh exited with code 3")])
