from __future__ import annotations

import pytest
from sample_reports import degraded, hostile, many_nodes, picture

from slowlink.model.facts import Communicators, Facts, Network, Sources, Transports
from slowlink.model.nccl import ChannelEdge, LogProcess, NetDevice
from slowlink.model.report import Edge, TransportPicture
from slowlink.model.source import Ref
from slowlink.report.transport_cards import cards, way_of
from slowlink.report.transports import picture as picture_of

REF = Ref("job.log", 1)


def channel(src: int, dst: int, via: str, gdr: bool | None, side: str | None, channels: int = 4) -> ChannelEdge:
    process = LogProcess("node1", 10)
    return ChannelEdge(process, src, dst, "0", "0", side, via, via, None, None, gdr, False, None, channels, REF)


def facts(edges: tuple[ChannelEdge, ...], hosts: dict[int, str]) -> Facts:
    device = NetDevice("IB", 0, "mlx5_0", 1, "IB", 400.0, LogProcess("node1", 10), REF)
    return Facts(
        sources=Sources(()),
        communicators=Communicators((), (), len(hosts), tuple(sorted(set(hosts.values()))), hosts, ()),
        transports=Transports(edges, (), (), None, False),
        network=Network((), (device,), (), (), (), None),
    )


def test_channels_become_edges_between_nodes() -> None:
    edges = (
        channel(0, 1, "P2P/CUMEM", None, None, 16),
        channel(1, 2, "NET/IB", True, "send"),
        channel(1, 2, "NET/IB", False, "receive"),
    )
    made = picture_of(facts(edges, {0: "node1", 1: "node1", 2: "node2", 3: "node2"}))
    assert made == TransportPicture(
        nodes=(("node1", (0, 1)), ("node2", (2, 3))),
        devices=(("node1", ("mlx5_0:1/IB",)),),
        edges=(
            Edge("node1", "node1", "P2P/CUMEM", None, 16),
            Edge("node1", "node2", "NET/IB", True, 4),
            # The receiver's side: its own node is without GPUDirect RDMA.
            Edge("node2", "node1", "NET/IB", False, 4),
        ),
    )


def test_a_rank_without_a_known_node_stands_for_itself() -> None:
    made = picture_of(facts((channel(0, 9, "NET/Socket", None, "send"),), {0: "node1"}))
    assert made is not None
    assert made.nodes == (("node1", (0,)), ("rank 9", (9,)))


def test_no_channel_is_no_picture() -> None:
    assert picture_of(facts((), {0: "node1"})) is None
    assert picture_of(Facts(sources=Sources(()))) is None


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
