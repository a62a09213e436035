"""The transport and NIC picture: a card for each kind of node, with its ranks, its devices and the ways it talks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.report import Edge, TransportPicture
from slowlink.patterns import regex
from slowlink.report.drawing import Drawing
from slowlink.report.folding import fold_groups, fold_names
from slowlink.report.wording import count

_WIDTH = 250.0
_RANK, _GAP, _RANKS_PER_ROW, _MAX_RANKS = 24.0, 4.0, 8, 16
_LINE = 20.0
_MAX_CARDS = 24
_TEXT_LIMIT = 32
_RANK_NAME = regex(r"rank ([0-9]{1,9})")
_NAMELESS = "ranks on unknown nodes"
_UNKNOWN = "?"
"""Stands in the picture for the host of devices whose host the log does not tell."""

CLASSES: tuple[tuple[str, str], ...] = (
    ("p2p", "GPU to GPU (NVLink or PCIe peer-to-peer)"),
    ("shm", "through host memory inside the node"),
    ("gdr", "network with GPUDirect RDMA (GDR)"),
    ("nogdr", "network without GPUDirect RDMA (GDR)"),
    ("net", "network, GPUDirect RDMA unknown"),
    ("socket", "TCP sockets"),
    ("other", "other"),
)
"""(class, what it means), from fast to slow."""


class Way(Struct, frozen=True):
    """One way in which a node talks."""

    kind: str
    transport: str
    channels: int

    @property
    def label(self) -> str:
        """``NET/IB without GDR``."""
        gdr = {"gdr": " with GDR", "nogdr": " without GDR"}.get(self.kind, "")
        return _cut(f"{self.transport}{gdr}")


class Card(Struct, frozen=True):
    """Nodes that look alike."""

    title: str
    nodes: int
    caption: str
    svg: str
    suspicious: bool
    """Some of its traffic goes a slow way that other nodes' does not."""
    kinds: frozenset[str]
    """Classes of the ways it draws, for the legend."""


def way_of(edge: Edge) -> str:
    """Class of an edge: ``p2p shm gdr nogdr net socket other``."""
    name = edge.transport.upper()
    if name.startswith("P2P"):
        return "p2p"
    if name.startswith("SHM"):
        return "shm"
    if "SOCKET" in name:
        return "socket"
    if name.startswith(("NET", "COLLNET")):
        return {True: "gdr", False: "nogdr", None: "net"}[edge.gdr]
    return "other"


def _ways(edges: Iterable[Edge]) -> tuple[Way, ...]:
    channels: dict[tuple[str, str], int] = {}
    for edge in edges:
        key = (way_of(edge), edge.transport)
        channels[key] = channels.get(key, 0) + edge.channels
    order = [name for name, _ in CLASSES]
    ways = [Way(kind, transport, total) for (kind, transport), total in channels.items()]
    return tuple(sorted(ways, key=lambda way: (order.index(way.kind), way.transport)))


class _Member(NamedTuple):
    """A node and the ways in which it talks inside itself and with others."""

    host: str
    ranks: tuple[int, ...]
    inside: tuple[Way, ...]
    outside: tuple[Way, ...]


class _Look(Struct, frozen=True):
    """What makes two nodes look alike."""

    ranks: int
    devices: tuple[str, ...]
    inside: tuple[tuple[str, str], ...]
    outside: tuple[tuple[str, str], ...]


def cards(picture: TransportPicture) -> tuple[Card, ...]:
    """One card for each look, in order of first appearance; those that stand out come first.

    An edge counts for its receiving end: picture edges carry that side's use of GPUDirect RDMA. Ranks whose node the
    log does not tell share one card.
    """
    nodes, edges, devices = _known(picture)
    own: dict[str, list[Edge]] = {}
    for edge in edges:
        own.setdefault(edge.dst, []).append(edge)
    looks: dict[_Look, list[_Member]] = {}
    for host, ranks in nodes.items():
        mine = own.get(host, [])
        inside = _ways(edge for edge in mine if _is_inside(edge))
        outside = _ways(edge for edge in mine if not _is_inside(edge))
        look = _Look(len(ranks), devices.get(host, devices.get(_UNKNOWN, ())), _kinds(inside), _kinds(outside))
        looks.setdefault(look, []).append(_Member(host, ranks, inside, outside))
    slow = {"nogdr", "socket", "shm"}
    every = [{kind for kind, _ in (*look.inside, *look.outside)} & slow for look in looks]
    usual = set.intersection(*every) if every else set()
    made = [
        _card(members, look, bool(kinds - usual)) for (look, members), kinds in zip(looks.items(), every, strict=True)
    ]
    return tuple(sorted(made, key=lambda card: not card.suspicious))[:_MAX_CARDS]


