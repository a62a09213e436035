"""Slow nodes and slow paths, in clusters that do not exist."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.isolate.plan import first_round
from slowlink.isolate.search import Search, run
from slowlink.isolate.untried import count_untried_leaves, count_untried_pairs, untried_leaves, untried_pairs
from slowlink.model.isolation import Fabric, Outcome, Verdict
from slowlink.report.isolation import isolation_text
from slowlink.simulate.cluster import Noise, SimulatedCluster, made_cluster


def fabric(nodes: int, per_leaf: int = 0) -> Fabric:
    names = tuple(f"n{number:03}" for number in range(1, nodes + 1))
    leaf_of = {name: f"leaf{index // per_leaf + 1}" for index, name in enumerate(names)} if per_leaf else {}
    return Fabric(names, leaf_of)


def found(cluster: SimulatedCluster, **more: object) -> Verdict:
    return run(Search(cluster.fabric, **more), cluster.measure)  # type: ignore[arg-type]


def test_one_slow_node_in_words() -> None:
    cluster = SimulatedCluster(fabric(64, 16), nodes={"n007": 0.5})
    verdict = found(cluster)
    assert isolation_text(verdict, 64) == snapshot("""\
DEGRADED  1 of 64 nodes is slow with whomever: n007

  node     n007: gives 50% of what is usual in 2 of its 2 tests, with 2 of 2 partners
  good     63 nodes: n[001-006,008-064]
  sure     nobody sound is blamed in 99.0% of such searches; sound groups differ by 0.8%; a node
           slower by 4.8% is found nine times out of ten
  cost     52 tests in 2 rounds, 104 times a node\
""")


def test_what_noise_would_hide_is_said_and_nobody_is_good_beyond_that() -> None:
    cluster = SimulatedCluster(fabric(8), noise=Noise(normal=0.3))
    assert isolation_text(found(cluster), 8) == snapshot("""\
INCONCLUSIVE  8 nodes: none is named, and tests differ so much that only one slower by 79.8% or more
           would be

  good     8 nodes, as far as tests tell that differ so much: n[001-008]
  sure     nobody sound is blamed in 99.0% of such searches; sound groups differ by 35.0%; a node
           slower by 79.8% is found nine times out of ten
  cost     56 tests in 14 rounds, 112 times a node\
