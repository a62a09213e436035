"""Values read from single messages, over the versions' spellings."""

from __future__ import annotations

import pytest
from nccl_log_reading import fold_of, read, read_bare, read_message

from slowlink.model.nccl import LogProcess
from slowlink.parsers.forms.interface import Use


@pytest.mark.parametrize(
    ("prefix", "process", "location"),
    [
        ("node1:123:456 [0]", LogProcess("node1", 123), None),
        ("node1:123:456 [3] transport/net_ib.cc:1296", LogProcess("node1", 123), "transport/net_ib.cc:1296"),
        (
            "[2026-05-05 06:16:47] node-1:9:9 [3] plugin/net.cc:334 (ncclNetInit)",
            LogProcess("node-1", 9),
            "plugin/net.cc:334",
        ),
        ("12:34:56.789 node1:123:456 [0]", LogProcess("node1", 123), None),
        ("17:node1:123:456 [0]", LogProcess("node1", 123), None),
        ("node1:123:456 [0] ncclTopoPopulateNics, 1234", LogProcess("node1", 123), None),
        ("", LogProcess(None, None), None),
    ],
)
def test_prefix(prefix: str, process: LogProcess, location: str | None) -> None:
    (warning,) = read([f"{prefix} NCCL WARN something new"]).warnings
    assert warning.process == process
    assert warning.location == location
    assert warning.message == "unknown"


def test_launcher_names_rank_and_host_where_the_line_does_not() -> None:
    fold, _ = fold_of([])
    fold.feed("", "INFO Using network IB", 1, "x", "", 3, "pod-7")
    fold.feed("node1:1:2 [0]", "INFO Using network IB", 2, "x", "", 4, "pod-8")
    (log,) = fold.result("job.log")
    assert [choice.process for choice in log.networks] == [
        LogProcess("pod-7", None, 3),
        LogProcess("node1", 1, 4),
    ]


@pytest.mark.parametrize(
    ("text", "library", "version", "runtime"),
    [
        ("NCCL version 2.21.5+cuda12.4", "NCCL", "2.21.5", "cuda12.4"),
        ("RCCL version 2.22.3+hip6.3 HEAD:5a2d1e7", "RCCL", "2.22.3", "hip6.3"),
        ("RCCL version : 2.26.6-rccl/gfx942:0f1e2d3", "RCCL", "2.26.6", None),
        ("MCCL version 2.16.5+maca2.32.0", "MCCL", "2.16.5", "maca2.32.0"),
        ("NCCL version 2.26.6+cudaCUDA_MAJOR.CUDA_MINOR", "NCCL", "2.26.6", "cudaCUDA_MAJOR.CUDA_MINOR"),
    ],
)
def test_version_with_and_without_prefix(text: str, library: str, version: str, runtime: str | None) -> None:
    for log in (read_message(text), read_bare([text])[0][0]):
        (found,) = log.versions
        assert (found.library, found.version, found.runtime) == (library, version, runtime)


@pytest.mark.parametrize(
    ("text", "devices", "cut"),
    [
        ("NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ; OOB eth0:10.0.0.1<0>", ["mlx5_0", "mlx5_1"], False),
        ("NET/IB : Using [0]={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB} [RO]; OOB x", ["mlx5_0+mlx5_1"], False),
        ("NET/IB: Using [0]mlx5_0:1/RoCE [1]mlx5_3:1/RoCE [4]mlx5...", ["mlx5_0", "mlx5_3"], True),
    ],
)
def test_device_list(text: str, devices: list[str], cut: bool) -> None:
    found = read_message(text).net_devices
    assert [device.name for device in found] == devices
    assert all(device.list_cut is cut for device in found)


