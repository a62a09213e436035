"""Links of the fabric that are missing: compared with an earlier picture, with other hosts, and with other leaves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from slowlink.facts.fabric import FabricPort, Picture, node_of, usual
from slowlink.model.report import Confidence
from slowlink.model.state import Reading
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_phrases import link, some

_MOST = 0.75
"""Share of hosts that have what is usual, as in ``facts.fabric.usual``."""
_FEW_HOLES = 0.25
"""Holes of a leaf per linked port, up to which it is no smaller leaf."""

Leaf = Mapping[int, bool]
"""Of a leaf switch: the number of each linked port -> whether the link leads to a switch."""


class Gap(Struct, frozen=True):
    """Links that are missing."""

    text: str
    """The finding's message."""
    ports: tuple[str, ...]
    """Ports of the fabric; of ``hosts`` their missing adapters (``node03 mlx5_0``)."""
    shown: tuple[Reading, ...]
    """Readings that show it."""
    confidence: Confidence
    hosts: tuple[str, ...] = ()
    """Hosts with too few adapters; () for gaps of other kinds."""


def lost_links(earlier: Picture, later: Picture) -> Iterator[Gap]:
    """Ports that had a peer, and have none now although their node is still seen."""
    gone: dict[str, FabricPort] = {}
    whole = later.whole()
    for name, port in earlier.ports.items():
        if port.peer is not None and port.peer not in gone and _lost(name, later, whole):
            gone[name] = port
    if gone:
        links = [link(port.name, port.peer) for port in gone.values()]
        shown = [port.said["link-peer"] for port in gone.values()]
        shown += [later.ports[name].said["link-state"] for name in gone if _has_state(later, name)]
        names = tuple(name for port in gone.values() for name in (port.name, port.peer or "") if name)
        yield Gap(
            f"{counted(len(gone), 'link')} of the fabric went down: {some(links)}", names, tuple(shown), "certain"
        )


def _lost(name: str, later: Picture, whole: bool) -> bool:
    """Is the port shown without a link? One not shown counts in a whole picture, if its node has other links."""
    after = later.ports.get(name)
    if after is not None:
        return after.down and after.peer is None
    return whole and any(later.ports[port].peer is not None for port in later.by_node.get(node_of(name), ()))


def _has_state(picture: Picture, port: str) -> bool:
    return port in picture.ports and "link-state" in picture.ports[port].said


def poor_hosts(picture: Picture) -> Iterator[Gap]:
    """Hosts with fewer linked adapters than most of their kind: hosts whose names differ in digits only."""
    linked = _adapters(picture)
    kinds: dict[str, list[str]] = {}
    for host in linked:
        kinds.setdefault(re.sub(r"\d+", "0", host), []).append(host)
    for hosts in kinds.values():
        most = usual(len(linked[host]) for host in hosts)
        few = [host for host in hosts if most is not None and len(linked[host]) < most]
        if few:
            devices = Counter(device for host in hosts for device in linked[host])
            common = [device for device, count in devices.items() if count >= _MOST * len(hosts)]
            missing = [f"{host} {device}" for host in few for device in common if device not in linked[host]]
            said = [f"{host} has {counted(len(linked[host]), 'linked adapter')}" for host in few]
            absent = f" ({some(missing)} missing)" if missing else ""
            text = f"{some(said)}{absent}; {len(hosts) - len(few)} other hosts have {most}"
            shown = [reading for host in few for reading in linked[host].values()]
            yield Gap(text, tuple(missing), tuple(shown), "likely", tuple(few))


def _adapters(picture: Picture) -> dict[str, dict[str, Reading]]:
    """Host -> its linked devices, with a line that shows each."""
    linked: dict[str, dict[str, Reading]] = {}
    for port in picture.ports.values():
        if port.peer is None:
            continue
        for name in (port.name, port.peer):
            host, blank, device = node_of(name).partition(" ")
            if blank and picture.host(name) == host:
                linked.setdefault(host, {}).setdefault(device, port.said["link-peer"])
    return linked


def poor_leaves(picture: Picture) -> Iterator[Gap]:
    """Leaf switches with fewer links to switches than most, and with holes where their siblings have hosts."""
    leaves = _leaves(picture)
    most = usual(sum(leaf.values()) for leaf in leaves.values())
    used = Counter(port for leaf in leaves.values() for port in leaf)
    uplinks = Counter(port for leaf in leaves.values() for port, to_switch in leaf.items() if to_switch)
    for name, leaf in leaves.items():
        # Ports that all other leaves use. With fewer than three leaves nothing is usual.
        holes = [port for port in used if port not in leaf and used[port] == len(leaves) - 1 > 1]
        up, where = sum(leaf.values()), [f"{name}/{port}" for port in holes if uplinks[port] == len(leaves) - 1]
        if most is not None and up < most:
            text = f"{name} has {counted(up, 'link')} to other switches, its siblings have {most}{_are_down(where)}"
            # A port that all siblings use that way is a lost link; without one the leaf may have been built so.
            sure: Confidence = "likely" if where else "possible"
            yield Gap(text, tuple(where), _shown(picture, name, where), sure)
        empty = [f"{name}/{port}" for port in holes if uplinks[port] == 0]
        if empty and len(empty) <= _FEW_HOLES * len(leaf):
            text = f"no link{_are_down(empty).replace(';', ':')}, where the other leaf switches have hosts"
            yield Gap(text, tuple(empty), _shown(picture, name, empty), "possible")


def _are_down(ports: Sequence[str]) -> str:
    """``; leaf2/6 is down``, after what is said; "" for no port."""
    return f"; {some(ports)} {'is' if len(ports) == 1 else 'are'} down" if ports else ""


def _leaves(picture: Picture) -> dict[str, Leaf]:
    """Switches that have hosts, by name."""
    found: dict[str, Leaf] = {}
    for node, names in picture.by_node.items():
        if not picture.is_switch(node):
            continue
        linked: dict[int, bool] = {}
        for name in names:
            peer = picture.ports[name].peer
            if peer is not None and (picture.host(peer) or picture.is_switch(node_of(peer))):
                linked[int(name.rsplit("/", 1)[1])] = picture.is_switch(node_of(peer))
        if not all(linked.values()):
            found[node] = linked
    return found


def _shown(picture: Picture, node: str, ports: Sequence[str]) -> tuple[Reading, ...]:
    """The lines of these ports, or of the node's links."""
    there = [picture.ports[name] for name in ports if name in picture.ports]
    there = there or [picture.ports[name] for name in picture.by_node.get(node, ())]
    return tuple(next(iter(port.said.values())) for port in there)