""")


def test_a_node_that_hangs_and_one_that_is_throttled() -> None:
    verdict = found(SimulatedCluster(fabric(64, 16), nodes={"n007": 0.0, "n050": 0.85}))
    assert [(bad.name, bad.unfinished > 1) for bad in verdict.bad] == [("n007", True), ("n050", False)]
    assert [bad.share for bad in verdict.bad] == pytest.approx([0, 0.85], abs=0.03)
    assert set(verdict.good) == set(fabric(64).nodes) - {"n007", "n050"}


def test_two_bad_nodes_that_meet_first() -> None:
    cluster = SimulatedCluster(fabric(32, 16))
    one, other = first_round(cluster.fabric, 0).groups[0]
    cluster.nodes = {one: 0.6, other: 0.7}
    assert {bad.name for bad in found(cluster).bad} == {one, other}


def test_a_bad_cable_between_leaves_is_a_path() -> None:
    cluster = SimulatedCluster(fabric(64, 8), leaf_pairs={("leaf2", "leaf5"): 0.6})
    verdict = found(cluster)
    assert (verdict.bad, [(path.kind, path.ends) for path in verdict.paths]) == ((), [("leaves", ("leaf2", "leaf5"))])


def test_too_few_uplinks_are_the_leafs() -> None:
    verdict = found(SimulatedCluster(fabric(64, 8), leaves={"leaf3": 0.5}))
    assert (verdict.bad, [(path.kind, path.ends) for path in verdict.paths]) == ((), [("leaf", ("leaf3",))])


@pytest.mark.parametrize("nodes", [8, 16])
def test_a_slow_pair_of_sound_nodes_among_few(nodes: int) -> None:
    for seed in range(10):
        cluster = SimulatedCluster(fabric(nodes), node_pairs={("n002", "n007"): 0.3}, seed=seed)
        verdict = found(cluster, seed=seed)
        assert (verdict.bad, [(path.kind, path.ends) for path in verdict.paths], verdict.untried_pairs) == (
            (),
            [("nodes", ("n002", "n007"))],
            0,
        )


def test_paths_that_nobody_tried_are_said() -> None:
    verdict = found(SimulatedCluster(fabric(64)))
    assert verdict.is_healthy
    assert verdict.untried_pairs == 64 * 63 // 2 - 32
    assert "untried  1,984 pairs of nodes" in isolation_text(verdict, 64)


@pytest.mark.parametrize("noise", [Noise(), Noise(heavy=0.01, leaf=0.01, drift=0.03)], ids=["plain", "other"])
def test_clusters_of_1250_nodes(noise: Noise) -> None:
    """A part of what `make score` measures."""
    for seed in range(5):
        cluster = made_cluster(seed, leaf_pairs=1, noise=noise)
        verdict = found(cluster, seed=seed)
        assert {bad.name for bad in verdict.bad} == cluster.sick
        assert [path.ends for path in verdict.paths if path.kind == "leaves"] in ([*cluster.leaf_pairs], [])


def test_healthy_clusters_blame_nobody() -> None:
    for seed in range(10):
        verdict = found(made_cluster(seed, nodes=300, sick=0), seed=seed)
        assert (verdict.bad, verdict.paths) == ((), ())


def test_where_most_are_slow_the_median_is_doubted() -> None:
    cluster = SimulatedCluster(fabric(16), nodes={f"n{number:03}": 0.4 for number in range(1, 12)})
    verdict = found(cluster)
    assert not verdict.is_healthy
    known = found(SimulatedCluster(fabric(16), nodes=cluster.nodes), usual_gbs=390.0)
    assert {bad.name for bad in known.bad} == set(cluster.nodes)


@given(st.integers(2, 40), st.integers(0, 7), st.integers(0, 1000))
@settings(max_examples=60)
def test_a_round_has_nobody_twice_and_leaves_nobody_out(nodes: int, per_leaf: int, seed: int) -> None:
    every = fabric(nodes, per_leaf)
    groups = first_round(every, seed).groups
    placed = [node for group in groups for node in group]
    assert sorted(placed) == sorted(every.nodes)
    assert {len(group) for group in groups} <= {2, 3}


@given(
    st.integers(3, 24),
    st.integers(0, 6),
    st.dictionaries(st.integers(1, 24), st.floats(0, 0.9), max_size=3),
    st.integers(0, 1000),
)
@settings(max_examples=60)
@example(nodes=9, per_leaf=2, sick={1: 0.125, 3: 2.866492940882607e-11, 5: 0.0}, seed=0)
def test_any_cluster_gives_an_answer_and_rounds_are_disjoint(
    nodes: int, per_leaf: int, sick: dict[int, float], seed: int
) -> None:
    cluster = SimulatedCluster(fabric(nodes, per_leaf), seed=seed)
    cluster.nodes = {f"n{number:03}": share for number, share in sick.items() if number <= nodes}
    search = Search(cluster.fabric, seed=seed)
    while groups := search.plan().groups:
        placed = [node for group in groups for node in group]
        assert len(placed) == len(set(placed))
        search.add(list(zip(groups, cluster.measure(groups), strict=True)))
    verdict = search.verdict()
    assert {bad.name for bad in verdict.bad}.isdisjoint(verdict.good)
    assert isolation_text(verdict, nodes)


def test_measured_by_others() -> None:
    """All pairs of five nodes, once: n3 is slow with everybody; one pair of others was slow, once."""
    names = ("n1", "n2", "n3", "n4", "n5")
    pairs = [(one, other) for index, one in enumerate(names) for other in names[index + 1 :]]
    outcomes = [Outcome(pair, 50.0 if "n3" in pair else 70.0 if pair == ("n1", "n5") else 100.0, 1) for pair in pairs]
    verdict = Search(Fabric(names), most_rounds=0, usual_gbs=100.0, known=outcomes).verdict()
    assert [bad.name for bad in verdict.bad] == ["n3"]
    assert [(each.nodes, each.test) for each in verdict.open] == [(("n1", "n5"), (("n1", "n5"),))]


@given(st.integers(2, 9), st.data())
@settings(max_examples=40)
def test_what_was_not_tried_is_counted_as_it_is_named(count: int, data: st.DataObject) -> None:
    nodes = tuple(f"n{number}" for number in range(count))
    groups = data.draw(st.lists(st.lists(st.sampled_from(nodes), min_size=2, max_size=3), max_size=12))
    outcomes = [Outcome(tuple(group), 1.0, 1) for group in groups]
    cleared = frozenset(data.draw(st.lists(st.sampled_from(nodes))))
    fabric = Fabric(nodes, {node: f"leaf{index % 3}" for index, node in enumerate(nodes)})
    assert count_untried_pairs(cleared, outcomes) == len(untried_pairs(cleared, outcomes))
    assert count_untried_leaves(fabric, cleared, outcomes) == len(untried_leaves(fabric, cleared, outcomes))


def test_pairs_of_many_nodes_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand nodes have fifty million pairs: to hold them took gigabytes."""
    monkeypatch.setattr("slowlink.isolate.untried.combinations", None)
    nodes = tuple(f"n{number}" for number in range(600))
    outcomes = [Outcome((nodes[index], nodes[(index + step) % 600]), 1.0, 1) for index in range(600) for step in (1, 7)]
    found = Search(Fabric(nodes), most_rounds=0, known=outcomes).verdict()
    assert found.untried_pairs == 600 * 599 // 2 - 1200
