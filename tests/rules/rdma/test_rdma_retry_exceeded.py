from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer "
    "10.2.0.5<33092> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.4 "
    "remoteGids::ffff:10.1.0.5 hca mlx5_2\n"
)

FINE = (
    "node07:4711:4712 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer "
    "10.2.0.5<33092> with status=5 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.4 "
    "remoteGids::ffff:10.1.0.5 hca mlx5_2\n"
)


def test_names_hca_and_peer() -> None:
    assert said("rdma-retry-exceeded", FAILED) == snapshot(
        [
            (
                "rdma-retry-exceeded",
                "critical",
                "likely",
                "node07: 1 RDMA transfer never got an acknowledgement (status 12) on mlx5_2 to 10.2.0.5",
            )
        ]
    )


def test_silent_on_a_flushed_request() -> None:
    assert findings_of("rdma-retry-exceeded", FINE) == ()


def test_a_failover_that_worked_is_no_broken_job() -> None:
    text = (
        "node07:4711:4712 [0] NCCL INFO Device 0 marked as failed. Initiating recovery? Yes (recv comm=0x7f2a40)\n"
        "node07:4711:4712 [0] NCCL INFO Port recovery succeeded for devIndex=0 (recv comm=0x7f2a40)\n"
    )
    assert said("rdma-retry-exceeded", text) == snapshot(
        [
            (
                "rdma-retry-exceeded",
                "error",
                "possible",
                "node07: 1 connection of a network device failed on device 0; it recovered and the job went on",
            )
        ]
    )


def test_failures_that_were_injected_accuse_no_cable() -> None:
    text = (
        "[shim] injected completion on mlx5_0 wr_id=3 status=12\n"
        "node07:4711:4712 [0] NCCL INFO Device 0 marked as failed. Initiating recovery? Yes (recv comm=0x7f2a40)\n"
        "node07:4711:4712 [0] NCCL INFO Port recovery succeeded for devIndex=0 (recv comm=0x7f2a40)\n"
    )
    assert said("rdma-retry-exceeded", text) == snapshot(
        [
            (
                "rdma-retry-exceeded",
                "error",
                "possible",
                "node07: 1 connection of a network device failed on device 0; it recovered and the job went on; failures were injected on purpose",
            )
        ]
    )


def test_a_killed_rank_explains_it() -> None:
    killed = "mpirun noticed that process rank 5 with PID 4711 on node gpu07 exited on signal 9 (Killed).\n"
    assert "rdma-retry-exceeded" in findings_of("rank-lost", FAILED + killed)[0].explains


def test_ucx_says_it_in_words() -> None:
    text = (
        "[1700.1] [node07:4711:0] ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on mlx5_3:1/IB "
        "(synd 0x15 vend 0x81 hw_synd 0/0)\n"
    )
    assert said("rdma-retry-exceeded", text) == snapshot(
        [
            (
                "rdma-retry-exceeded",
                "critical",
                "likely",
                "node07: 1 RDMA transfer never got an acknowledgement (status 12) on mlx5_3",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("rdma-retry-exceeded", FAILED) == snapshot(
        [
            [
                ("Measure the path between the two HCAs alone.", "ib_write_bw -d mlx5_2 --report_gbits PEER"),
                ("Read the state of the link and its error counters at both ends.", "mlxlink -d mlx5_2 -c -e"),
                ("Look for a rank that died first: its end makes the same status.", "dmesg -T | tail -50"),
            ]
        ]
    )
