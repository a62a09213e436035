"""Plain values of hand-made records."""

from __future__ import annotations

import json

from slowlink.facts.summary.summarise import summarise
from slowlink.model.benchmark import CollectiveRun, PerftestRow, PerftestRun, Point, RankDevice
from slowlink.model.edges import EdgeKind, Edges
from slowlink.model.facts import (
    Commands,
    Communicators,
    Environment,
    Events,
    Facts,
    GdrDecisions,
    MeasuredSweep,
    Network,
    Pair,
    PairSurvey,
    Perftests,
    Sources,
    Sweeps,
    Topology,
    Transports,
    Versions,
    Warnings,
)
from slowlink.model.job import Command, JobEvent
from slowlink.model.nccl import (
    ChannelCounts,
    CommInit,
    ComponentVersion,
    GdrDecision,
    LibraryVersion,
    LogProcess,
    LogWarning,
    NetDevice,
    NetworkChoice,
    TopologyLink,
)
from slowlink.model.records import Records
from slowlink.model.source import Ref, SourceStats
from slowlink.parsers.nccl.nccl_log.channels import EdgeValues
from slowlink.parsers.nccl.nccl_log.edge_rows import EdgeRows

PROCESS = LogProcess("n1", 11)


def ref(line: int) -> Ref:
    return Ref("job.log", line)


def point(line: int, size: int, busbw: float | None, placement: str = "out_of_place", **more: object) -> Point:
    values: dict[str, object] = {
        "size_bytes": size,
        "count": size // 4,
        "datatype": "float",
        "redop": "sum",
        "root": -1,
        "placement": placement,
        "time_us": 10.0 * line,
        "algbw_gbs": None if busbw is None else busbw / 1.75,
        "busbw_gbs": busbw,
        "wrong": 0.0,
        "ref": ref(line),
    }
    return Point(**{**values, **more})  # type: ignore[arg-type]


def run(points: tuple[Point, ...], **more: object) -> CollectiveRun:
    values: dict[str, object] = {
        "tool": "nccl-tests",
        "source": "job.log",
        "stream": "",
        "header": ref(1),
        "collective": "all_reduce",
        "collective_basis": "command",
        "columns": ("size", "time", "algbw", "busbw", "#wrong"),
        "points": points,
        "rows": len({p.ref.line for p in points}),
    }
    return CollectiveRun(**{**values, **more})  # type: ignore[arg-type]


def sweep(measured: CollectiveRun, **more: object) -> MeasuredSweep:
    usable = tuple(p for p in measured.points if p.doubt is None and p.busbw_gbs is not None)
    values: dict[str, object] = {
        "run": measured,
        "name": "job.log:1",
        "collective": measured.collective,
        "nranks": 8,
        "nranks_basis": "device list",
        "nnodes": 1,
        "nnodes_basis": "device list",
        "hosts": (),
        "gpu": None,
        "library": None,
        "points": usable,
        "peak_busbw_gbs": max((p.busbw_gbs for p in usable if p.busbw_gbs is not None), default=None),
        "complete": True,
    }
    return MeasuredSweep(**{**values, **more})  # type: ignore[arg-type]


def values_of(records: Records | None = None, **facts: object) -> dict[str, object]:
    given = {"sources": Sources(()), **facts}
    found = summarise(records or Records(), Facts(**given))  # type: ignore[arg-type]
    json.dumps(found)
    return found


def test_nothing_collected_gives_the_inputs_alone() -> None:
    stats = SourceStats("job.log", (), 10, 2, 0, 0, 2)
    found = values_of(sources=Sources((stats,)))
    assert found == {"files": 1, "lines": 2, "bytes": 10, "kinds": []}


def test_tables_have_one_value_each_and_doubtful_points_are_no_numbers() -> None:
    first = run(
        (
            point(3, 4, 1.0),
            point(3, 4, 2.0, "in_place"),
            point(4, 8, 99.0, doubt="algbw is not size/time"),
            point(5, 8, 3.0),
        ),
        average_busbw_gbs=2.25,
        out_of_bounds=0,
        torn_rows=(ref(4),),
    )
    header_only = run((), header_only=True, collective="sendrecv")
    found = values_of(sweeps=Sweeps((sweep(first), sweep(header_only, complete=False))))
    assert found["tables"] == 2
    assert found["rows"] == [3, 0]
    assert found["rows_total"] == 3
    assert found["peak_busbw_gbs"] == [3.0, None]
    assert found["peak_size_bytes"] == [8, None]
    assert found["min_busbw_gbs"] == [1.0, None]
    assert found["mean_of_rows_busbw_gbs"] == [2.0, None]
    assert found["last_busbw_gbs"] == [3.0, None]
    assert found["average_busbw_gbs"] == [2.25, None]
    assert found["out_of_bounds"] == [0, None]
    assert found["row_lines"] == [[3, 4, 5], []]
    assert found["doubtful_lines"] == [[4], []]
    assert found["torn_lines"] == [[4], []]
    assert found["busbw_gbs_by_size"] == {"4": [1.0], "8": [3.0]}
    assert found["in_place_busbw_gbs_by_size"] == {"4": [2.0]}
    assert found["table_collectives"] == ["all_reduce", "sendrecv"]
    assert found["busbw_ratio"] == [1.75, None]
    assert found["incomplete_runs"] == 1
    assert found["nranks"] == 8


