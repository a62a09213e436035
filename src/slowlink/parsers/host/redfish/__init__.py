"""Redfish: what a management controller (BMC) answers in JSON about the health of a machine and its parts::

    {"@odata.id": "/redfish/v1/Chassis/1/Power", "@odata.type": "#Power.v1_7_0.Power",
     "PowerControl": [{"PowerConsumedWatts": 5200, "PowerLimit": {"LimitInWatts": 4000}}],
     "PowerSupplies": [{"Name": "PSU2", "Status": {"Health": "Critical", "State": "Enabled"}}]}

Each part has a ``Status``; what is not there (``Absent``, ``Disabled``) has none that counts. A part that is well says
nothing about speed and gives no record. Power supplies, fans and temperatures give the facts that ``ipmitool`` gives;
every other part a failed check. The sum of a machine is told only where no part that is here spoils it. Logs
(``LogEntry``) hold what was, and are left to others.

Source: DMTF DSP2046 (Redfish Schema Supplement) 2018.1 to 2025.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from msgspec.structs import replace

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import NODE, reading

MOST_PARTS = Limit(10_000, "parts of machines")
_DEEP = 12
_KINDS = {
    "PowerSupplies": "bmc-power-lost",
    "PowerSupply": "bmc-power-lost",
    "Fans": "bmc-fan-failed",
    "Fan": "bmc-fan-failed",
    "Temperatures": "bmc-too-hot",
}
"""By the list that a part stands in, or its own type."""
_SUMS = ("ComputerSystem", "Chassis", "Manager", "PowerSubsystem", "ThermalSubsystem", "EnvironmentMetrics")
_HEALTH = {"Critical": "fail", "Warning": "warn"}
_GONE = ("Absent", "Disabled")


class _Part(NamedTuple):
    """Something with a status."""

    name: str
    family: str
    """The list that it stands in, or its type without a version: ``Fans``, ``Memory``."""
    health: str
    says: str


class Redfish:
    """Reads one resource, or a collection whose members are spelt out."""

    kind: ClassVar[str] = "redfish"

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("@odata.type"), str):
            return False
        family = _family(value["@odata.type"])
        return str(value.get("@odata.id", "")).startswith("/redfish/") and "LogEntry" not in family

    def read(self, value: object, source: str, line: int) -> Iterable[Reading | Observation]:
        at = Line(source, line, "")
        parts = list(_parts(value, "", _DEEP))
        kept = MOST_PARTS.first(parts)
        host = value.get("HostName") if isinstance(value, dict) else None
        single = [part for part in kept if part.family not in _SUMS]
        grave = any(part.health == "Critical" for part in single)
        told = [record for part in (single if grave else kept) for record in _records(part, host or None, at)]
        return [*told, *_power(value, at)]


def _parts(value: object, key: str, deep: int) -> Iterator[_Part]:
    """Every part that is not well."""
    if deep <= 0:
        return
    if isinstance(value, list):
        for each in value:
            yield from _parts(each, key, deep - 1)
    if not isinstance(value, dict):
        return
    kind = value.get("@odata.type")
    family = key if key in _KINDS or not isinstance(kind, str) else _family(kind)
    status = value.get("Status")
    if isinstance(status, dict):
        health = status.get("Health") or status.get("HealthRollup")
        if isinstance(health, str) and health in _HEALTH and status.get("State") not in _GONE:
            name = next((str(value[word]) for word in ("Name", "MemberId", "Id") if value.get(word)), family)
            yield _Part(name[:80], family, health, f"state: {health}{_number(value)}")
    for word, inner in value.items():
        if word not in ("Status", "Links", "Oem") and isinstance(inner, dict | list):
            yield from _parts(inner, word, deep - 1)


def _number(value: Mapping[str, Any]) -> str:
    """What the sensor of a part shows."""
    for word, unit in (("ReadingCelsius", "degrees C"), ("Reading", value.get("ReadingUnits") or "")):
        number = value.get(word)
        if isinstance(number, int | float) and abs(number) < 1e7:
            return f", {number:g} {str(unit)[:12]}".rstrip()
    return ""


def _family(kind: str) -> str:
    """``#Power.v1_7_0.Power`` to ``Power``."""
    return kind.lstrip("#").partition(".")[0][:40]


def _records(part: _Part, host: object, at: Line) -> Iterator[Reading | Observation]:
    kind = _KINDS.get(part.family)
    at = replace(at, text=f'"Name": "{part.name}", "Health": "{part.health}"')
    if kind is not None and part.health == "Critical":
        yield Observation(kind, part.name, part.says, host if isinstance(host, str) else None, at.ref())
    elif kind is None:
        yield reading("health-test", Part("test", f"redfish/{part.family} {part.name}"), _HEALTH[part.health], at)


def _power(value: object, at: Line) -> Iterator[Reading]:
    """What the machine takes, and what it may take."""
    controls = value.get("PowerControl") if isinstance(value, dict) else None
    for control in controls[:1] if isinstance(controls, list) else ():
        if not isinstance(control, dict):
            continue
        limit = control.get("PowerLimit")
        watts = limit.get("LimitInWatts") if isinstance(limit, dict) else None
        for name, number in (("node-power", control.get("PowerConsumedWatts")), ("node-power-limit", watts)):
            if isinstance(number, int | float) and 0 < number < 1e7:
                yield reading(name, NODE, number, at)


DOCUMENT = Redfish
