"""``ip -j link`` and ``ip -j addr``: a JSON list of interfaces, with ``-s`` their counters::

    [{"ifindex": 6, "ifname": "p4p1", "flags": ["BROADCAST", "UP", "LOWER_UP"], "mtu": 9000, "operstate": "UP",
      "link_type": "ether", "address": "00:11:22:33:44:07",
      "stats64": {"rx": {"bytes": 104, "packets": 90, "errors": 14, "dropped": 0}}}]

``UP`` among the flags is what the administrator wants, ``LOWER_UP`` the carrier. ``operstate`` is ``UNKNOWN`` for
drivers that do not keep it, which says nothing. Where ip was given a filter, the list may hold empty objects.

Source: iproute2 ``ip/ipaddress.c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.json_blocks import is_cut
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading

_PLAIN = {
    "mtu": "interface-mtu",
    "master": "interface-bond",
    "link_type": "interface-kind",
    "address": "interface-address",
}
_COUNTERS = ("bytes", "packets", "errors", "dropped")


class IpJson:
    """Gives the readings of each interface in the list; entries without a name give none."""

    kind: ClassVar[str] = "ip"

    @staticmethod
    def wants_document(value: object) -> bool:
        return any("ifindex" in entry and "flags" in entry for entry in _entries(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found: list[Reading] = []
        at = Line(source, line, "")
        for entry in _entries(value):
            name = entry.get("ifname")
            if isinstance(name, str) and MAX_READINGS.has_room(len(found)):
                part = Part("interface", name)
                found.extend(reading(attribute, part, said, at) for attribute, said in _facts(entry))
        return found


def _facts(entry: dict[str, object]) -> Iterable[tuple[str, Value]]:
    for key, attribute in _PLAIN.items():
        value = entry.get(key)
        if isinstance(value, str | int) and value not in ("", True, False):
            yield attribute, value
    state, flags = entry.get("operstate"), entry.get("flags")
    if isinstance(state, str) and state.upper() != "UNKNOWN":
        yield "interface-state", state.lower()
    may_be_cut = is_cut(entry) and next(islice(reversed(entry), 1, None), "") == "flags"  # the last key but the mark
    if isinstance(flags, list) and not may_be_cut:
        yield "interface-admin-up", "UP" in flags
        yield "interface-carrier", "LOWER_UP" in flags and "NO-CARRIER" not in flags
    for address in _entries(entry.get("addr_info")):
        if address.get("family") == "inet" and isinstance(address.get("local"), str):
            yield "interface-ipv4", str(address["local"])
    stats = entry.get("stats64") or entry.get("stats")
    for side in ("rx", "tx") if isinstance(stats, dict) else ():
        counts = stats.get(side) if isinstance(stats, dict) else None
        for name in _COUNTERS if isinstance(counts, dict) else ():
            count = counts.get(name) if isinstance(counts, dict) else None
            if isinstance(count, int) and not isinstance(count, bool):
                yield f"interface-{side}-{name}", count


def _entries(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


DOCUMENT = IpJson