def test_a_preamble_alone_is_no_table() -> None:
    devices = tuple(RankDevice(n, f"n{n // 2}", n, n % 2, None, "H100", None, ref(n)) for n in range(4))
    alone = run((), columns=(), header_only=True, devices=devices)
    found = values_of(sweeps=Sweeps((sweep(alone, nranks=4, nnodes=2),)))
    assert found["tables"] == 0
    assert found["rows"] == []
    assert found["preambles"] == 1
    assert found["nranks"] == 4
    assert found["hosts"] == ["n0", "n1"]
    assert found["gpu"] == ["H100"]
    assert found["gpus_per_node"] == 2
    assert found["processes"] == 4


def test_the_check_of_the_data() -> None:
    wrong = run((point(3, 4, 1.0, wrong=0.0), point(4, 8, 1.0, wrong=17.0)), out_of_bounds=1)
    unchecked = run((point(3, 4, 1.0, wrong=None),))
    without = run((point(3, 4, 1.0, wrong=None),), columns=("size", "busbw"))
    right = run((point(3, 4, 1.0),))
    old = run((point(3, 4, 1.0, wrong=None, delta=1e-7),))
    tables = tuple(sweep(table) for table in (wrong, unchecked, without, right, old))
    found = values_of(sweeps=Sweeps(tables))
    assert found["data_check"] == ["FAILED", "N/A", None, "OK", "OK"]
    assert found["wrong_elements"] == [17.0]
    assert found["wrong_sizes_bytes"] == [8]


def edges(*each: tuple[EdgeKind, int]) -> Edges:
    """Of rank 0 to 1, with so many channels."""
    rows = EdgeRows()
    for number, (kind, channels) in enumerate(each, 1):
        for _ in range(channels):
            rows.add("n1:1:1", EdgeValues(0, 1, kind, f" via {kind.detail}"), number, "")
    return Edges.all_of([rows.result([PROCESS], "job.log")])


def test_the_transport_is_the_one_between_nodes() -> None:
    inside = EdgeKind("0", "1", "send", "P2P/IPC", "P2P/IPC/read"), 40
    outside = EdgeKind("0", "1", "send", "NET/IB", "NET/IB/0/GDRDMA", 0, gdr=True), 4
    found = values_of(transports=Transports(edges(inside, outside), edges(inside), edges(outside), True, False))
    assert found["transport"] == "NET/IB/GDRDMA"
    assert found["transport_detail"] == ["NET/IB/0/GDRDMA"]
    assert found["transports"] == {"P2P/IPC": 40, "NET/IB/GDRDMA": 4}
    assert found["gdr"] == "on"
    alone = values_of(transports=Transports(edges(inside), edges(inside), edges(), None, False))
    assert alone["transport"] == "P2P/IPC"
    assert "gdr" not in alone


def test_the_log() -> None:
    done = CommInit(PROCESS, "0x1", None, 0, 2, 0, 0, "1b000", 2, 1, 0, None, None, ref(1), ref(9), init_seconds=1.5)
    hung = CommInit(PROCESS, "0x2", None, 1, 2, 1, 1, "43000", None, None, None, None, None, ref(2), None, None)
    device = NetDevice("IB", 0, "mlx5_0", 1, "RoCE", 400.0, PROCESS, ref(3))
    ethernet = NetDevice("Socket", 0, "eth0", None, None, None, PROCESS, ref(3))
    failed = LogWarning(
        "ib-completion-error",
        "WARN",
        "Got completion with error 12",
        False,
        {"status": "12"},
        None,
        PROCESS,
        ref(8),
        3,
    )
    late = LogWarning("connection-closed", "WARN", "Connection closed", True, {"status": "5"}, None, PROCESS, ref(7), 1)
    found = values_of(
        versions=Versions(
            (LibraryVersion("NCCL", "2.29.7", "cuda13.1", PROCESS, ref(1)),),
            (ComponentVersion("aws-ofi-nccl", "1.13.2", PROCESS, ref(1)),),
        ),
        communicators=Communicators((done, hung), (PROCESS,), 2, ("n1",), {0: "n1"}, (hung,)),
        gdr=GdrDecisions((GdrDecision(False, "mlx5_0", "0", "0", 6, 4, "distance", PROCESS, ref(4), 8),), ()),
        network=Network((NetworkChoice("IB", PROCESS, ref(3)),), (device, ethernet), (), (), (), None),
        topology=Topology(
            (),
            (ChannelCounts(16, 0, 0, 32, 2, PROCESS, ref(5)),),
            (),
            (TopologyLink("NVL", 80.0, None, "GPU/0", PROCESS, ref(6)),),
            (),
            (),
        ),
        warnings=Warnings((late, failed)),
    )
    assert found["nccl"] == ["2.29.7"]
    assert found["cuda"] == ["13.1"]
    assert found["component_versions"] == ["aws-ofi-nccl 1.13.2"]
    assert (found["init_started"], found["init_complete"], found["init_incomplete"]) == (2, 1, 1)
    assert found["init_seconds"] == [1.5]
    assert (found["nranks"], found["nnodes"], found["hosts"]) == (2, 2, ["n1"])
    assert (found["gdr_distances"], found["gdr_levels"], found["gdr_disabled"]) == ([6], [4], 8)
    assert found["hcas"] == ["mlx5_0"]
    assert found["hca_families"] == ["mlx5"]
    assert found["socket_interfaces"] == ["eth0"]
    assert (found["channels"], found["nvls_channels"]) == ([16], [0])
    assert found["link_bw_gbs"] == {"NVL": [80.0]}
    assert found["warnings"] == {"connection-closed": 1, "ib-completion-error": 3}
    assert found["warn_lines"] == 4
    assert found["warning_details"] == {"status": ["12", "5"]}, "what is primary comes first"