@pytest.mark.parametrize(
    ("via", "transport", "device", "proxy", "gdr", "shared"),
    [
        ("NET/IB/2(3)/GDRDMA/Shared", "NET/IB", 2, 3, True, True),
        ("NET/IB/1", "NET/IB", 1, None, False, False),
        ("NET/IB/1/GDRDMA(PCI)", "NET/IB", 1, None, True, False),
        ("NET/AWS Libfabric/0/GDRDMA", "NET/AWS Libfabric", 0, None, True, False),
        ("NET/AWS Libfabric/0", "NET/AWS Libfabric", 0, None, False, False),
        ("NET/IBext_v8/0", "NET/IBext_v8", 0, None, False, False),
        ("NET/Socket/0", "NET/Socket", 0, None, None, False),
        ("NET/FasTrak/0", "NET/FasTrak", 0, None, None, False),
        ("P2P/CUMEM/read", "P2P/CUMEM", None, None, None, False),
        ("P2P/direct pointer/read", "P2P/direct pointer", None, None, None, False),
        ("P2P/indirect/3[3]", "P2P/indirect", None, None, None, False),
        ("SHM/direct/direct", "SHM", None, None, None, False),
        ("direct shared memory", "SHM", None, None, None, False),
    ],
)
def test_edge(via: str, transport: str, device: int | None, proxy: int | None, gdr: bool | None, shared: bool) -> None:
    (edge,) = read_message(f"Channel 00/1 : 0[c1000] -> 12[4] [send] via {via} comm 0x55d0 nRanks 16").edges
    assert (edge.src, edge.src_dev, edge.dst, edge.dst_dev, edge.side) == (0, "c1000", 12, "4", "send")
    assert (edge.transport, edge.net_device, edge.proxy_rank) == (transport, device, proxy)
    assert (edge.gdr, edge.shared, edge.detail, edge.connection) == (gdr, shared, via, 1)


def test_channels_of_an_edge_are_folded_and_connections_kept_apart() -> None:
    lines = [f"node1:1:2 [0] NCCL INFO Channel {n:02d}/{n % 2} : 0[0] -> 1[1] via P2P/IPC" for n in range(120)]
    edges = read(lines).edges
    assert [(edge.connection, edge.channels, edge.ref.line) for edge in edges] == [(0, 60, 1), (1, 60, 2)]


def test_ring_order_is_no_edge() -> None:
    log = read_message("Channel 03/08 :    0   1   3   2 ...")
    (ring,) = log.rings
    assert (ring.channel, ring.nchannels, ring.ranks, ring.cut) == (3, 8, (0, 1, 3, 2), True)
    assert not log.edges


def test_gdr_decisions() -> None:
    log = read(
        [
            "n:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
            "n:1:2 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 81000 / HCA 0 (distance 7 > 4)",
            "n:1:2 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 81000 / HCA 0 (distance 7 > 4)",
            "n:1:2 [0] NCCL INFO NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'",
        ]
    )
    able, far = log.gdr
    assert (able.enabled, able.hca, able.reason) == (True, "mlx5_0", None)
    assert (far.enabled, far.gpu, far.distance, far.limit, far.reason) == (False, "81000", 7, 4, "distance")
    assert far.count == 2


def test_integers_lose_the_full_stop_and_strings_keep_theirs() -> None:
    lines = ["NCCL_IB_TC set by environment to 106.", "NCCL_TOPO_FILE set by environment to /a/b."]
    env = read([f"n:1:2 [0] NCCL INFO {line}" for line in lines]).env
    assert [(setting.name, setting.value) for setting in env] == [
        ("NCCL_IB_TC", "106"),
        ("NCCL_TOPO_FILE", "/a/b."),
    ]


def test_comm_lines_are_joined_also_when_an_address_is_used_again() -> None:
    comm = "comm 0x55 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId b3000"
    one_life = [
        f"{comm} commId 0xa - Init START",
        "comm 0x55 rank 1 nRanks 4 nNodes 2 localRanks 2 localRank 1 MNNVL 0",
        f"{comm} commId 0xa - Init COMPLETE",
        "Init timings - ncclCommInitRank: rank 1 nranks 4 total 1.50 (kernels 0.17)",
        "comm 0x55 rank 1 nranks 4 cudaDev 1 busId b3000 - Destroy COMPLETE",
    ]
    first, second = read([f"n:1:2 [1] NCCL INFO {line}" for line in one_life + one_life[:2]]).comms
    assert (first.nnodes, first.local_ranks, first.local_rank, first.mnnvl) == (2, 2, 1, False)
    assert (first.comm_id, first.bus_id, first.init_seconds) == ("0xa", "b3000", 1.5)
    assert first.started
    assert first.completed
    assert first.destroyed
    assert second.started
    assert second.completed is None


