from __future__ import annotations

import pytest
from sample_reports import degraded, hostile, many_nodes, picture

from slowlink.model.report import Edge, TransportPicture
from slowlink.report.transport_cards import cards, way_of


@pytest.mark.parametrize(
    ("transport", "gdr", "kind"),
    [
        ("P2P/CUMEM", None, "p2p"),
        ("SHM", None, "shm"),
        ("NET/IB", True, "gdr"),
        ("NET/IB", False, "nogdr"),
        ("NET/AWS Libfabric", None, "net"),
        ("NET/Socket", False, "socket"),
        ("COLLNET/SHARP", True, "gdr"),
        ("carrier pigeon", None, "other"),
    ],
)
def test_edges_have_a_class(transport: str, gdr: bool | None, kind: str) -> None:
    assert way_of(Edge("a", "b", transport, gdr, 1)) == kind


def test_the_node_that_differs_stands_out() -> None:
    transports = degraded().transports
    assert transports is not None
    odd, usual = cards(transports)
    assert (odd.title, odd.caption, odd.suspicious) == ("node07", "ranks 16-23", True)
    assert (usual.title, usual.caption, usual.suspicious) == ("node[05-06,08]", "3 nodes alike, 8 ranks each", False)
    assert "NET/IB without GDR" in odd.svg
    assert "NET/IB with GDR" in usual.svg


def test_a_slow_way_that_all_nodes_share_singles_nobody_out() -> None:
    made = cards(picture({"a1": False, "a2": False}))
    assert [(card.title, card.suspicious) for card in made] == [("a[1-2]", False)]


def test_many_equal_nodes_are_one_card() -> None:
    transports = many_nodes().transports
    assert transports is not None
    assert [card.nodes for card in cards(transports)] == [12, 52]


def test_hostile_names_are_text_in_the_drawing() -> None:
    transports = hostile().transports
    assert transports is not None
    assert all("<script" not in card.svg for card in cards(transports))


def test_ranks_whose_node_is_unknown_share_one_card() -> None:
    edges = (
        Edge("rank 2", "rank 1", "P2P/CUMEM", None, 1),
        Edge("rank 4", "rank 2", "SHM", None, 1),
        Edge("rank 0", "rank 8", "NET/IB", True, 1),
    )
    (card,) = cards(TransportPicture((), (("?", ("mlx5_0:1/IB",)),), edges))
    assert (card.title, card.caption) == ("ranks on unknown nodes", "ranks 0-2,4,8")
    assert card.kinds == {"p2p", "shm", "gdr"}
    assert "mlx5_0:1/IB" in card.svg


def test_a_picture_without_edges_is_its_nodes() -> None:
    (card,) = cards(TransportPicture((("n1", (0, 1)),), (), ()))
    assert (card.title, card.kinds) == ("n1", frozenset())
    assert cards(TransportPicture()) == ()
