"""The InfiniBand fabric: links joined from both ends, in the pictures that were taken of it.

A picture is what one node saw at one time (or what one source says). Everything here takes time linear in the number of
readings: fabrics have ten thousand ports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from slowlink.model.state import Reading
from slowlink.patterns import regex

PORT = "fabric-port"
"""Kind of the parts that are ports of the fabric."""

_DEVICE = regex(r"(?P<host>\S{1,100}) (?P<device>[\w.-]{1,40})")


class FabricPort(Struct, frozen=True):
    """One end of a link, as far as it was read."""

    name: str
    """``leaf1/5``, ``node03 mlx5_0/1``."""
    said: Mapping[str, Reading]
    """The last reading of each attribute."""

    def text(self, attribute: str) -> str | None:
        """A value that is text."""
        value = self.said[attribute].value if attribute in self.said else None
        return value if isinstance(value, str) else None

    def number(self, attribute: str) -> float | None:
        """A value that is a number."""
        value = self.said[attribute].value if attribute in self.said else None
        return None if isinstance(value, str | bool) or value is None else value

    @property
    def peer(self) -> str | None:
        """The port at the other end."""
        return self.text("link-peer")

    @property
    def down(self) -> bool:
        """Was it seen without a link? Not known is not down."""
        connected = self.said.get("link-connected")
        return self.text("link-state") == "Down" or (connected is not None and connected.value is False)


class Picture(Struct, frozen=True):
    """The fabric as it was seen once."""

    asked: str
    """The node that was asked, or the source."""
    at: float | None
    ports: Mapping[str, FabricPort]
    types: Mapping[str, str]
    """Kind of each node, as far as told: ``switch``, ``ca``."""
    by_node: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ports of each node."""

    def is_switch(self, node: str) -> bool:
        """Is this node a switch? A node whose description names host and device is none."""
        return self.types.get(node) == "switch"

    def host(self, port: str) -> str:
        """``node03`` for a port of an adapter; "" for a switch's and for what nobody named."""
        node = node_of(port)
        kind = self.types.get(node)
        is_adapter = kind == "ca" or (kind is None and _DEVICE.fullmatch(node) is not None)
        return host_of(node) if is_adapter else ""

    def whole(self) -> bool:
        """Does every node at the other end of a link have ports of its own here? Not when the output was cut off, and
        not for adapters when switches alone were asked."""
        adapters = any(self.host(next(iter(names))) for names in self.by_node.values())
        peers = {node_of(port.peer) for port in self.ports.values() if port.peer is not None}
        return all(peer in self.by_node or (not adapters and self.host(f"{peer}/1")) for peer in peers)

    def links(self) -> list[tuple[FabricPort, str]]:
        """Each link once: the end that was read first, and the name of the other one."""
        seen: set[str] = set()
        found = []
        for port in self.ports.values():
            if port.peer is not None and port.name not in seen:
                seen.add(port.peer)
                found.append((port, port.peer))
        return found


def node_of(port: str) -> str:
    """``leaf1/5`` to ``leaf1``."""
    return port.rsplit("/", 1)[0]


def host_of(node: str) -> str:
    """The host of an adapter: ``node03 mlx5_0`` to ``node03``."""
    if node.startswith(("0x", "lid ")):
        return ""
    found = _DEVICE.fullmatch(node)
    return found["host"] if found is not None else node


def pictures(readings: Iterable[Reading]) -> list[Picture]:
    """What was seen, in order of time where it is known, else of appearance."""
    ports: dict[tuple[str, str, float | None], dict[str, dict[str, Reading]]] = {}
    types: dict[tuple[str, str, float | None], dict[str, str]] = {}
    for reading in readings:
        key = (reading.host or "", reading.ref.source, reading.at)
        if reading.part.kind == PORT:
            ports.setdefault(key, {}).setdefault(reading.part.name, {})[reading.attribute] = reading
        elif reading.attribute == "fabric-node-type":
            types.setdefault(key, {})[reading.part.name] = str(reading.value)
    found = [_picture(key, seen, types.get(key, {})) for key, seen in ports.items()]
    return sorted(found, key=lambda picture: picture.at or 0.0)


def _picture(
    key: tuple[str, str, float | None], seen: Mapping[str, Mapping[str, Reading]], types: Mapping[str, str]
) -> Picture:
    ports = {name: FabricPort(name, said) for name, said in seen.items()}
    by_node: dict[str, list[str]] = {}
    for name in ports:
        by_node.setdefault(node_of(name), []).append(name)
    return Picture(key[0], key[2], ports, types, {node: tuple(names) for node, names in by_node.items()})


def usual(values: Iterable[int], least: int = 3, share: float = 0.75) -> int | None:
    """The value that at least ``share`` of ``least`` or more have; None when they differ."""
    counts = Counter(values)
    if counts.total() < least:
        return None
    value, count = counts.most_common(1)[0]
    return value if count >= share * counts.total() else None


def now(readings: Iterable[Reading]) -> list[Picture]:
    """One picture for each node or source that was asked, with the last that each tool said there."""
    merged: dict[str, dict[str, dict[str, Reading]]] = {}
    types: dict[str, dict[str, str]] = {}
    for picture in pictures(readings):
        types.setdefault(picture.asked, {}).update(picture.types)
        ports = merged.setdefault(picture.asked, {})
        for name, port in picture.ports.items():
            ports.setdefault(name, {}).update(port.said)
    return [_picture((asked, "", None), seen, types[asked]) for asked, seen in merged.items()]