def _is_inside(edge: Edge) -> bool:
    return edge.src == edge.dst or way_of(edge) in ("p2p", "shm")


def _known(
    picture: TransportPicture,
) -> tuple[dict[str, tuple[int, ...]], list[Edge], dict[str, tuple[str, ...]]]:
    """Nodes, edges and devices, in which every rank without a node belongs to one nameless node."""
    nodes = dict(picture.nodes)
    lost: set[int] = set()

    def node(name: str) -> str:
        match = _RANK_NAME.fullmatch(name)
        if name in nodes or match is None:
            nodes.setdefault(name, ())
            return name
        lost.add(int(match.group(1)))
        return _NAMELESS

    edges = [replace(edge, src=node(edge.src), dst=node(edge.dst)) for edge in picture.edges]
    if lost:
        nodes[_NAMELESS] = tuple(sorted(lost))
    return nodes, edges, dict(picture.devices)


def _kinds(ways: tuple[Way, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((way.kind, way.transport) for way in ways)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 3] + "..."


def _card(members: list[_Member], look: _Look, suspicious: bool) -> Card:
    first = members[0]
    hosts = fold_names(member.host for member in members)
    numbers = fold_names(str(rank) for rank in first.ranks)
    caption = f"rank {numbers}" if look.ranks == 1 else f"ranks {numbers.strip('[]') or 'unknown'}"
    if len(members) > 1:
        caption = f"{count(len(members), 'node')} alike, {count(look.ranks, 'rank')} each"
    names = list(range(look.ranks)) if len(members) > 1 else list(first.ranks)
    svg = _draw(hosts, names, look.devices, first.inside, first.outside)
    kinds = frozenset(way.kind for way in (*first.inside, *first.outside))
    return Card(hosts, len(members), caption, svg, suspicious, kinds)


def _draw(
    hosts: str, ranks: list[int], devices: tuple[str, ...], inside: tuple[Way, ...], outside: tuple[Way, ...]
) -> str:
    shown = ranks[:_MAX_RANKS]
    rank_rows = -(-len(shown) // _RANKS_PER_ROW)
    chips = [_cut(name) for name in fold_groups(devices)][:4]
    rank_bottom = 10 + rank_rows * (_RANK + _GAP)
    inside_bottom = rank_bottom + len(inside) * _LINE + (4 if inside else 0)
    box_bottom = inside_bottom + len(chips) * (_LINE + 2) + 8
    height = box_bottom + (len(outside) * _LINE + 34 if outside else 2)
    words = "; ".join(way.label for way in (*inside, *outside))
    svg = Drawing(_WIDTH, height, f"{hosts}: {words or 'no channels'}", "node")
    svg.rect(1, 1, _WIDTH - 2, box_bottom - 1, "box", 8)
    for index, rank in enumerate(shown):
        row, column = divmod(index, _RANKS_PER_ROW)
        x, y = 14 + column * (_RANK + _GAP), 10 + row * (_RANK + _GAP)
        svg.rect(x, y, _RANK, _RANK, "rank", 4)
        last = index == _MAX_RANKS - 1 and len(ranks) > _MAX_RANKS
        svg.text(x + _RANK / 2, y + 16, "..." if last else str(rank), "rank-name", "middle")
    for index, way in enumerate(inside):
        y = rank_bottom + 10 + index * _LINE
        svg.line(14, y, 50, y, f"way {way.kind}")
        svg.text(58, y + 4, way.label, "way-name")
    for index, chip in enumerate(chips):
        y = inside_bottom + index * (_LINE + 2)
        svg.rect(14, y, _WIDTH - 28, _LINE - 1, "nic", 4)
        svg.text(22, y + 13.5, chip, "nic-name")
    if outside:
        fabric = height - 20
        for index, way in enumerate(outside):
            x, y = 24 + index * 12, box_bottom + 14 + index * _LINE
            svg.line(x, box_bottom, x, fabric, f"way {way.kind}")
            svg.text(34 + 12 * (len(outside) - 1), y + 4, way.label, "way-name")
        svg.rect(0, fabric, _WIDTH, 18, "fabric")
        svg.text(_WIDTH / 2, fabric + 12.5, "network", "fabric-name", "middle")
    return svg.markup()
