"""Render then parse gives the same; a damaged log gives what is left of it; two parts merged are one whole."""

from __future__ import annotations

import pickle
import random
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nccl_log_reading import fold_of, read, read_bare

from slowlink.model.nccl import NcclLog
from slowlink.parsers.nccl.nccl_log import PARSER
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.simulate.nccl_log_output import VERSIONS, LoggedCluster, nccl_log_lines

_HOSTS = st.integers(1, 4).map(lambda n: tuple(f"gpu{index:02d}" for index in range(1, n + 1)))
_CLUSTERS = st.builds(
    LoggedCluster,
    hosts=_HOSTS,
    gpus=st.sampled_from([1, 2, 4, 8]),
    version=st.sampled_from(VERSIONS),
    network=st.sampled_from(["IB", "Socket", "AWS Libfabric"]),
    hcas=st.integers(1, 4).map(lambda n: tuple(f"mlx5_{index}" for index in range(n))),
    gdr=st.booleans(),
    gdr_limit_exceeded=st.booleans(),
    intra=st.sampled_from(["P2P/CUMEM", "P2P/IPC/read", "SHM/direct/direct"]),
    channels=st.integers(1, 5),
    nvls_channels=st.sampled_from([0, 16]),
    env=st.sampled_from([{}, {"NCCL_IB_TC": "106", "NCCL_NET_GDR_LEVEL": "PHB"}]),
    lost_ranks=st.sampled_from([frozenset[int](), frozenset({0})]),
)


def _facts(log: NcclLog) -> tuple[object, ...]:
    """All that a log says, without the lines that say it."""
    return (
        sorted((edge.src, edge.dst, str(edge.side), edge.detail, edge.channels) for edge in log.edges),
        sorted((str(comm.comm), bool(comm.started), bool(comm.completed)) for comm in log.comms),
        sorted((setting.process.host or "", setting.name, setting.value) for setting in log.env),
        sorted((ring.channel, ring.ranks) for ring in log.rings),
        set(log.processes),
        {version.version for version in log.versions},
        log.lines,
        log.unknown,
        log.subsystems,
    )


@settings(max_examples=40, deadline=None)
@given(_CLUSTERS)
def test_rendered_log_is_read_back(cluster: LoggedCluster) -> None:
    lines = list(nccl_log_lines(cluster))
    log = read(lines)
    assert log.unknown == 0
    bare, _ = read_bare(line for line in lines if " NCCL INFO" not in line)
    versions = [*log.versions, *(version for each in bare for version in each.versions)]
    assert {version.version for version in versions} == {cluster.version}
    assert {process.host for process in log.processes} == set(cluster.hosts)
    assert len(log.processes) == cluster.nranks
    assert {comm.rank for comm in log.comms if comm.completed} == set(range(cluster.nranks)) - cluster.lost_ranks
    assert {comm.nranks for comm in log.comms} <= {cluster.nranks}
    assert {(setting.name, setting.value) for setting in log.env} == set(cluster.env.items())
    assert {counts.nvls for counts in log.channel_counts} <= {None, cluster.nvls_channels}
    assert all(edge.channels == cluster.channels for edge in log.edges)
    between = [edge for edge in log.edges if edge.transport.startswith("NET/")]
    assert bool(between) == (len(cluster.hosts) > 1)
    assert {edge.transport for edge in between} <= {f"NET/{cluster.network}"}
    assert {edge.gdr for edge in between} <= {None if cluster.network == "Socket" else cluster.gdr}
    if cluster.network == "IB":
        assert {device.name for device in log.net_devices} == set(cluster.hcas)


@settings(max_examples=30, deadline=None)
@given(_CLUSTERS, st.integers(0, 10_000))
def test_two_parts_merged_are_one_whole(cluster: LoggedCluster, at: int) -> None:
    lines = list(nccl_log_lines(cluster))
    at %= len(lines) + 1
    whole, _ = fold_of(lines)
    first, _ = fold_of(lines[:at])
    second, _ = fold_of(lines[at:], at + 1)
    first.merge(pickle.loads(pickle.dumps(second)))
    assert first.result("job.log") == whole.result("job.log")


@settings(max_examples=30, deadline=None)
@given(_CLUSTERS, st.randoms(use_true_random=False))
def test_interleaved_ranks_say_the_same(cluster: LoggedCluster, chance: random.Random) -> None:
    lines = list(nccl_log_lines(cluster))
    streams: dict[str, list[str]] = {}
    for line in lines:
        streams.setdefault(line.partition(" ")[0], []).append(line)
    shuffled = []
    queues = [iter(stream) for stream in streams.values()]
    while queues:
        queue = chance.choice(queues)
        try:
            shuffled.append(next(queue))
        except StopIteration:
            queues.remove(queue)
    assert _facts(read(shuffled)) == _facts(read(lines))