def test_system_tree_finds_parents_by_indentation() -> None:
    tree = [
        "=== System : maxBw 48.0 totalBw 370.8 ===",
        "CPU/0-0 (1/1/2)",
        "+ PCI[48.0] - PCI/0-14000 (1000c0301000ffff)",
        "              + PCI[24.0] - GPU/0-1b000 (0)",
        "                            + NVL[370.8] - NVS/0-0",
        "              + PCI[48.0] - NIC/0-1a000",
        "+ SYS[10.0] - CPU/0-1",
        "==========================================",
    ]
    log = read([f"n:1:2 [0] NCCL INFO {line}" for line in tree])
    assert [(link.kind, link.bandwidth_gbs, link.parent, link.child.split(" ")[0]) for link in log.links] == [
        ("PCI", 48.0, "CPU/0-0 (1/1/2)", "PCI/0-14000"),
        ("PCI", 24.0, "PCI/0-14000 (1000c0301000ffff)", "GPU/0-1b000"),
        ("NVL", 370.8, "GPU/0-1b000 (0)", "NVS/0-0"),
        ("PCI", 48.0, "PCI/0-14000 (1000c0301000ffff)", "NIC/0-1a000"),
        ("SYS", 10.0, "CPU/0-0 (1/1/2)", "CPU/0-1"),
    ]
    assert log.topologies[0].total_bw_gbs == 370.8


def test_last_call_of_a_communicator_with_hexadecimal_op_count() -> None:
    call = (
        "n:1:2 [0] NCCL INFO {} opCount {:x} sendbuff 0x1 recvbuff 0x2 count 8 datatype 7 op 0 root "
        "0 comm {} [nranks=2] "
        "stream 0x3"
    )
    lines = [call.format("AllReduce:", n, "0x55d0c5e0b2a0") for n in range(32)]
    lines.append(call.format("AllGather:", 3, "0x66d0c5e0b2a0"))
    first, second = read(lines).calls
    assert (first.collective, first.op_count, first.calls, first.ref.line) == ("AllReduce", 31, 32, 32)
    assert (second.collective, second.op_count, second.nranks) == ("AllGather", 3, 2)


def test_algorithm_numbers_are_named() -> None:
    old, new = read(
        [
            "n:1:2 [0] NCCL INFO 1024 Bytes -> Algo 5 proto 1 time 3.000000",
            "n:1:2 [0] NCCL INFO AllReduce: 4096 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}",
        ]
    ).algorithms
    assert (old.collective, old.algorithm, old.protocol) == (None, "NVLS_TREE", "LL128")
    assert (new.collective, new.algorithm, new.protocol) == ("AllReduce", "RING", "SIMPLE")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        (
            "NET/IB : Got completion from peer 10.0.0.2<33> with error 12, opcode 1, len 0, vendor err 129",
            {"peer": "10.0.0.2<33>", "status": "12", "opcode": "1", "len": "0", "vendor_err": "129"},
        ),
        (
            "NET/IB : Got completion from peer 10.0.0.2<33> with status=4 opcode=0 len=0 vendor err "
            "81 (Send) localGid ::1 "
            "remoteGids::2 hca mlx5_3",
            {"status": "4", "side": "Send", "local_gid": "::1", "remote_gid": "::2", "hca": "mlx5_3"},
        ),
        (
            "NET/IB: Got completion from peer 10.0.0.2<33> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) "
            "vendor_err=129  localGid ::1 remoteGids::2 hca mlx5_3",
            {"status": "12", "status_name": "IBV_WC_RETRY_EXC_ERR", "opcode_name": "IBV_WC_SEND", "hca": "mlx5_3"},
        ),
        (
            "Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, curr state "
            "INIT, next state RTR, "
            "local GID index 3, local GID ::ffff:10.1.0.1, remote GID ::ffff:10.1.0.2",
            {"errno": "110", "hca": "mlx5_0", "gid_index": "3", "remote_gid": "::ffff:10.1.0.2"},
        ),
        ("Call to ibv_modify_qp failed with error Connection timed out [errno 110]", {"errno": "110"}),
        (
            "Call to ibv_modify_qp failed with error No data available errno 61",
            {"errno": "61", "reason": "No data available"},
        ),
        ("Call to ibv_modify_qp failed with error Invalid argument", {"reason": "Invalid argument"}),
        ("Call to ibv_reg_mr_iova2 failed with error Bad address", {"error": "Bad address"}),
        (
            "Error: failed to extend /dev/shm/nccl-a to 33030532 bytes, error: No space left on device (28)",
            {"path": "/dev/shm/nccl-a", "size": "33030532", "errno": "28", "error": "No space left on device"},
        ),
        ("NET/OFI Unable to register memory (type = 2) for device 0. RC: -14, Error: Bad address", {"code": "-14"}),
    ],
)
def test_groups_of_warnings(text: str, groups: dict[str, str]) -> None:
    (warning,) = read_message(text, "WARN").warnings
    assert groups.items() <= warning.groups.items()