def perftest(unit: str, *rows: tuple[int, float]) -> PerftestRun:
    read = tuple(
        PerftestRow(size, 5000, None, bw, None, None, None, None, None, None, None, None, ref(n + 10))
        for n, (size, bw) in enumerate(rows)
    )
    return PerftestRun(
        source="job.log",
        stream="",
        header=ref(2),
        test="RDMA_Write BW",
        kind="bandwidth",
        printed_unit=unit,
        device="mlx5_0",
        gpu_memory=None,
        gpu=None,
        link_type="IB",
        mtu_bytes=4096,
        gid_index=None,
        qps=1,
        bidirectional=False,
        rows=read,
    )


def test_perftest_blocks_in_gbit_and_as_printed() -> None:
    blocks = (perftest("Gb/s", (2, 0.1), (65536, 392.0)), perftest("MiB/s", (65536, 8.388608)))
    found = values_of(perftests=Perftests(blocks))
    assert found["perftest_programs"] == ["ib_write_bw", "ib_write_bw"]
    assert found["perftest_rows"] == [2, 1]
    assert found["perftest_bw_average_gbit"] == [392.0, 8.388608]
    assert found["perftest_bw_average_gbit_by_size"] == {"2": [0.1], "65536": [392.0, 8.388608]}
    assert found["perftest_bw_average_printed_max"] == [392.0, 1000.0]
    assert found["perftest_bw_peak_gbit"] == [None, None], "not measured is not zero"
    assert "perftest_t_avg_us" not in found


def test_events_commands_and_settings() -> None:
    crash = JobEvent("kernel-segfault", "kernel", "x[7]: segfault", {"pid": "7", "library": "a.so"}, ref(3), count=2)
    command = Command(
        "all_reduce_perf", ("all_reduce_perf", "-b", "8", "-c", "--ngpus=4"), "mpirun", 16, 8, ("n1",), ref(1)
    )
    fault = JobEvent("slurm-task-exit", "slurm", "x", {"task": "0", "signal": "Segmentation fault"}, ref(4))
    ended = JobEvent("slurm-task-exit", "slurm", "x", {"task": "1", "signal": "Terminated"}, ref(5))
    assert values_of(events=Events((fault, ended)))["crashed_tasks"] == ["0"]
    first = JobEvent("torch-watchdog-timeout", "pytorch", "x", {"rank": "3", "op": "A"}, ref(6))
    second = JobEvent("torch-watchdog-timeout", "pytorch", "x", {"op": "B"}, ref(7), rank=0)
    timed_out = values_of(events=Events((first, second)))
    assert timed_out["event_ranks_by_kind"] == {"torch-watchdog-timeout": [0, 3]}
    assert timed_out["event_details_by_rank"] == {"3": {"rank": ["3"], "op": ["A"]}, "0": {"op": ["B"]}}
    found = values_of(
        events=Events((crash,)),
        commands=Commands((command,)),
        environment=Environment((), {"NCCL_ALGO": ("Ring", "Tree")}),
    )
    assert found["events"] == {"kernel-segfault": 2}
    assert found["event_details"] == {"pid": ["7"], "library": ["a.so"]}
    assert found["command_options"] == {"b": ["8"], "c": ["on"], "ngpus": ["4"]}
    assert found["command_nranks"] == [16]
    assert found["environment"] == {"NCCL_ALGO": ["Ring", "Tree"]}


def test_a_survey_of_pairs_names_the_slow_ones() -> None:
    def pair(a: str, b: str, average: float) -> Pair:
        return Pair(a, b, sweep(run((point(3, 4, average),), average_busbw_gbs=average, collective="alltoall")))

    survey = PairSurvey(
        (pair("a", "b", 10.0), pair("a", "c", 10.2), pair("b", "c", 4.0), pair("a", "d", 9.7)),
        (("c", "d", ref(1)),),
        ("a", "b", "c", "d"),
    )
    found = values_of(survey=survey)
    assert found["pairs"] == 5
    assert found["slow_pairs"] == ["b,c"]
    assert found["incomplete_pairs"] == ["c,d"]
    assert found["pair_median_busbw_gbs"] == {"alltoall": 9.85}
    assert found["pair_min_busbw_gbs"] == {"alltoall": 4.0}
