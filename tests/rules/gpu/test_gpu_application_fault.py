from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n"

FINE = (
    "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n"
    "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 48, pid=4711, An uncorrectable double bit error (DBE) has been detected\n"
)


def test_names_gpu_and_process() -> None:
    assert said("gpu-application-fault", FAILED) == snapshot(
        [
            (
                "gpu-application-fault",
                "critical",
                "likely",
                "GPU 0000:3b:00.0: a kernel of train faulted: Xid 31 (memory page fault)",
            )
        ]
    )


def test_silent_where_the_same_gpu_is_sick() -> None:
    assert findings_of("gpu-application-fault", FINE) == ()


def test_as_cuda_reports_it() -> None:
    text = "node07:4711:4712 [0] enqueue.cc:300 NCCL WARN Cuda failure 'an illegal memory access was encountered'\n"
    assert said("gpu-application-fault", text) == snapshot(
        [
            (
                "gpu-application-fault",
                "critical",
                "likely",
                "node07: CUDA reports: an illegal memory access was encountered: a kernel that ran "
                "before faulted, most often the application's",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-application-fault", FAILED) == snapshot(
        [
            [
                ("Find the kernel that faults.", "compute-sanitizer --tool memcheck PROGRAM"),
                ("Show that the GPU itself is sound.", "dcgmi diag -r 3"),
            ]
        ]
    )


def test_a_channel_that_was_torn_down_says_only_that_a_process_ended() -> None:
    text = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 45, pid=4711, name=train, Ch 00000008\n"
    assert said("gpu-application-fault", text) == snapshot(
        [
            (
                "gpu-application-fault",
                "warning",
                "possible",
                "GPU 0000:3b:00.0: train ended while the GPU worked for it: Xid 45 (preemptive cleanup)",
            )
        ]
    )


def test_an_engine_that_refused_its_work() -> None:
    text = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 39, pid=4711, name=train, CE0 exception\n"
    assert said("gpu-application-fault", text) == snapshot(
        [
            (
                "gpu-application-fault",
                "critical",
                "likely",
                "GPU 0000:3b:00.0: work of train faulted: Xid 39 (copy engine exception)",
            )
        ]
    )
