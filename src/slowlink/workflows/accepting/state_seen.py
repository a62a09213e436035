"""The state that the evidence tells of the nodes of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.facts.readings import latest_in
from slowlink.facts.stretches import joined, number_of, told
from slowlink.model.facts import Readings, State
from slowlink.model.state import Part, Reading
from slowlink.workflows.accepting.names import NodeNames

Parts = Mapping[str, Reading]
"""Name of a part -> its reading."""


class StateSeen:
    """Of one heap of evidence. ``state``: None where nothing tells any."""

    def __init__(self, state: State | None, names: NodeNames) -> None:
        self.state = state
        self._names = names
        self._latest: dict[str, dict[str, dict[str, Reading]]] = {}

    def parts(self, attribute: str, node: str) -> Parts:
        """The last readings of one attribute on one node."""
        if attribute not in self._latest:
            found: dict[str, dict[str, Reading]] = {}
            for reading in latest_in(self.state, attribute) if self.state is not None else ():
                if (meant := self._names.meant(reading.host)) is not None:
                    found.setdefault(meant, {})[reading.part.name] = reading
            self._latest[attribute] = found
        return self._latest[attribute].get(node, {})

    def readings(self, *attributes: str) -> Readings | None:
        """All that were read; None where none was."""
        found = self._found(attributes)
        if not found:
            return None
        return Readings(joined(told(readings.all) for readings in found.values()), {k: v.all for k, v in found.items()})

    def each(self, *attributes: str) -> Iterator[Reading]:
        for readings in self._found(attributes).values():
            yield from readings.all

    def counted(self, *attributes: str) -> dict[str, tuple[int, Reading]]:
        """Node -> how many parts told any of these, and a reading that shows it."""
        readings = self.readings(*attributes)
        if readings is None:
            return {}
        every = told(readings.all)
        first: dict[str, Reading] = {}
        for stretch in every.stretches:
            if (meant := self._names.meant(stretch.host)) is not None and meant not in first:
                first[meant] = every[stretch.start]
        numbers = number_of(every, _name)
        return {
            meant: (number, first[meant])
            for host, number in numbers.items()
            if (meant := self._names.meant(host)) is not None and meant in first
        }

    def _found(self, attributes: tuple[str, ...]) -> dict[str, Readings]:
        if self.state is None:
            return {}
        return {name: self.state.readings[name] for name in attributes if name in self.state.readings}


def _name(part: Part) -> str:
    return part.name
