"""What frameworks and MPI say of the network, the memory and the other ranks, as root causes of a whole log."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of


def _roots(*lines: str) -> list[tuple[str, str, str]]:
    return [(d.cause, d.severity, d.message) for d in diagnoses_of("\n".join(lines) + "\n")]


def test_tensorflow_and_jax_name_the_memory_of_a_gpu_in_words_of_their_own() -> None:
    refused = (
        "2031-11-03 09:11:02.200023: W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at matmul.h:731 : "
        "RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[65536,16384] and type float",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:",
    )
    assert _roots(*refused) == snapshot([("gpu-out-of-memory", "critical", "the memory of a GPU is full")])
    (jax,) = _roots(
        "jaxlib.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes."
    )
    assert jax[:2] == ("gpu-out-of-memory", "critical")


def test_a_coordinator_that_nobody_reaches() -> None:
    text = "jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Deadline Exceeded"
    assert [root[:2] for root in _roots(text, "RPC: /tensorflow.CoordinationService/RegisterTask")] == [
        ("tcp-unreachable", "critical")
    ]


def test_intel_mpi_tells_that_it_runs_over_tcp() -> None:
    text = "[0] MPI startup(): libfabric provider: {}"
    assert _roots("[0] MPI startup(): library kind: release", text.format("tcp;ofi_rxm")) == snapshot(
        [
            (
                "socket-fallback",
                "warning",
                "Intel MPI runs over TCP between nodes: libfabric gave it no provider of an RDMA network",
            )
        ]
    )
    assert _roots(text.format("mlx")) == []


def test_sharp_that_cannot_be_used_stops_no_job() -> None:
    line = "[gpu01:0:41244 - context.c:918][2031-11-03 10:12:00] {} failed: Job error(-35)"
    assert _roots(line.format("WARN sharp_get_job_data_len"), line.format("ERROR sharp_job_create")) == []


def test_a_container_without_the_device_files_of_rdma() -> None:
    assert [root[:2] for root in _roots("ls: cannot access '/dev/infiniband': No such file or directory")] == [
        ("rdma-device-not-accessible", "error")
    ]


def test_ranks_that_horovod_misses() -> None:
    text = (
        "[1,0]<stderr>:[2031-11-03 10:12:00.112331: W /src/horovod/common/stall_inspector.cc:107] One or more tensors were "
        "submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks"
    )
    assert [root[:2] for root in _roots(text)] == [("rank-stuck", "warning")]


WAITS = (
    "[rank{0}]:[E1105 11:16:10.121 ProcessGroupNCCL.cpp:685] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=8812, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600040 milliseconds "
    "before timing out."
)


def test_the_one_rank_that_says_nothing_while_all_others_wait() -> None:
    (one,) = diagnoses_of("\n".join(WAITS.format(rank) for rank in range(8) if rank != 5) + "\n")
    assert one.message.endswith("timed out waiting, and of rank 5 there is no such line")
    assert [suspect.name for suspect in one.suspects] == ["5"]
    (few,) = diagnoses_of("\n".join(WAITS.format(rank) for rank in (0, 5, 7)) + "\n")
    assert list(few.suspects) == []
