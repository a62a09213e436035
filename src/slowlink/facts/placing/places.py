"""Where every record comes from: the one place that gives readings, messages and observations their node and time.

What a line itself names comes first (a syslog field, a launcher's prefix). Then what stands above it in its source: a
frame of ``slowlink snapshot``, a heading, a prompt. Then its bundle, and last a file that is named after its node. A
plain file that was read on its node is of that node; what an archive there holds only where nothing else tells it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from sys import maxsize
from typing import cast

from msgspec.structs import replace

from slowlink.facts.placing.local_output import is_of_this_node, sent_to
from slowlink.facts.placing.source_names import node_in_name, nodes_by_number, numbered_alike
from slowlink.model.benchmark import BandwidthMatrix, PerftestRun
from slowlink.model.blocks import Block, HeldReadings
from slowlink.model.job import JobEvent, Observation
from slowlink.model.records import Records
from slowlink.model.state import Collected, Origin, Reading
from slowlink.nodes import NodeLists

PROMPT = "prompt"
"""Collector of a prompt or a heading: what stands below may come from more than this node."""
_MOST_GATHERED = 20_000
"""Nodes of one gathered answer."""
_MOST_NAMES = 1_000_000
_MOST_READINGS = 1_000_000
_MOST_MESSAGES = 100_000
"""Of all gathered answers of one job. What one says that comes after them holds for the set of nodes as a whole."""

_Where = tuple[tuple[str, ...], float | None]
"""Nodes and time."""


class Places:
    """Whose a line is, and when it was collected."""

    def __init__(self, records: Records) -> None:
        self._lay_on = {source.path: source.node for source in records.sources if source.node is not None}
        self._origins: Mapping[str, Origin] = {
            origin.source: origin
            for origin in records.origins
            if origin.source not in self._lay_on or not _is_plain(origin.source)
        }
        self._sections: dict[str, list[Collected]] = {}
        for section in records.collected:
            self._sections.setdefault(section.ref.source, []).append(section)
        self._lines: dict[str, list[int]] = {}
        for source, sections in self._sections.items():
            sections.sort(key=lambda section: section.ref.line)
            self._lines[source] = [section.ref.line for section in sections]
        self._known = _hosts_named(records)
        self._numbered = numbered_alike(source.path for source in records.sources)
        self._named_by_number = nodes_by_number(source.path for source in records.sources)
        self.unnamed: set[str] = set()
        """Sources that stand for a node whose name nothing tells."""
        self._known_places: dict[tuple[str, int, str | None], _Where] = {}
        """(source, headings above, host that the line names) -> nodes and time."""
        self._last: tuple[str, str | None, int, int, _Where] = ("", None, 0, 0, ((), None))
        """Source, host that the line names, first line and line behind the last, and where all there is from."""
        self._sets = NodeLists(_MOST_NAMES, _MOST_GATHERED)
        self._readings_left, self._messages_left = _MOST_READINGS, _MOST_MESSAGES

    def nodes_in(self, host: str | None) -> tuple[str, ...]:
        """The nodes that a host name stands for: itself, or those of a node set (``clush -b``, ``dshbak -c``)."""
        if host is None:
            return ()
        if "[" not in host and "," not in host:
            return (host,)
        return self._sets.names(host) or (host,)

    def _nodes_of_message(self, host: str) -> tuple[str, ...]:
        names = self.nodes_in(host)
        if len(names) > self._messages_left:
            return (host,)
        self._messages_left -= len(names) - 1
        return names

    def placed(self, readings: Iterable[Reading]) -> Iterator[Reading | Block]:
        """All readings, each with its node and time, in blocks as far as they stand in such. Those that were read below
        a frame have both, and stay."""
        for each in readings.pieces if isinstance(readings, HeldReadings) else readings:
            if type(each) is Block:
                if each.at is not None and _is_one(each.host) and each.is_of_one_node():
                    yield each
                    continue
                for reading in each.readings():
                    yield from self._placed(reading)
            else:
                yield from self._placed(cast(Reading, each))

    def _placed(self, reading: Reading) -> Iterable[Reading]:
        return (reading,) if reading.at is not None and _is_one(reading.host) else self.place(reading)

    def place(self, reading: Reading) -> list[Reading]:
        """The reading with its node and time; of output that tools gathered (``node[1-5]``), one for each node."""
        source, line = reading.ref.source, reading.ref.line
        before, host, first, end, known = self._last
        if source is not before or host != reading.host or not first <= line < end:
            known = self._between_headings(reading)
        names, at = known
        if len(names) == 1 and self._readings_left:  # nearly all
            at = at if reading.at is None else reading.at
            return [Reading(reading.attribute, reading.part, reading.value, reading.ref, names[0], at)]
        if len(names) > self._readings_left:
            names = (self._node(reading.host, self._section_above(source, line), source),)
        self._readings_left -= len(names) - 1
        at = at if reading.at is None else reading.at
        return [Reading(reading.attribute, reading.part, reading.value, reading.ref, name, at) for name in names]

    def _between_headings(self, reading: Reading) -> _Where:
        """Nodes and time of ``reading``, kept for those that follow it: most stand below the same heading."""
        source, line = reading.ref.source, reading.ref.line
        headings = self._lines.get(source, ())
        above = bisect_right(headings, line)
        key = source, above, reading.host
        known = self._known_places.get(key)
        if known is None:
            known = self._known_places[key] = self._place_below(reading)
        first = headings[above - 1] if above else 0
        end = headings[above] if above < len(headings) else maxsize
        self._last = source, reading.host, first, end, known
        return known

    def _place_below(self, reading: Reading) -> _Where:
        """Nodes and time of every reading of this host between two headings of its source."""
        source = reading.ref.source
        section, origin = self._section_above(source, reading.ref.line), self._origins.get(source)
        at = section.at if section is not None else None
        if at is None and origin is not None:
            at = origin.at
        return self.nodes_in(self._node(reading.host, section, source)), at

    def place_collected(self, section: Collected) -> Collected:
        """What was asked, with the node that was asked."""
        return replace(section, host=self._node(section.host, section, section.ref.source))

    def place_event(self, event: JobEvent) -> list[JobEvent]:
        """The message with its node, where that is known; one for each node of gathered output."""
        if event.host is not None or "host" in event.groups:
            return [event]
        section = self._section_above(event.ref.source, event.ref.line)
        if section is not None and not is_of_this_node(event.origin, _command(section)):
            section = None
        host = self._told(section, event.ref.source)
        if host is None and is_of_this_node(event.origin, ""):
            host = self._by_file(event.ref.source)
        return [replace(event, host=name) for name in self._nodes_of_message(host)] if host is not None else [event]

    def place_observation(self, seen: Observation) -> list[Observation]:
        """The same for a plain fact."""
        if seen.host is not None:
            return [seen]
        section = self._section_above(seen.ref.source, seen.ref.line)
        host = self._told(section, seen.ref.source) or self._by_file(seen.ref.source)
        return [replace(seen, host=name) for name in self._nodes_of_message(host)] if host is not None else [seen]

    def place_perftest(self, run: PerftestRun) -> PerftestRun:
        """The test of a link with the node that printed it, where anything tells it."""
        if run.host is not None:
            return run
        section = self._section_above(run.source, run.header.line)
        return replace(run, host=self._told(section, run.source) or self._by_file(run.source))

    def place_matrix(self, matrix: BandwidthMatrix) -> BandwidthMatrix:
        """The copies with the node that made them, where anything tells it."""
        if matrix.host is not None:
            return matrix
        section = self._section_above(matrix.source, matrix.ref.line)
        return replace(matrix, host=self._told(section, matrix.source) or self._by_file(matrix.source))

    def _node(self, told: str | None, section: Collected | None, source: str) -> str:
        known = told or self._told(section, source) or self._by_file(source) or self._named_by_number.get(source)
        if known is None:
            known = _as_one_name(source)
            self.unnamed.add(known)
        return known

    def _told(self, section: Collected | None, source: str) -> str | None:
        if section is not None and section.host is not None:
            return section.host
        origin = self._origins.get(source)
        return origin.node if origin is not None else None

    def _by_file(self, source: str) -> str | None:
        lay_on = self._lay_on.get(source)
        if lay_on is not None and _is_plain(source):
            return lay_on
        named = source.replace("!", "/").rpartition("/")[2] if source in self._numbered else source
        return node_in_name(named, self._known) or lay_on

    def _section_above(self, source: str, line: int) -> Collected | None:
        found = bisect_right(self._lines.get(source, []), line)
        section = self._sections[source][found - 1] if found else None
        sent = sent_to(section.detail) if section is not None and section.collector == PROMPT else None
        return replace(section, host=sent[0], detail=sent[1]) if section is not None and sent is not None else section


def _is_one(host: str | None) -> bool:
    """Is it the name of one node, and of no set?"""
    return host is not None and "[" not in host and "," not in host


def _as_one_name(source: str) -> str:
    """What a source is called as a node: a comma in a set of nodes is between two names."""
    return source.replace(",", "%2C")


def _is_plain(source: str) -> bool:
    """A file of its own, no member of an archive or a bundle."""
    return "!" not in source


def _command(section: Collected) -> str | None:
    """What was typed at a prompt; None for the frame of a collector, which asks its own node."""
    return section.detail if section.collector == PROMPT else None


def _hosts_named(records: Records) -> frozenset[str]:
    """Names that other records give: a file may be named after one of them."""
    named: list[str | None] = [process.host for log in records.logs for process in log.processes]
    named += [device.host for run in records.runs for device in run.devices]
    named += [section.host for section in records.collected]
    named += [event.host for event in records.events]
    return frozenset(name for name in named if name)


def placed_events(events: Iterable[JobEvent], places: Places) -> tuple[JobEvent, ...]:
    """All messages, each with its node where anything tells it."""
    return tuple(each for event in events for each in places.place_event(event))


def placed_observations(seen: Iterable[Observation], places: Places) -> tuple[Observation, ...]:
    """All plain facts, each with its node where anything tells it."""
    return tuple(each for one in seen for each in places.place_observation(one))
