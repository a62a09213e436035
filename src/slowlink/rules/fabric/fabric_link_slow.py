"""A link of the fabric trained to less than it can.

Both ends support more lanes (up to 4: ports name ``12X``, no cable has it) or a higher speed than the link uses, as
iblinkinfo notes with "Could be"; or a link has one lane where most links of its switch, or of the fabric, have more, or
where its own port supports four. Those are errors. A lower speed than most links of the switch (of the fabric, where
the switch has few) is a warning, unless the id of one device says that it can do no more, or the kind of the peer is
not known.

Why it matters: all traffic that is routed over the link goes at its rate; a host at its end slows every collective.
How to confirm: ``iblinkinfo`` for both ends; ``mlxlink -d lid-LID -p PORT -m -c`` for the cable's state.
What to do: reseat, clean or replace the cable or transceiver; look for a speed that was set by hand.
When it is wrong: adapters or cables of an older generation may belong there; then compare only links of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Struct

from slowlink.catalog.fabric_devices import fastest_lane
from slowlink.facts.fabric import FabricPort, Picture, node_of, now
from slowlink.facts.fabric_usual import told, usual_rates
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.parsers.fabric.rates import speed_name
from slowlink.rules.evidence.commands import as_description, command, piped
from slowlink.rules.evidence.findings import finding, lines_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, SLOW_LINK, link, port_suspects, rate, some

CAUSES = ("port-rate-low",)

LANES = 4
"""Lanes of a cable. Ports may support more, which no cable has."""
Links = Annotated[
    Readings,
    Of(
        "link-peer",
        "link-width",
        "link-speed",
        "link-width-max",
        "link-speed-max",
        "fabric-node-type",
        "fabric-node-device",
    ),
]


class Slow(Struct, frozen=True):
    """One link below what it should be."""

    port: FabricPort
    peer: str
    """"" where nobody asked what is there."""
    should: str
    """``4 lanes``, ``NDR``."""
    by: str
    """``both ends support``, or ``other links have``."""
    sure: bool
    """Is it a fault, or may a slower device belong there?"""


def check(
    links: Links, ports: Annotated[Readings, Of("link-width-supported", "link-state")] | None
) -> Iterator[Finding]:
    """One finding for all slow links of each fabric, those that both ends can do better first."""
    lanes = {r.part.name: fastest_lane(str(r.value)) for r in links.all if r.attribute == "fabric-node-device"}
    for picture in now((*links.all, *(ports.all if ports is not None else ()))):
        usuals = usual_rates(picture)
        found = [_slow(picture, usuals, port, peer) for port, peer in picture.links()]
        slow = [one for one in found if one is not None and (one.sure or not _at_its_best(one, lanes))]
        slow += _alone(picture)
        slow.sort(key=lambda found: not found.sure)
        if slow:
            yield _finding(picture, slow)


def _alone(picture: Picture) -> list[Slow]:
    """Ports whose other end nobody asked, up with one lane of the four that they support (``smpquery portinfo``). Two
    lanes may be half of a split cable."""
    return [
        Slow(port, "", f"{LANES} lanes", "the port supports", sure=True)
        for port in picture.ports.values()
        if port.peer is None and port.text("link-state") in ("Active", "Armed", "Init")
        if port.number("link-width") == 1 and (port.number("link-width-supported") or 0) >= LANES
    ]


def _at_its_best(slow: Slow, lanes: Mapping[str, float | None]) -> bool:
    """Can one end do no more, by its device id?"""
    speed = slow.port.number("link-speed") or 0.0
    return any(
        best is not None and best <= speed for best in (lanes.get(node_of(p)) for p in (slow.port.name, slow.peer))
    )


def _slow(
    picture: Picture, usuals: dict[tuple[str, bool], tuple[int | None, int | None]], port: FabricPort, peer: str
) -> Slow | None:
    """``usuals``: as ``usual_rates`` gives them."""
    ends = [port, *([picture.ports[peer]] if peer in picture.ports else [])]
    width, speed = port.number("link-width"), port.number("link-speed")
    lanes = max((min(most, LANES) for end in ends if (most := end.number("link-width-max")) is not None), default=0)
    fastest = max((most for end in ends if (most := end.number("link-speed-max")) is not None), default=0.0)
    if width is not None and width < lanes:
        return Slow(port, peer, f"{lanes:g} lanes", "both ends support", sure=True)
    if speed is not None and speed < fastest:
        return Slow(port, peer, speed_name(fastest), "both ends support", sure=True)
    for end in ends:
        other = node_of(end.peer or "")
        most, common = usuals.get((node_of(end.name), picture.is_switch(other)), (None, None))
        if width == 1 and most is not None and most > 1:
            return Slow(port, peer, f"{most} lanes", "other links have", sure=True)
        slower = speed is not None and common is not None and round(speed * 1000) < common
        if slower and common is not None and told(picture, end.peer or ""):
            return Slow(port, peer, speed_name(common / 1000), "other links have", sure=False)
    return None


def _finding(picture: Picture, slow: list[Slow]) -> Finding:
    links = [
        f"{link(found.port.name, found.peer) if found.peer else found.port.name} runs at {rate(found.port)}, "
        f"{found.by} {found.should}"
        for found in slow
    ]
    worst, sure = slow[0], slow[0].sure
    shown = [
        (found.port.said.get("link-speed") if found.peer else None) or found.port.said["link-width"] for found in slow
    ]
    they = "it" if len(slow) == 1 else "they"
    return finding(
        "port-rate-low",
        f"{counted(len(slow), 'link')} of the fabric below what {they} can do: {some(links)}",
        severity="error" if sure else "warning",
        confidence="likely" if sure else "possible",
        evidence=lines_evidence((reading.ref for reading in shown), 4),
        suspects=port_suspects(picture, (name for found in slow for name in (found.port.name, found.peer) if name)),
        explains=SLOW_LINK if sure else (),
        remedy=[
            ("See both ends, and what they support.", _find(node_of(worst.port.name))),
            ("Read the cable of the link.", "mlxlink -d lid-LID -p PORT -m -c"),
        ],
        references=[FABRIC_TOOLS],
    )


def _find(name: str) -> str:
    """The lines of a node of the fabric. Its description may be any text, so it is looked for as one word."""
    return piped(command("iblinkinfo", "-l"), command("grep", "-F", "--", as_description(name)))
