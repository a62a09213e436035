from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import ROW, findings_of, remedies_of, said, table

from slowlink.rules.diagnosis import diagnose, verdict
from slowlink.rules.evidence.findings import Proof

FAILED = (
    "gpu-13: Test NCCL failure common.cu:1012 'unhandled system error (run with NCCL_DEBUG=INFO for details) / '\n"
    "gpu-09: Test NCCL failure common.cu:1012 'unhandled system error (run with NCCL_DEBUG=INFO for details) / '\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL WARN NET/OFI aws-ofi-nccl initialization failed\n"
    "node07:4711:4712 [0] NCCL INFO net.cc:612 -> 2\n"
)


def test_counts_the_calls() -> None:
    assert said("nccl-error-unexplained", FAILED) == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "certain",
                "gpu-13 and gpu-09: 2 calls of NCCL failed (unhandled system error (run with "
                "NCCL_DEBUG=INFO for details)), and no line of NCCL's log says why",
            )
        ]
    )


def test_silent_on_an_attempt_that_ends_inside_nccl() -> None:
    assert findings_of("nccl-error-unexplained", FINE) == ()


def test_quotes_the_warning_that_it_does_not_understand() -> None:
    warning = "node07:4711:4712 [0] misc/odd.cc:7 NCCL WARN The gizmo is out of order\n"
    trail = "node07:4711:4712 [0] NCCL INFO init.cc:1263 -> 3\n"
    assert said("nccl-error-unexplained", warning + trail) == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "likely",
                "node07: 1 call of NCCL failed; NCCL says: The gizmo is out of order",
            )
        ]
    )


def test_leaves_the_lead_to_a_rank_that_was_killed() -> None:
    killed = "mpirun noticed that process rank 5 with PID 4711 on node gpu07 exited on signal 9 (Killed).\n"
    assert "rank-lost" in findings_of("nccl-error-unexplained", FAILED)[0].explains
    assert "rank-lost" not in findings_of("nccl-error-unexplained", FAILED + killed)[0].explains


def test_a_call_of_cuda_that_no_cause_explains() -> None:
    text = "gpu-13: Test CUDA failure common.cu:892 'out of memory'\n"
    assert said("nccl-error-unexplained", text) == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "certain",
                "gpu-13: 1 call of CUDA failed (out of memory)",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("nccl-error-unexplained", FAILED) == snapshot(
        [
            [
                (
                    "Run again with NCCL's log on, and keep what every rank prints.",
                    "export NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log",
                )
            ]
        ]
    )


def test_a_warning_that_nobody_knows_is_quoted() -> None:
    text = "node07:4711:4712 [0] NCCL WARN the mill of this node is dry\n"
    assert said("nccl-error-unexplained", text) == snapshot(
        [("nccl-error-unexplained", "warning", "possible", "node07: NCCL warns; the mill of this node is dry")]
    )


def test_one_leaves_a_measured_job_open_unless_the_benchmark_still_measured_behind_it() -> None:
    measured = Proof("the bandwidth is as it should be", weight=3)
    warning = "node01:4711:4712 [0] NCCL WARN the mill of this node is dry\n"
    cut = "node01:4711:4712 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completi\n"
    run = table()
    middle = run.index(ROW)
    for texts, severity, result in (
        ((run, warning), "warning", "inconclusive"),
        ((run, cut), "warning", "inconclusive"),
        ((run[:middle] + warning + run[middle:],), "info", "healthy"),
    ):
        (found,) = findings_of("nccl-error-unexplained", *texts)
        assert (found.severity, verdict(diagnose([found]), [measured])) == (severity, result)


def test_a_warning_that_nobody_knows_in_a_run_that_ended_badly() -> None:
    text = (
        "node07:4711:4712 [0] NCCL WARN the mill of this node is dry\n"
        "srun: error: node07: task 3: Exited with exit code 1\n"
    )
    assert said("nccl-error-unexplained", text) == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "likely",
                "node07: NCCL warns, and a process ended badly; the mill of this node is dry",
            )
        ]
    )
