"""A cluster that does not exist: its faults, what its groups give, and what its tools would print."""

from __future__ import annotations

import pytest

from slowlink.errors import SlowlinkError
from slowlink.inputs import Input
from slowlink.model.isolation import Rail
from slowlink.parsers.reading.read import read
from slowlink.simulate.cluster import SimulatedCluster
from slowlink.simulate.cluster_output import group_output, node_outputs, whole_job
from slowlink.simulate.described import Described, build
from slowlink.workflows.analyze import analyze, report_of


def made(*faults: str, nodes: int = 4, noise: float = 0.0) -> SimulatedCluster:
    return build(Described(nodes=nodes, leaf_size=2, noise=noise, faults=faults))[0]


@pytest.mark.parametrize(
    ("fault", "group", "share"),
    [
        ("node01:hca-slow=0.5", ("node01", "node02"), 0.5),
        ("node01:hca-slow=50%", ("node01", "node02"), 0.5),
        ("node01/hca3:hca-dead", ("node01", "node02"), 7 / 8),
        ("node01:gdr-off", ("node01", "node02"), 0.28),
        ("node01/gpu2:gpu-throttled", ("node01", "node02"), 0.75),
        ("node01:hangs", ("node01", "node02"), 0.0),
        ("node01+node02:slow=0.3", ("node02", "node01"), 0.3),
        ("node01+node02:slow=0.3", ("node01", "node03"), 1.0),
        ("leaf1+leaf2:bad-cable", ("node01", "node03"), 0.5),
        ("leaf1+leaf2:bad-cable", ("node01", "node02"), 1.0),
        ("leaf2:oversubscribed=0.4", ("node02", "node03"), 0.4),
        ("leaf2:oversubscribed=0.4", ("node03", "node04"), 1.0),
    ],
)
def test_what_a_group_gives(fault: str, group: tuple[str, str], share: float) -> None:
    assert made(fault).share(group) == pytest.approx(share)


def test_single_rails_show_single_parts() -> None:
    cluster = made("node01/hca3:hca-slow=0.5", "node01/gpu5:gpu-throttled", "node02/hca0:hca-dead")
    group = ("node01", "node03")
    rails = [Rail(3), Rail(4), Rail(5), Rail(4, 3), Rail(3, 4), Rail(5, 3)]
    assert [cluster.share(group, rail) for rail in rails] == [0.5, 1.0, 0.75, 0.5, 1.0, 0.5]
    assert cluster.measure([("node02", "node03")], Rail(0)) == [None]
    (gbs,) = cluster.measure([group], Rail(4))
    assert gbs == pytest.approx(cluster.usual_gbs / 8)


def test_interference_comes_and_goes_and_costs_by_the_harmonic_mean() -> None:
    cluster = made("node01:interference=0.1@0.3")
    values = [value or 0.0 for _ in range(50) for value in cluster.measure([("node01", "node02")])]
    usual = 1 / (0.7 + 0.3 / 0.1)
    assert min(values) < usual * cluster.usual_gbs < max(values)
    assert cluster.measure([("node03", "node04")]) == [cluster.usual_gbs]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("node09:slow", "there are nodes node01 to node04 and leaves leaf1 to leaf2"),
        ("node01:slow=1", "a share is from 0 to below 1"),
        ("node01:nothing", "cannot read the fault"),
        ("node01", "cannot read the fault"),
        ("node01:bad-cable", "bad-cable is a fault of two leaves (leaf1+leaf3)"),
        ("leaf1:hca-slow", "hca-slow is a fault of a node"),
        ("node01/hca8:hca-slow", "a node has hca0 to hca7"),
        ("node01/gpu1:hca-slow", "hca-slow is no fault of a part 'gpu'"),
        ("node01:slow@0.3", "only interference comes and goes"),
        ("node01+node01:slow", "there are nodes"),
    ],
)
def test_faults_that_cannot_be(fault: str, words: str) -> None:
    with pytest.raises(SlowlinkError) as raised:
        made(fault)
    assert words in raised.value.message


def test_a_cluster_that_cannot_be() -> None:
    with pytest.raises(SlowlinkError, match="nodes = 1"):
        build(Described(nodes=1))


def test_what_is_printed_is_read_to_the_last_line() -> None:
    cluster = made("node01/hca3:hca-slow", "node02/hca1:hca-dead", "node03/gpu2:gpu-throttled", "node04:gdr-off")
    texts = [text for name in cluster.fabric.nodes for file, text in node_outputs(cluster, name) if file != "dmesg.txt"]
    texts += [whole_job(cluster, logged=True), group_output(cluster, ("node01", "node02"), 341.0)]
    for text in texts:
        (stats,) = read([Input("t", None, [text.encode()])], workers=1).sources
        assert [ref.text for ref in stats.unread_samples] == []
        assert stats.used > 0


def test_the_table_of_a_group_says_what_it_gave_and_one_that_hangs_has_no_row() -> None:
    cluster = made()
    (sweep,) = analyze(group_output(cluster, ("node01", "node02"), 200.0).encode()).sweeps
    assert (sweep.hosts, sweep.nranks, sweep.complete) == (("node01", "node02"), 16, True)
    assert sweep.peak_busbw_gbs == pytest.approx(200.0, rel=0.01)
    (hung,) = analyze(group_output(cluster, ("node01", "node02"), None).encode()).sweeps
    assert (hung.points, hung.complete) == ((), False)


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("node01/hca3:hca-slow", "port-rate-low"),
        ("node01/hca3:hca-dead", "port-down"),
        ("node01:gdr-off", "gdr-disabled"),
        ("node01/gpu2:gpu-throttled", "power-brake"),
    ],
)
def test_each_fault_is_found_in_what_it_prints(fault: str, cause: str) -> None:
    cluster = made(fault)
    texts = {"job.log": whole_job(cluster, logged=True)}
    for name in cluster.fabric.nodes:
        texts.update({f"{name}/{file}": text for file, text in node_outputs(cluster, name)})
    report = report_of(read([Input(name, None, [text.encode()]) for name, text in texts.items()], workers=1))
    assert cause in {found.cause for found in report.findings}


def test_the_same_seed_gives_the_same() -> None:
    assert whole_job(made(noise=0.01), logged=False) == whole_job(made(noise=0.01), logged=False)
    drawn = [build(Described(seed=seed, faults=("node01:hca-slow",)))[1][0].part for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
