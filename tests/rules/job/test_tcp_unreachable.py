from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN socketStartConnect: Connect to 10.0.0.2<41331> failed : No route to host\n"

FINE = (
    "node07:4711:4712 [0] NCCL INFO socketPollConnect: connect to 10.0.0.2<41331> returned "
    "Connection refused, retrying (3/34) after sleep for 100 msec\n"
)


def test_names_both_ends() -> None:
    assert said("tcp-unreachable", FAILED) == snapshot(
        [("tcp-unreachable", "critical", "likely", "node07: cannot connect to 10.0.0.2 over TCP (no route to host)")]
    )


def test_silent_on_a_connection_that_is_tried_again() -> None:
    assert findings_of("tcp-unreachable", FINE) == ()


def test_refused_may_be_a_peer_that_is_gone() -> None:
    text = "node07:4711:4712 [0] NCCL WARN socketStartConnect: Connect to 10.0.0.2<41331> failed : Connection refused\n"
    assert [f.confidence for f in findings_of("tcp-unreachable", text)] == ["possible"]


def test_another_program_that_is_refused_stops_no_job() -> None:
    text = "ConnectionRefusedError: [Errno 111] Connection refused\n"
    assert [f.severity for f in findings_of("tcp-unreachable", text)] == ["warning"]


def test_it_says_what_to_do() -> None:
    assert remedies_of("tcp-unreachable", FAILED) == snapshot(
        [
            [
                ("Try the same connection by hand from the node that failed.", "nc -vz -- 10.0.0.2 PORT"),
                ("Choose the interface that all nodes share.", "export NCCL_SOCKET_IFNAME='=bond0'"),
            ]
        ]
    )


def test_what_a_daemon_of_open_mpi_says_in_a_box_of_short_lines() -> None:
    box = "A process or daemon was unable to complete a TCP connection\nto another process:\n  Remote host:   node02\n"
    assert [entry[:2] for entry in said("tcp-unreachable", box)] == [("tcp-unreachable", "critical")]
