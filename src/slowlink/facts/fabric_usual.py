"""What most links of a switch run at: the measure for one of them, where a port does not tell what it supports."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.facts.fabric import Picture, node_of, usual

_FEWEST = 4
"""Links among which one can be usual."""


def told(picture: Picture, port: str) -> bool:
    """Is it known what kind of node this port belongs to?"""
    return picture.is_switch(node_of(port)) or picture.host(port) != ""


def usual_rates(picture: Picture) -> dict[tuple[str, bool], tuple[int | None, int | None]]:
    """For each switch, and for its links to switches and to adapters: the lanes and the speed that most have.

    Where a switch has too few such links, the speed of all links of that kind counts; where its links do not tell the
    lanes, or have one, those of the whole fabric do, since no cable and no split port is made with one lane. Speeds in
    Mb/s of a lane.
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
    lanes = usual([width for widths, _ in found.values() for width in widths], least=_FEWEST)
    of_kind = {
        kind: [speed for key, (_, speeds) in found.items() if key[1] is kind for speed in speeds]
        for kind in (False, True)
    }
    return {
        key: (_lanes(widths, lanes), usual(speeds if len(speeds) >= _FEWEST else of_kind[key[1]], least=_FEWEST))
        for key, (widths, speeds) in found.items()
    }


def _lanes(widths: Sequence[int], of_all: int | None) -> int | None:
    own = usual(widths, least=_FEWEST)
    return own if own is not None and own > 1 else of_all or own
