"""Links of the fabric that are not there and should be: against an earlier picture, and against peers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from slowlink.facts.fabric import FabricPort, Picture, node_of, usual
from slowlink.model.report import Confidence
from slowlink.model.state import Reading
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_phrases import link, some

Leaf = Mapping[int, bool]
"""Number of each linked port, and whether it leads to a switch."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Links that are missing."""

    text: str
    ports: tuple[str, ...]
    shown: tuple[Reading, ...]
    confidence: Confidence
    hosts: tuple[str, ...] = ()


def lost_links(earlier: Picture, later: Picture) -> Iterator[Gap]:
    """Ports that had a peer, and have none now although their node is still seen."""
    gone: dict[str, FabricPort] = {}
    whole = later.whole()
    for name, port in earlier.ports.items():
        if port.peer is not None and port.peer not in gone and _lost(name, later, whole):
            gone[name] = port
    if gone:
        said = [link(port.name, port.peer) for port in gone.values()]
        shown = [port.said["link-peer"] for port in gone.values()]
        shown += [later.ports[name].said["link-state"] for name in gone if _state_told(later, name)]
        names = tuple(name for port in gone.values() for name in (port.name, port.peer or "") if name)
        yield Gap(f"{counted(len(gone), 'link')} of the fabric went down: {some(said)}", names, tuple(shown), "certain")


def _lost(name: str, later: Picture, whole: bool) -> bool:
    after = later.ports.get(name)
    if after is not None:
        return after.down and after.peer is None
    return whole and any(later.ports[port].peer is not None for port in later.by_node.get(node_of(name), ()))


def _state_told(picture: Picture, port: str) -> bool:
    return port in picture.ports and "link-state" in picture.ports[port].said


def poor_hosts(picture: Picture) -> Iterator[Gap]:
    """Hosts with fewer linked adapters than most of their kind, which their names tell."""
    linked = _adapters(picture)
    kinds: dict[str, list[str]] = {}
    for host in linked:
        kinds.setdefault(re.sub(r"\d+", "0", host), []).append(host)
    for hosts in kinds.values():
        most = usual(len(linked[host]) for host in hosts)
        few = [host for host in hosts if most is not None and len(linked[host]) < most]
        if few:
            devices = Counter(device for host in hosts for device in linked[host])
            missing = [f"{host} {device}" for host in few for device in devices if _is_usual(devices, device, hosts)
                       and device not in linked[host]]  # fmt: skip
            said = [f"{host} has {counted(len(linked[host]), 'linked adapter')}" for host in few]
            absent = f" ({some(missing)} missing)" if missing else ""
            text = f"{some(said)}{absent}; {len(hosts) - len(few)} other hosts have {most}"
            shown = [reading for host in few for reading in linked[host].values()]
            yield Gap(text, tuple(missing), tuple(shown), "likely", tuple(few))


def _is_usual(devices: Mapping[str, int], device: str, hosts: Sequence[str]) -> bool:
    return devices[device] >= 0.75 * len(hosts)


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
        holes = [port for port in used if port not in leaf and used[port] == len(leaves) - 1 > 1]
        up, where = sum(leaf.values()), [f"{name}/{port}" for port in holes if uplinks[port] == len(leaves) - 1]
        if most is not None and up < most:
            text = f"{name} has {counted(up, 'link')} to other switches, its siblings have {most}{_are_down(where)}"
            # A port that all siblings use that way is a lost link; without one the leaf may have been built so.
            sure: Confidence = "likely" if where else "possible"
            yield Gap(text, tuple(where), _shown(picture, name, where), sure)
        empty = [f"{name}/{port}" for port in holes if uplinks[port] == 0]
        if empty and len(empty) * 4 <= len(leaf):
            text = f"no link{_are_down(empty).replace(';', ':')}, where the other leaf switches have hosts"
            yield Gap(text, tuple(empty), _shown(picture, name, empty), "possible")


def _are_down(ports: Sequence[str]) -> str:
    return f"; {some(ports)} {'is' if len(ports) == 1 else 'are'} down" if ports else ""


def _leaves(picture: Picture) -> dict[str, Leaf]:
    """Switches that have hosts."""
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
