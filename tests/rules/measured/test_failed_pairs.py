"""failed-pairs: a node that recurs, or pairs that share none."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import remedy_of

from slowlink.model.facts import Observations
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.measured.failed_pairs import Params, check


def _failed(*pairs: tuple[str, str]) -> list[Finding]:
    observations = [
        Observation("failed-pair", a, b, None, Ref("summary.txt", number, f"  - ({a}, {b})"))
        for number, (a, b) in enumerate(pairs, 1)
    ]
    return list(check(Observations(tuple(observations)), Params()))


def test_the_node_that_recurs_is_suspected() -> None:
    (found,) = _failed(("n1", "n7"), ("n2", "n7"), ("n7", "n9"), ("n3", "n4"))
    assert (found.cause, found.confidence, found.message) == snapshot(
        ("straggler-node", "possible", "n7 is in 3 of the 4 pairs that failed")
    )
    assert [s.name for s in found.suspects] == ["n7"]
    assert [e.line for e in found.evidence] == [1, 2, 3]


def test_pairs_without_a_common_node_are_paths() -> None:
    (found,) = _failed(("n1", "n2"), ("n3", "n4"), ("n5", "n6"), ("n7", "n8"))
    assert found.cause == "slow-path"
    assert found.message == snapshot(
        "4 pairs of nodes failed (n1 - n2, n3 - n4, n5 - n6, n7 - n8), and no node recurs in most of them"
    )


def test_no_failed_pair_finds_nothing() -> None:
    other = Observation("governor", "cpu0", "performance", None, Ref("node.txt", 1))
    assert list(check(Observations((other,)), Params())) == []


def test_it_says_what_to_do() -> None:
    (node,) = _failed(("n1", "n7"), ("n2", "n7"), ("n7", "n9"), ("n3", "n4"))
    (paths,) = _failed(("n1", "n2"), ("n3", "n4"), ("n5", "n6"), ("n7", "n8"))
    assert [remedy_of(node), remedy_of(paths)] == snapshot(
        [
            [("Test the node with two other partners, and its partners with one another.", "")],
            [("Test these pairs again, to tell a path from a moment.", "")],
        ]
    )