@settings(max_examples=30, deadline=None)
@given(_CLUSTERS, st.lists(st.integers(0, 10_000), max_size=20))
def test_dropped_lines_take_only_themselves_away(cluster: LoggedCluster, drops: list[int]) -> None:
    lines = list(nccl_log_lines(cluster))
    gone = {drop % len(lines) for drop in drops}
    left = [line for number, line in enumerate(lines) if number not in gone]
    whole, rest = read(lines), (read(left) if any(" NCCL " in line for line in left) else None)
    if rest is None:
        return
    assert rest.unknown == 0
    assert {(e.src, e.dst, e.side, e.detail) for e in rest.edges} <= {
        (e.src, e.dst, e.side, e.detail) for e in whole.edges
    }
    lost = sum(edge.channels for edge in whole.edges) - sum(edge.channels for edge in rest.edges)
    assert lost == sum(" -> " in lines[number] for number in gone)


@settings(max_examples=30, deadline=None)
@given(_CLUSTERS, st.integers(0, 10_000), st.integers(0, 200))
def test_a_cut_line_never_changes_the_others(cluster: LoggedCluster, which: int, at: int) -> None:
    lines = list(nccl_log_lines(cluster))
    which %= len(lines)
    without = lines[:which] + lines[which + 1 :]
    cut = [*lines[:which], lines[which][:at], *lines[which + 1 :]]
    expected = {comm.comm for comm in read(without).comms if comm.completed}
    assert expected <= {comm.comm for comm in read(cut).comms if comm.completed}


_WORDS = st.sampled_from(
    [
        *(" NCCL ", "INFO ", "WARN ", "TRACE ", "CALL ", "Channel 00/0 : ", "0[0] -> 1[1]", " via ", "NET/IB"),
        *("/0/GDRDMA", "comm 0x1 rank 0 nranks 2 ", "busId 1 - Init COMPLETE", "n:1:2 [0]", " [nranks=2]", "\n"),
        *("AllReduce: opCount ", "Got completion from peer ", "with status=", "+ PCI[24.0] - GPU/1", "   ", "\x00"),
    ]
)
_TEXT = st.lists(st.one_of(_WORDS, st.text(alphabet=string.printable, max_size=12), st.text(max_size=4))).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_TEXT, _TEXT), max_size=8))
@example([("\0 NCCL \0", "")])
def test_any_text_is_survived(pairs: list[tuple[str, str]]) -> None:
    fold, _ = fold_of([])
    for number, (prefix, message) in enumerate(pairs, 1):
        fold.feed(prefix, message, number, prefix + message, "", None, None)
        fold.feed(prefix, "INFO " + message, number, prefix + message, "", 1, "h")
        fold.feed(prefix, "WARN " + message, number, prefix + message, "", None, "h")
        fold.continuation(message, number + 1)
    logs = pickle.loads(pickle.dumps(fold)).result("x")
    assert bool(logs) == bool(pairs)
    read_bare([prefix + message for prefix, message in pairs])


@settings(max_examples=100, deadline=None)
@given(_TEXT)
def test_wants_is_blind_to_digits(text: str) -> None:
    zeros = text.translate(str.maketrans(string.digits, "0" * 10))
    assert PARSER.wants(text) == PARSER.wants(zeros)


def test_memory_does_not_grow_with_lines() -> None:
    cluster = LoggedCluster(gpus=2)
    lines = list(nccl_log_lines(cluster))
    once, _ = fold_of([*lines, *[line for line in lines if "Channel" in line]])
    often, _ = fold_of([*lines, *[line for line in lines if "Channel" in line] * 50])
    assert len(pickle.dumps(often)) < 1.1 * len(pickle.dumps(once))


def test_what_is_kept_is_bounded_whoever_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that other processes read are joined under the same limit: a log of a million host names is no more."""
    monkeypatch.setattr("slowlink.parsers.nccl.nccl_log.fold._MAX_THREADS", 10)
    lines = [f"host{n}:1:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>" for n in range(60)]
    folds = [NcclFold() for _ in range(3)]
    for number, line in enumerate(lines):
        prefix, _, message = line.partition(" NCCL ")
        folds[number // 20].feed(prefix, message, number + 1, line)
    first, *later = folds
    for fold in later:
        first.merge(fold)
    assert len(first._threads) <= 11
    assert first.lines == len(lines)
