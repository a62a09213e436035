"""Plain values of the InfiniBand fabric: nodes, links, subnet managers, and what ibdiagnet says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from slowlink.facts.fabric import Picture, pictures
from slowlink.facts.readings import latest
from slowlink.model.facts import State
from slowlink.model.state import Reading
from slowlink.parsers.fabric.rates import DATA_RATES, speed_name

_SUMS = (
    "fabric-nodes",
    "fabric-switches",
    "fabric-cas",
    "fabric-adapters",
    "fabric-aggregation-nodes",
    "fabric-links",
    "fabric-standby-sms",
    "fabric-ar-switches",
    "fabric-nodes-checked",
    "fabric-nodes-bad",
    "fabric-ports-checked",
    "fabric-ports-bad",
    "fabric-query-failures",
    "sm-version",
    "sm-routing",
    "sm-subnet-up",
    "sm-reachable",
)
_MOST_NAMES = 1000


def summarise(state: State) -> dict[str, object]:
    """``fabric_*`` and ``sm_*`` values; nothing where no tool of the fabric was read."""
    values: dict[str, object] = {}
    for attribute in _SUMS:
        if attribute in state.readings:
            values[attribute.replace("-", "_")] = state.readings[attribute].all[-1].value
    values.update(_nodes(state))
    seen = pictures(reading for name in _LINK for reading in _of(state, name))
    if seen:
        values.update(_links(seen[-1]))
    values.update(_managers(state))
    values.update(_stages(state))
    return values


_LINK = (
    "link-connected",
    "link-state",
    "link-physical-state",
    "link-width",
    "link-width-max",
    "link-speed",
    "link-speed-max",
    "link-peer",
    "link-mtu",
    "link-lid",
    "fabric-node-type",
)


def _of(state: State, attribute: str) -> Sequence[Reading]:
    return state.readings[attribute].all if attribute in state.readings else ()


def _nodes(state: State) -> dict[str, object]:
    """How many of each kind, and which firmware they have."""
    kinds = {r.part.name: str(r.value) for r in _of(state, "fabric-node-type")}
    count = Counter(kinds.values())
    values: dict[str, object] = {}
    if kinds:
        seen = {"switches": count["switch"], "cas": count["ca"] + count["aggregation"], "hosts": count["ca"]}
        values.update({f"fabric_{name}_seen": number for name, number in seen.items() if number})
        values["fabric_node_names"] = list(kinds)[:_MOST_NAMES]
    firmware = {r.part.name: str(r.value) for r in _of(state, "fabric-node-firmware")}
    if firmware:
        devices = {r.part.name: str(r.value) for r in _of(state, "fabric-node-device")}
        values["fabric_firmware"] = dict(Counter(firmware.values()))
        values["fabric_firmware_nodes"] = len(firmware)
        values["fabric_devices"] = dict(Counter(devices.values()))
    return values


def _links(picture: Picture) -> dict[str, object]:
    """The last picture: links, how fast they are, and what has none."""
    links = picture.links()
    ends = [port for port in picture.ports.values() if port.peer is not None]
    values: dict[str, object] = {"fabric_ports_seen": len(picture.ports)}
    if links:
        rates = Counter(_rate(port.number("link-width"), port.number("link-speed")) for port, _ in links)
        values["fabric_links_seen"] = len(links)
        values["fabric_link_ends"] = len(ends)
        values["fabric_link_rates"] = {rate: count for rate, count in rates.items() if rate}
        values["fabric_link_rate_names"] = [rate.replace("x", "x ", 1) for rate in rates if rate]
    states = Counter(state for port in picture.ports.values() if (state := port.text("link-state")) is not None)
    if states:
        values["fabric_port_states"] = dict(states)
    down = [port.name for port in picture.ports.values() if port.down]
    if down:
        values["fabric_ports_down"] = len(down)
        values["fabric_ports_down_names"] = down[:_MOST_NAMES]
    for name, attribute in (("widths", "link-width"), ("lane_rates", "link-speed"), ("mtus", "link-mtu")):
        found = {value for port in picture.ports.values() if (value := port.number(attribute)) is not None}
        if found:
            values[f"fabric_{name}"] = sorted(DATA_RATES.get(v, v) if name == "lane_rates" else v for v in found)
    lids = {int(lid) for port in picture.ports.values() if (lid := port.number("link-lid")) is not None}
    if lids:
        values["fabric_lids"] = sorted(lids)[:_MOST_NAMES]
    return values


def _rate(width: float | None, speed: float | None) -> str:
    return f"{width:g}x{speed_name(speed)}" if width is not None and speed is not None else ""


def _managers(state: State) -> dict[str, object]:
    """Which subnet managers there are."""
    states = {r.part.name: str(r.value) for r in latest(_of(state, "sm-state")).values()}
    if not states:
        return {}
    priorities = [r.value for r in latest(_of(state, "sm-priority")).values()]
    return {
        "sm_masters": sum(value == "master" for value in states.values()),
        "sm_standbys": sum(value == "standby" for value in states.values()),
        "sm_names": list(states)[:_MOST_NAMES],
        "sm_lids": [name.removeprefix("lid ") for name in states if name.startswith("lid ")],
        "sm_states": list(dict.fromkeys(states.values())),
        "sm_priorities": priorities[:_MOST_NAMES],
    }


def _stages(state: State) -> dict[str, object]:
    """Errors and warnings of ibdiagnet, by stage."""
    values: dict[str, object] = {}
    for level in ("errors", "warnings"):
        found = _of(state, f"ibdiagnet-{level}")
        if found:
            values[f"ibdiagnet_{level}"] = {r.part.name.partition("/")[2]: r.value for r in found}
            values[f"ibdiagnet_{level}_total"] = sum(r.value for r in found if isinstance(r.value, int))
    return values
