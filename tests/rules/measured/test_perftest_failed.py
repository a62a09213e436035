from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of

HEADER = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_3
 Number of qps   : 1            Transport type : IB
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
"""
ROW = " 65536      5000             391.20             391.10               0.745964\n"
RULE = "---------------------------------------------------------------------------------------\n"
CUDA = (
    "initializing CUDA\nPicking device No. 2\nallocated GPU buffer address at 00007f0b6a000000 pointer=0x7f0b6a000000\n"
)


FAILURES = [
    (HEADER + " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\n", "rdma-retry-exceeded"),
    (
        HEADER + " Completion with error at client\n Failed status 10: wr_id 0 syndrom 0x88\n",
        "rdma-protection-error",
    ),
    (" Failed to modify QP 391 to RTR\n Unable to Connect the HCA's through the link\n", "gid-index-wrong"),
    ("Couldn't allocate MR\nfailed to create mr\n", "memory-registration-failed"),
    ("Couldn't allocate MR with error=14\nFailed to create MR\n", "memory-registration-failed"),
    (CUDA + "Couldn't allocate MR with error=12\nFailed to create MR\n", "memory-registration-failed"),
    (CUDA + "Couldn't allocate MR with error=14\nFailed to create MR\n", "peer-memory-missing"),
    (
        HEADER + " Completion with error at client\n Failed status-local protection error (4): wr_id 0 syndrom 0x51\n",
        "rdma-protection-error",
    ),
    (" Port number 1 state is Down\n", "port-down"),
    (" IB device mlx5_9 not found\n Unable to find the Infiniband/RoCE device\n", "hca-missing"),
    ("Couldn't connect to 10.0.0.7:18515\nUnable to init the socket connection\n", "tcp-unreachable"),
]


@pytest.mark.parametrize(("text", "cause"), FAILURES)
def test_each_step_that_fails(text: str, cause: str) -> None:
    (found,) = findings_of("perftest-failed", text)
    assert (found.cause, found.severity) == (cause, "critical")


def test_a_failure_beside_a_result_breaks_no_job() -> None:
    (found,) = findings_of("perftest-failed", HEADER + ROW + RULE, "Couldn't connect to 10.0.0.7:18515\n")
    assert found.severity == "error"


FAILED_NEXT = " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n"


def test_a_failure_behind_the_table_of_another_run_is_found() -> None:
    (found,) = findings_of("perftest-failed", HEADER + ROW + RULE + FAILED_NEXT)
    assert (found.cause, found.severity) == ("rdma-retry-exceeded", "error")


def test_a_run_that_breaks_off_between_two_sizes_is_found() -> None:
    (found,) = findings_of("perftest-failed", HEADER + ROW + FAILED_NEXT)
    assert (found.cause, found.severity) == ("rdma-retry-exceeded", "error")


def test_a_connection_that_was_tried_again_is_no_failure() -> None:
    assert findings_of("perftest-failed", HEADER + " Unable to connect (retries = 1)\n" + ROW + RULE) == ()


def test_silent_on_a_result() -> None:
    assert findings_of("perftest-failed", HEADER + ROW + RULE) == ()


def test_words_that_ibv_devinfo_shares_name_no_program() -> None:
    (found,) = findings_of("perftest-failed", "[root@gpu03 ~]# ibv_devinfo\nNo IB devices found\n")
    assert found.message == "no RDMA device was found"


def test_it_says_what_to_do() -> None:
    assert {cause: remedies_of("perftest-failed", text)[0] for text, cause in FAILURES} == snapshot(
        {
            "rdma-retry-exceeded": [
                ("Read the state of the port and its error counters at both ends.", "mlxlink -d HCA -c -e")
            ],
            "rdma-protection-error": [
                ("See whether PCIe redirects what peers send (ACS).", "lspci -vvv | grep -i ACSCtl")
            ],
            "gid-index-wrong": [
                ("List the GIDs, and give both sides the RoCE v2 one with the interface's IPv4 address.", "show_gids")
            ],
            "memory-registration-failed": [
                ("Read the limit of locked memory, and what serves GPU memory.", "ulimit -l; lsmod | grep peermem")
            ],
            "peer-memory-missing": [("Load the module on both nodes.", "modprobe nvidia_peermem")],
            "port-down": [("Read the state of all ports.", "ibstat")],
            "hca-missing": [
                (
                    "List the devices that are there, and see whether the container has them.",
                    "ibv_devices; ls /dev/infiniband",
                )
            ],
            "tcp-unreachable": [
                ("Start the server first, and see whether its port can be reached.", "nc -vz SERVER 18515")
            ],
        }
    )


def test_rows_behind_a_failed_run_are_another_runs() -> None:
    again = "$ ib_write_bw -d mlx5_3 -F --report_gbits gpu02 | tail -1\n" + ROW
    cut = HEADER.splitlines(keepends=True)[-1] + ROW
    for failed, rows in ((HEADER + FAILED_NEXT, again), (CUDA + "Couldn't allocate MR with error=14\n", cut)):
        (found,) = findings_of("perftest-failed", failed + rows)
        assert found.severity == "error", "another run gave a result"


ROCE = """\
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_bond_0
 Number of qps   : 1            Transport type : IB
 Link type       : {layer}
 GID index       : 0
---------------------------------------------------------------------------------------
 local address: LID 0000 QPN 0x1c2e PSN 0x8fd2a0 RKey 0x200d00 VAddr 0x007f0a11d40000
 GID: {gid}
 remote address: LID 0000 QPN 0x0b39 PSN 0x2d1d0b RKey 0x1fe900 VAddr 0x007f76a2ef0000
 GID: {gid}
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 Completion with error at client
 Failed status 12: wr_id 0 syndrom 0x81
"""
LINK_LOCAL = "254:128:00:00:00:00:00:00:186:206:246:255:254:34:144:10"
OF_AN_ADDRESS = "00:00:00:00:00:00:00:00:00:00:255:255:10:40:22:22"


@pytest.mark.parametrize(
    ("layer", "gid", "cause"),
    [
        ("Ethernet", LINK_LOCAL, "gid-index-wrong"),
        ("Ethernet", "fe80:0000:0000:0000:bace:f6ff:fe22:900a", "gid-index-wrong"),
        ("Ethernet", OF_AN_ADDRESS, "rdma-retry-exceeded"),
        ("IB", LINK_LOCAL, "rdma-retry-exceeded"),
    ],
)
def test_a_link_local_gid_reaches_no_other_subnet(layer: str, gid: str, cause: str) -> None:
    """On InfiniBand it is the default one."""
    (found,) = findings_of("perftest-failed", ROCE.format(layer=layer, gid=gid))
    assert found.cause == cause


@pytest.mark.parametrize(
    ("answer", "cause"), [("", "peer-memory-missing"), ("nvidia_peermem 16384 0\n", "memory-registration-failed")]
)
def test_gpu_memory_on_a_node_without_the_module(answer: str, cause: str) -> None:
    """Older versions print no number of the error."""
    asked = f"$ lsmod | grep nvidia_peermem\n{answer}$ ib_write_bw -d mlx5_3 --use_cuda=0 gpu02\n"
    (found,) = findings_of("perftest-failed", asked + CUDA + "Couldn't allocate MR\nfailed to create mr\n")
    assert found.cause == cause
