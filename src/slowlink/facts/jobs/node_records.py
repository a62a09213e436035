"""Records about nodes, whatever runs there: each belongs to the jobs of its node."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from slowlink.facts.placing.places import Places
from slowlink.model.job import JobEvent, Observation
from slowlink.model.state import Collected, Reading


def of_nodes(record: Any, places: Places) -> list[tuple[str, Any]]:
    """(node, the record as it holds there), one for each node that it is about; [] where nothing names one.

    The node stands in the record then: away from the rest of its input, nothing else would tell it.
    """
    if isinstance(record, Reading):
        # What stands for a node whose name nothing tells is named after its source.
        return [(each.host, each) for each in places.place(record) if each.host not in (None, record.ref.source)]
    if isinstance(record, Collected):
        host = places.place_collected(record).host
        nodes = places.nodes_in(host) if host != record.ref.source else ()
        return [(node, replace(record, host=node)) for node in nodes]
    if isinstance(record, JobEvent):
        told = [(each.host or each.groups.get("host"), each) for each in places.place_event(record)]
        return [(node, each) for node, each in told if node]
    if isinstance(record, Observation):
        return [(each.host, each) for each in places.place_observation(record) if each.host]
    return []
