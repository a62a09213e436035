"""What most links of a switch run at: the measure for one of them, where a port does not tell what it supports."""

from __future__ import annotations

from slowlink.facts.fabric import Picture, node_of, usual


def told(picture: Picture, port: str) -> bool:
    """Is it known what kind of node this port belongs to?"""
    return picture.is_switch(node_of(port)) or picture.host(port) != ""


def usual_rates(picture: Picture) -> dict[tuple[str, bool], tuple[int | None, int | None]]:
    """For each switch, and for its links to switches and to adapters: the lanes and the speed that most have.

    Speeds in Mb/s of a lane.
    """
    found: dict[tuple[str, bool], tuple[list[int], list[int]]] = {}
    for port in picture.ports.values():
        if port.peer is None or not picture.is_switch(node_of(port.name)):
            continue
        widths, speeds = found.setdefault((node_of(port.name), picture.is_switch(node_of(port.peer))), ([], []))
        if (width := port.number("link-width")) is not None:
            widths.append(int(width))
        if (speed := port.number("link-speed")) is not None and told(picture, port.peer):
            speeds.append(round(speed * 1000))
    return {key: (usual(widths, least=4), usual(speeds, least=4)) for key, (widths, speeds) in found.items()}
