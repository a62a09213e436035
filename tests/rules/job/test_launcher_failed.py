from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

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
