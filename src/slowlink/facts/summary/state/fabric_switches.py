"""Plain values of switches as ibswinfo and MLNX-OS print them."""

from __future__ import annotations

from slowlink.facts.readings import latest_in
from slowlink.model.facts import State

_TEXTS = ("fabric-node-model", "fabric-node-part-number", "fabric-node-serial", "fabric-node-psid")
_NUMBERS = ("fabric-node-ports", "fabric-node-uptime", "switch-temperature", "switch-temperature-max")


def summarise(state: State) -> dict[str, object]:
    """``switch_*`` values; nothing where the state of no switch's parts was read."""
    parts, fans = latest_in(state, "switch-part-status"), latest_in(state, "switch-fan-speed")
    if not parts and not fans:
        return {}
    values: dict[str, object] = {
        "switch_parts": {r.part.name.rsplit("/", 1)[-1]: r.value for r in parts},
        "switch_fans": len(fans),
        "switch_fan_speeds": [r.value for r in fans],
    }
    heat = latest_in(state, "switch-sensor-temperature")
    if heat:
        values["switch_temperatures"] = {r.part.name.rsplit("/", 1)[-1]: r.value for r in heat}
    for attribute in (*_TEXTS, *_NUMBERS):
        found = [r.value for r in latest_in(state, attribute)]
        if found:
            name = attribute.removeprefix("fabric-node-").replace("-", "_")
            values[name if name.startswith("switch_") else f"switch_{name}"] = found[0] if len(found) == 1 else found
    return values
