"""What is joined from several places of an input: ranks, nodes, transports, network, settings, repeats, pairs."""

from __future__ import annotations

import pytest
from msgspec.structs import fields, replace

from slowlink.facts.assemble import assemble
from slowlink.facts.picture import picture
from slowlink.facts.repeats import repeats
from slowlink.inputs import Input
from slowlink.model.facts import Facts, Hardware, MeasuredSweep, NicGroup
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30
CLUSTER = LoggedCluster(hosts=("node06", "node07"), hcas=("mlx5_0", "mlx5_1"))


def facts(*texts: str, given: Hardware | None = None) -> Facts:
    inputs = [Input(f"job{n or ''}.log", None, [text.encode()]) for n, text in enumerate(texts)]
    return assemble(read(inputs, workers=1), given)


def sweep(text: str) -> MeasuredSweep:
    found = facts(text).sweeps
    assert found is not None
    (only,) = found.all
    return only


def log(**more: object) -> str:
    return job_log(SimulatedJob(CLUSTER, **more))  # type: ignore[arg-type]


def without_devices(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("#  Rank"))


def test_nothing_collected_is_absent_never_empty() -> None:
    found = facts("nothing of interest\n")
    absent = {entry.name for entry in fields(found) if getattr(found, entry.name) is None}
    assert absent == {entry.name for entry in fields(found)} - {"sources"}


@pytest.mark.parametrize(
    ("text", "nranks", "ranks_basis", "nnodes", "nodes_basis"),
    [
        (log(), 16, "device list", 2, "device list"),
        (without_devices(log()), 16, "command on line 1", 2, "NCCL log"),
        (without_devices(log(logged=False)), 16, "command on line 1", 2, "hosts of the command on line 1"),
        (without_devices(log(logged=False, command=False)), 16, "busbw/algbw = 1.875", None, ""),
    ],
)
def test_ranks_and_nodes_from_the_surest_source(
    text: str, nranks: int, ranks_basis: str, nnodes: int | None, nodes_basis: str
) -> None:
    found = sweep(text)
    assert (found.nranks, found.nnodes, found.nnodes_basis) == (nranks, nnodes, nodes_basis)
    assert found.nranks_basis.startswith(ranks_basis)


def test_the_library_is_the_one_that_logged() -> None:
    library = sweep(log()).library
    assert library is not None
    assert library.version == "2.21.5"
    printed = sweep(log(logged=False)).library
    assert printed is not None
    assert printed.version == "2.29.7", "without a log what the benchmark prints"


def test_points_in_doubt_are_not_computed_with() -> None:
    text = log()
    row = next(line for line in text.splitlines() if line.startswith("  8589934592 "))
    torn = row.replace(row.split()[6], "99.99", 1)
    healthy, damaged = sweep(text), sweep(text.replace(row, torn))
    assert len(damaged.run.points) == len(healthy.run.points)
    assert len(damaged.points) == len(healthy.points) - 1
    assert healthy.peak_busbw_gbs is not None
    assert damaged.peak_busbw_gbs is not None
    assert damaged.peak_busbw_gbs <= healthy.peak_busbw_gbs


def test_one_input_named_twice_counts_once() -> None:
    records = read([Input("job.log", None, [log().encode()]) for _ in range(2)], workers=1)
    found = assemble(records).sweeps
    assert found is not None
    assert [each.interleaved for each in found.all] == [False]


def test_transports_inside_and_between_nodes() -> None:
    found = facts(log()).transports
    assert found is not None
    assert {edge.transport for edge in found.intra} == {"P2P/CUMEM"}
    assert {edge.transport for edge in found.inter} == {"NET/IB"}
    assert (found.gdr, found.gdr_mixed) == (True, False)


def test_one_node_without_gpudirect_rdma_makes_it_mixed() -> None:
    mixed = replace(CLUSTER, hosts_without_gdr=frozenset({"node07"}))
    found = facts(job_log(SimulatedJob(mixed))).transports
    assert found is not None
    assert (found.gdr, found.gdr_mixed) == (None, True)
    off = facts(job_log(SimulatedJob(replace(CLUSTER, gdr=False)))).transports
    assert off is not None
    assert (off.gdr, off.gdr_mixed) == (False, False)


@pytest.mark.parametrize(("hosts", "single"), [(("node06",), True), (("node06", "node07"), False)])
def test_whether_the_network_carries_anything(hosts: tuple[str, ...], single: bool) -> None:
    found = facts(job_log(SimulatedJob(replace(CLUSTER, hosts=hosts)))).network
    assert found is not None
    assert found.single_node is single


