"""A failed job prints one reason and many echoes: the reason leads, whatever else is there."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.diagnosis import diagnose
from slowlink.rules.engine import run

TIMED_OUT = (
    "node08:5711:5712 [1] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.2.0.5<33092> with "
    "status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.4 remoteGids::ffff:10.1.0.5 hca mlx5_2\n"
)
CLOSED = "node08:5711:5712 [1] NCCL WARN socketProgress: Connection closed by remote peer node07<41331>\n"
TRAIL = "node08:5711:5712 [1] NCCL INFO init.cc:1263 -> 6\n"
FAILED = "node08: Test NCCL failure common.cu:1012 'remote process exited or there was a network error / '\n"
EXITED = "srun: error: node08: task 1: Exited with exit code 3\n"
ABORTED = "node08.cluster: rank 1 exited with code 134\n"
WATCHDOG = (
    "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600092 milliseconds before timing out.\n"
)
ECHOES = CLOSED + TRAIL + FAILED + EXITED

REASONS = {
    "process-crashed": "train[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libnccl.so.2[7fc000+d3000]\n",
    "rank-lost": "mpirun noticed that process rank 0 with PID 4711 on node node07 exited on signal 9 (Killed).\n",
    "gpu-missing": "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.\n",
    "gpu-driver-hung": "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 119, pid=4711, name=nvidia-smi, Timeout after 6s\n",
    "gpu-application-fault": "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n",
    "port-down": "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n",
}


def _causes(text: str) -> list[str]:
    facts = assemble(read([Input("job.log", None, [text.encode()])], workers=1))
    return [diagnosis.cause for diagnosis in diagnose(run(facts, None).findings)]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("echoes", [ECHOES, TIMED_OUT + ECHOES, WATCHDOG + ABORTED, TIMED_OUT], ids=len)
def test_the_reason_leads_alone(reason: str, echoes: str) -> None:
    assert _causes(echoes + REASONS[reason]) == [reason]


def test_a_transfer_without_an_answer_leads_where_nobody_died() -> None:
    assert _causes(TIMED_OUT + FAILED + EXITED) == ["rdma-retry-exceeded"]


def test_the_watchdog_leads_over_the_abort_that_it_causes() -> None:
    assert _causes(WATCHDOG + ABORTED) == ["rank-stuck"]


def test_full_shared_memory_leads_over_the_failed_run() -> None:
    full = "node08:5711:5712 [1] NCCL WARN Error: failed to extend /dev/shm/nccl-a1 to 9637892 bytes\n"
    assert _causes(full + ECHOES) == ["shm-too-small"]


def test_a_missing_library_leads_over_ranks_that_cannot_connect() -> None:
    missing = (
        "./all_reduce_perf: error while loading shared libraries: libmpi.so.40: cannot open shared object file: No\n"
    )
    refused = (
        "node08:5711:5712 [1] NCCL WARN socketStartConnect: Connect to 10.0.0.2<41331> failed : Connection refused\n"
    )
    assert _causes(missing + refused + EXITED) == ["library-missing"]


def test_what_a_line_means_leads_over_the_line_itself() -> None:
    ecc = (
        "node14: [rank27]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n"
        "node11: [rank3]: torch.distributed.DistBackendError: NCCL error in: /src/c10d/NCCLUtils.cpp:77, remote process "
        "exited or there was a network error, NCCL version 2.26.2\n"
    )
    assert _causes(ecc) == ["gpu-memory-errors"]


def test_tasks_that_slurm_ends_elsewhere_are_no_second_loss() -> None:
    text = (
        "slurmstepd: error: Detected 3 oom_kill events in StepId=8841.0. Some of the step tasks have been OOM Killed.\n"
        "srun: error: gpu-14: task 11: Out Of Memory\n"
        "srun: error: gpu-13: tasks 0-7: Terminated\n"
    )
    assert _causes(text) == ["rank-lost"]


def test_the_locked_memory_that_ucx_lacks_leads_over_the_crash_behind_it() -> None:
    text = (
        "[17.1] [gpu02:4411 :0]  ib_iface.c:1078 UCX  ERROR mlx5_3: ibv_create_cq(cqe=4096) failed: Cannot allocate "
        "memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)\n"
        "[gpu02:4411 :0:4411] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)\n"
        "mpirun noticed that process rank 9 with PID 4411 on node gpu02 exited on signal 11 (Segmentation fault).\n"
    )
    assert _causes(text) == ["memlock-limit"]


def test_the_driver_that_does_not_fit_leads_over_the_container_that_did_not_start() -> None:
    text = (
        "slurmstepd: error: pyxis: container start failed with error code: 1\n"
        "slurmstepd: error: pyxis: printing enroot log file:\n"
        "slurmstepd: error: pyxis:     nvidia-container-cli: initialization error: nvml error: driver/library version "
        "mismatch\n"
        "slurmstepd: error: pyxis: couldn't start container\n"
        "slurmstepd: error: Failed to invoke spank plugin stack\n"
    )
    assert _causes(text) == ["version-mismatch"]


def test_a_size_that_ucx_only_tells_is_no_wrong_setting() -> None:
    assert _causes("[17.1] [gpu01:4711:0] rc.c:9 UCX  WARN  segment size 8256 is fine for this transport\n") == []


def test_a_worker_without_shared_memory_is_told_as_that() -> None:
    text = (
        "[rank2]: RuntimeError: DataLoader worker (pid 4411) is killed by signal: Bus error. It is possible that "
        "dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n"
    )
    assert _causes(text) == ["shm-too-small"]


def test_a_host_whose_name_begins_like_a_gpu_is_none() -> None:
    text = (
        "[c10d] The client socket has failed to connect to [gpu-head.cluster.local]:29500 (errno: 110 - timed out).\n"
    )
    assert "gpu-driver-hung" not in _causes(text)


def test_a_line_has_one_reason_and_the_sure_one_leads() -> None:
    text = "RuntimeError: CUDA error: invalid device ordinal\nsrun: error: gpu01: tasks 4-7: Exited with exit code 1\n"
    assert _causes(text) == ["gpus-over-requested"]


def test_a_process_that_deepspeed_saw_killed_is_lost() -> None:
    text = (
        "[2031-11-03 10:12:05,301] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', "
        "'--local_rank=7'] exits with return code = -9\n"
    )
    assert _causes(text) == ["rank-lost"]


def test_a_peer_that_gave_an_address_of_this_node_is_no_firewall() -> None:
    text = (
        "gpu1:10:20 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n"
        "gpu1:10:20 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 172.17.0.1<38211> failed : Connection "
        "refused\n"
    )
    assert _causes(text) == ["socket-interface-wrong"]


def test_a_job_container_that_slurm_cannot_enter() -> None:
    text = (
        "slurmstepd: error: container_p_join: open failed for /var/spool/job_container/8812/.ns: No such file or directory\n"
        "slurmstepd: error: container_g_join(8812): No such file or directory\n"
        "srun: error: gpu02: task 0: Exited with exit code 1\n"
    )
    assert _causes(text) == ["launcher-failed"]


def test_a_service_that_cannot_be_reached_is_no_other_rank() -> None:
    assert _causes("requests.exceptions.ConnectionError: Connection refused\n") == ["application-error"]
