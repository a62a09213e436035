"""Who else was at work on the nodes while they were watched, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slowlink.averages import fmean
from slowlink.facts.readings import node_of
from slowlink.model.facts import Busy, Observations, State, Watched
from slowlink.model.state import Reading

WATCH = "watch"
"""``Collected.collector`` of a sample (``parsers.watch_samples``)."""
ROW_TIMES = "row-times"
"""Beside ``stdout`` in a bundle: when each of its rows came."""
_GPU = "process-gpu-memory"
_TAKEN = ("process-cpu", "process-disk", "process-network")

Span = tuple[float, float]
_Times = Mapping[str, tuple[float, ...]]


def watched(state: State | None) -> Watched | None:
    """None when no node was sampled."""
    times: dict[str, list[float]] = {}
    for section in state.collected if state is not None else ():
        if section.collector == WATCH and section.at is not None and section.host is not None:
            times.setdefault(section.host, []).append(section.at)
    if state is None or not times:
        return None
    samples = {node: tuple(sorted(set(seen))) for node, seen in times.items()}
    busy = [*_busy(state, _TAKEN, samples), *_busy(state, (_GPU,), samples)]
    return Watched(samples, tuple(sorted(busy, key=lambda each: (not each.on_gpu, -each.percent * len(each.readings)))))


def _busy(state: State, attributes: Sequence[str], samples: _Times) -> Iterable[Busy]:
    names = _names(state)
    groups: dict[tuple[str, str], list[Reading]] = {}
    of_node = {node: frozenset(times) for node, times in samples.items()}
    for reading in (each for name in attributes if name in state.readings for each in state.readings[name].all):
        node = node_of(reading)
        if reading.at is not None and reading.at in of_node.get(node, ()):
            name = names.get((node, reading.part.name), f"pid {reading.part.name}")
            groups.setdefault((node, name), []).append(reading)
    for (node, name), found in groups.items():
        cpu, disk, network = (_mean([each for each in found if each.attribute == taken]) for taken in _TAKEN)
        yield Busy(node, name, _GPU in attributes, _spans(found, samples[node]), cpu, disk, network, tuple(found))


def _mean(readings: Sequence[Reading]) -> float:
    return fmean(_per_sample(readings).values()) if readings else 0.0


def _names(state: State) -> dict[tuple[str, str], str]:
    """(node, pid) -> name."""
    found = state.readings.get("process-name")
    return {(node_of(r), r.part.name): str(r.value) for r in found.all} if found is not None else {}


def _per_sample(readings: Sequence[Reading]) -> dict[float, float]:
    """Time of a sample -> what all processes took together."""
    shares: dict[float, float] = {}
    for reading in readings:
        shares[reading.at or 0.0] = shares.get(reading.at or 0.0, 0.0) + float(reading.value)
    return shares


def _spans(readings: Sequence[Reading], samples: Sequence[float]) -> tuple[Span, ...]:
    """A sample tells of the time since the one before it."""
    before = dict(zip(samples[1:], samples, strict=False))
    spans: list[Span] = []
    for at in sorted({reading.at for reading in readings if reading.at is not None}):
        start = before.get(at, at)
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], at)
        else:
            spans.append((start, at))
    return tuple(spans)


def windows_of_rows(observations: Observations | None) -> dict[tuple[str, int], Span]:
    """(source, line) of a row -> from when to when it was measured: each row came when it was done, so the first of a
    table tells nothing."""
    found: dict[tuple[str, int], Span] = {}
    before: dict[str, float] = {}
    for seen in observations.all if observations is not None else ():
        if seen.kind == "row-ended":
            source = seen.ref.source.removesuffix(ROW_TIMES) + "stdout"
            at = float(seen.value)
            if source in before:
                found[source, int(seen.subject)] = (before[source], at)
            before[source] = at
    return found