def _of_four_ranks(*paths: str) -> bool | None:
    head = (
        "NET/Socket : Using [0]eth0:10.0.0.1<0>",
        "comm 0x1 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 - Init START",
    )
    lines = "".join(f"gpu01:100:200 [0] NCCL INFO {line}\n" for line in (*head, *paths))
    found = facts(lines).network
    assert found is not None
    return found.single_node


def test_paths_inside_a_node_that_join_all_ranks_show_that_there_is_one_node() -> None:
    ring = [f"Channel 00/0 : {a}[{a}] -> {(a + 1) % 4}[{(a + 1) % 4}] via P2P/CUMEM" for a in range(4)]
    assert _of_four_ranks(*ring) is True
    assert _of_four_ranks(*ring[:3]) is True
    assert _of_four_ranks(*ring[:2]) is None, "rank 3 is not shown: it may be anywhere"
    assert _of_four_ranks(*(path.replace("CUMEM", "MNNVL") for path in ring)) is None
    assert _of_four_ranks(*ring[:3], "Channel 00/0 : 3[3] -> 0[0] [send] via NET/Socket/0") is None


def test_communicators_know_the_host_of_each_rank() -> None:
    found = facts(log()).communicators
    assert found is not None
    assert (found.nranks, found.hosts, found.incomplete) == (16, ("node06", "node07"), ())
    assert [found.host_of_rank[rank] for rank in (0, 7, 8, 15)] == ["node06", "node06", "node07", "node07"]


def test_a_rank_that_never_came_up() -> None:
    found = facts(job_log(SimulatedJob(replace(CLUSTER, lost_ranks=frozenset({9}))))).communicators
    assert found is not None
    assert [(comm.rank, comm.process.host) for comm in found.incomplete] == [(9, "node07")]


def test_settings_in_force_and_settings_that_are_advice() -> None:
    advice = "\nNext time try:\n$ export NCCL_BUFFSIZE=8388608\n"
    found = facts(job_log(SimulatedJob(replace(CLUSTER, env={"NCCL_ALGO": "Ring"}))) + advice).environment
    assert found is not None
    assert found.values["NCCL_ALGO"] == ("Ring",)
    assert "NCCL_BUFFSIZE" not in found.values
    assert [setting.name for setting in found.advised] == ["NCCL_BUFFSIZE"]


def test_what_the_user_gives_wins() -> None:
    given = Hardware(None, None, None, (NicGroup(2, 200),), "NICs given", True)
    found = facts(log(), given=given).hardware
    assert found is not None
    assert (found.gpu, found.gpus_per_node, found.nics, found.given) == ("a100-sxm", 8, given.nics, True)


def test_repeats_pool_the_rows_of_one_size() -> None:
    found = sweep(log(cycles=3, smallest_bytes=4 * GIB))
    groups = repeats(found, fewest=6)
    assert [(group.size_bytes, group.placement, len(group.times_us)) for group in groups] == [
        (8 * GIB, "both", 6),
        (4 * GIB, "both", 6),
    ]
    assert all(group.slowest_share > 0.99 for group in groups)
    assert repeats(found, fewest=7) == ()
    assert repeats(found, fewest=6, smallest_bytes=16 * GIB) == ()


def test_a_row_alone_is_no_repeat() -> None:
    assert repeats(sweep(log()), fewest=2) == ()


def _pairs(*pairs: tuple[str, str]) -> str:
    cluster = replace(CLUSTER, gpus=1)
    return "\n".join(job_log(SimulatedJob(replace(cluster, hosts=pair), logged=False)) for pair in pairs)


def test_a_survey_needs_three_pairs_that_share_nodes() -> None:
    triangle = (("n1", "n2"), ("n1", "n3"), ("n2", "n3"))
    found = facts(_pairs(*triangle)).survey
    assert found is not None
    assert found.nodes == ("n1", "n2", "n3")
    assert [(pair.a, pair.b) for pair in found.pairs] == list(triangle)
    assert facts(_pairs(*triangle[:2])).survey is None
    assert facts(_pairs(("n1", "n2"), ("n3", "n4"), ("n5", "n6"))).survey is None


def test_the_picture_counts_each_edge_between_nodes_once() -> None:
    seen = picture(facts(log()))
    assert seen is not None
    assert seen.nodes == (("node06", tuple(range(8))), ("node07", tuple(range(8, 16))))
    between = [(edge.src, edge.dst, edge.gdr, edge.channels) for edge in seen.edges if edge.transport == "NET/IB"]
    assert between == [("node07", "node06", True, 4), ("node06", "node07", True, 4)]
    assert picture(facts(log(logged=False))) is None