def test_a_warning_that_begins_like_a_message_of_no_interest_is_kept() -> None:
    (warning,) = read_message("NET/OFI The rails of this endpoint are used up", "WARN").warnings
    assert warning.message == "unknown"
    assert read_message("NET/OFI The rails of this endpoint are used up", "INFO").warnings == ()


def test_wrapped_warning_goes_on_in_the_next_line() -> None:
    log = read(
        [
            "n:1:2 [0] net_ib.cc:9 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<33> with "
            "error 12, opcode 0, len",
            "0, vendor err 129 (Recv)",
        ]
    )
    (warning,) = log.warnings
    assert warning.groups["vendor_err"] == "129"
    assert warning.groups["side"] == "Recv"


def test_continuation_belongs_only_to_the_line_before() -> None:
    _, uses = fold_of(
        [
            "n:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<33> with error 12, opcode 0, len",
            "some other program's line",
            "0, vendor err 129 (Recv)",
        ]
    )
    assert uses == [Use.USED, Use.NOT_MINE, Use.NOT_MINE]


def test_two_lines_written_at_once_are_both_read() -> None:
    log = read(
        [
            "node1:1:2 [0] NCCL INFO cudaDriverVersion 12040",
            "node1:1:2 [0] NCCL INFO NCCL_CROSS_NIC set by environmnode2:7:8 [1] NCCL INFO Using network IB",
            "node2:7:8 [1] NCCL INFO cudaDriverVersion 12040",
        ]
    )
    assert [choice.network for choice in log.networks] == ["IB"]
    assert log.lines == 4
    assert log.unknown == 0


def test_a_name_with_a_table_cell_glued_to_it_is_the_same_process() -> None:
    lines = ["node1:1:2 [0] NCCL INFO Using network IB"] * 3
    lines.append("     1024   float  sum  -1node1:1:2 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via P2P/IPC")
    log = read(lines)
    assert log.processes == (LogProcess("node1", 1),)
    assert log.edges[0].process == LogProcess("node1", 1)


def test_hosts_of_similar_names_stay_apart() -> None:
    lines = [f"node{n}:{n}:2 [0] NCCL INFO Using network IB" for n in (1, 11, 111) for _ in range(9)]
    assert {process.host for process in read(lines).processes} == {"node1", "node11", "node111"}


def test_subsystems_come_from_messages_that_one_subsystem_prints() -> None:
    log = read(
        [
            "n:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 106.",
            "n:1:2 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1",
            "n:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 -> 1",
        ]
    )
    assert log.subsystems == {"ENV", "GRAPH"}


def test_bare_lines() -> None:
    logs, uses = read_bare(
        [
            "RCCL version : 2.26.6-rccl/gfx942:0f1e2d3",
            "HIP version  : 6.4.43482-0f2d60242",
            "Librccl path : /opt/rocm/lib/librccl.so.1",
            "Hostname     : node1",
            "> NCCL INFO Using network IB   <- good",
            "  Channel X : 4[4] -> 2[2] via SHM/direct/direct  ",
            "Using network cables is a good idea",
            "NET/IB is a transport",
        ]
    )
    assert uses == [Use.USED] * 2 + [Use.IGNORED] * 2 + [Use.USED] * 2 + [Use.NOT_MINE] * 2
    assert logs[0].networks[0].network == "IB"
    assert logs[0].edges[0].transport == "SHM"
    assert logs[0].processes == ()
