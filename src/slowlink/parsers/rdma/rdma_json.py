"""``rdma -j`` of iproute2 (``link``, ``dev``, ``statistic show``): lists of objects with ``ifname``.

Each object is one port, or one HCA where it has no ``port``::

    [{"ifindex": 0, "ifname": "mlx5_0", "port": 1, "state": "ACTIVE", "physical_state": "LINK_UP",
      "netdev": "ens1np0"}]

Keys and values are the words of the text form (``rdma_tool``). ``ip -j`` prints such lists, too: its objects have
neither ``port`` nor ``node_type``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.rdma.rdma_tool import facts_of, link_layer_of


class RdmaJson:
    """Ports and HCAs of one JSON document. Its readings have the line where the document begins."""

    kind: ClassVar[str] = "rdma"

    @staticmethod
    def wants_document(value: object) -> bool:
        return _is_list(value) and any("port" in entry or "node_type" in entry for entry in _entries(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found: list[Reading] = []
        at = Line(source, line, "")
        for entry in _entries(value):
            device, port = entry.get("ifname"), entry.get("port")
            if not isinstance(device, str):
                continue
            layer = link_layer_of(entry)
            if layer is not None and isinstance(port, int) and MAX_READINGS.has_room(len(found)):
                found.append(reading("port-link-layer", Part("port", f"{device}/{port}"), layer, at))
            for name, text in entry.items():
                fact = facts_of(name, str(text)) if isinstance(text, str | int) else None
                if fact is None or not MAX_READINGS.has_room(len(found)):
                    continue
                if fact[0].startswith("hca-"):
                    found.append(reading(fact[0], Part("hca", device), fact[1], at))
                elif isinstance(port, int):
                    found.append(reading(fact[0], Part("port", f"{device}/{port}"), fact[1], at))
        return found


def _entries(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _is_list(value: object) -> bool:
    entries = _entries(value)
    return bool(entries) and all(isinstance(entry.get("ifname"), str) for entry in entries)


DOCUMENT = RdmaJson
