from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "[ 77.1] train[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libnccl.so.2[7fc000+d3000]\n"
    "node7.cluster: rank 2 died from signal 11 and dumped core\n"
)

FINE = (
    "srun: error: gpu01: task 1: Terminated\n"
    "node7.cluster: rank 1 died from signal 15\n"
    "node7.cluster: rank 0 exited with code 134\n"
)


def test_names_rank_node_and_library() -> None:
    assert said("process-crashed", FAILED) == snapshot(
        [
            (
                "process-crashed",
                "critical",
                "certain",
                "rank 2 on node7.cluster died of signal 11 (SIGSEGV) in libnccl.so.2",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("process-crashed", FAILED) == snapshot(
        [
            [
                ("See what the kernel noted about it.", "dmesg -T | grep -E 'segfault|general protection'"),
                ("Keep the core file and read its backtrace.", "ulimit -c unlimited"),
            ]
        ]
    )


def test_silent_on_a_process_that_was_ended() -> None:
    assert findings_of("process-crashed", FINE) == ()


def test_an_error_of_ucx_in_the_same_output_is_quoted() -> None:
    ucx = "[1700.1] [node7:4711:0] cuda_ipc_md.c:62   UCX  ERROR cuCtxGetDevice(&dev) is failed. ret:invalid context\n"
    (found,) = findings_of("process-crashed", ucx + FAILED)
    assert found.message == snapshot(
        "rank 2 on node7.cluster died of signal 11 (SIGSEGV) in libnccl.so.2; UCX reported: "
        "cuCtxGetDevice(&dev) is failed. ret:invalid context"
    )
    assert [evidence.line for evidence in found.evidence] == [2, 3, 1]
    assert [one.message for one in findings_of("process-crashed", ucx, FAILED)] == snapshot(
        ["rank 2 on node7.cluster died of signal 11 (SIGSEGV) in libnccl.so.2"]
    )


def test_a_daemon_that_crashed_is_no_rank() -> None:
    line = "kernel: {}[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in libc.so.6[7fc000+d3000]\n"
    assert findings_of("process-crashed", line.format("sshd") + line.format("gnome-shell")) == ()


def test_a_crashed_program_is_the_jobs_only_where_something_shows_it() -> None:
    fault = "kernel: {}[4711]: segfault at 7f00 ip 00007fc1 sp 00007fc2 error 4 in {}[7fc000+d3000]\n"
    trap = "kernel: traps: lshw[4712] general protection fault ip:7fc1 sp:7fc2 error:0 in lshw[5500+1000]\n"
    run = "$ mpirun -np 8 ./grinder --fine\n"
    texts = (
        fault.format("grinder", "grinder") + trap,
        fault.format("python3.12", "libz.so.1"),
        fault.format("python3.12", "libtorch_cpu.so"),
        fault.format("all_reduce_perf", "libc.so.6"),
        run + fault.format("grinder", "grinder"),
    )
    assert [said("process-crashed", text) for text in texts] == snapshot(
        [
            [
                (
                    "process-crashed",
                    "info",
                    "possible",
                    "grinder and lshw crashed; nothing shows that it belongs to a job",
                )
            ],
            [
                (
                    "process-crashed",
                    "warning",
                    "possible",
                    "python3.12 crashed; whether it is the job's, the kernel does not say",
                )
            ],
            [("process-crashed", "critical", "certain", "python3.12 crashed in libtorch_cpu.so")],
            [("process-crashed", "critical", "certain", "all_reduce_perf crashed in libc.so.6")],
            [("process-crashed", "critical", "certain", "grinder crashed in grinder")],
        ]
    )
