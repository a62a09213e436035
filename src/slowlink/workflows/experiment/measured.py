"""What each launch gave, read from the bundle: the same while an experiment runs and years later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.averages import fmean
from slowlink.experiments.in_force import openmpi_settings
from slowlink.model.experiment import Iterations, Late, Launched, Trial

if TYPE_CHECKING:
    from slowlink.inputs.opened import Input
    from slowlink.model.benchmark import RankLateness
    from slowlink.model.facts import MeasuredSweep
    from slowlink.model.records import Records

_CAPTURES = "captures/"
_MOST_BYTES = 64 << 20
_FEWEST = 10
"""Iterations of a size that tell of its distribution."""


def launched_live(directory: Path, trial: Trial, capture: str, why: str) -> Launched:
    """A launch that has just ended. ``directory``: of the bundle."""
    places = [directory / "captures" / capture, *_debug_places(directory, capture)]
    found = read_captures([str(place) for place in places if place.exists()])
    return launched_of(trial, capture, why, found.get(capture, Captured()))


def _debug_places(directory: Path, capture: str) -> list[Path]:
    place = directory / "captures" / f"nccl-debug-{capture}"
    return [place] if place.exists() else []


class Captured:
    """What was read of one capture."""

    def __init__(self) -> None:
        from slowlink.model.records import Records

        self.records: Records = Records()
        self.openmpi: dict[str, tuple[str, ...]] = {}


def read_captures(paths: Sequence[str]) -> dict[str, Captured]:
    """Everything below these paths, by the capture that it lies in. Raises SlowlinkError."""
    from slowlink.inputs.given import open_given
    from slowlink.model.records import Records
    from slowlink.parsers.reading.read import read

    told: dict[str, dict[str, tuple[str, ...]]] = {}
    records = read(_heard(open_given(list(paths)), told), 1)
    found: dict[str, Captured] = defaultdict(Captured)
    for name in ("runs", "logs"):
        by_capture: dict[str, list[object]] = defaultdict(list)
        for record in getattr(records, name):
            by_capture[_capture_of(record.source)].append(record)
        for capture, own in by_capture.items():
            part = found[capture]
            part.records = replace(part.records, **{name: (*getattr(part.records, name), *own)})
    for source, settings in told.items():
        found[_capture_of(source)].openmpi.update(settings)
    assert isinstance(records, Records)
    return dict(found)


def _heard(inputs: Iterable[Input], told: dict[str, dict[str, tuple[str, ...]]]) -> Iterable[Input]:
    """The inputs as they are, after a look at the small ones for what Open MPI says of its parameters."""
    from slowlink.inputs.opened import Input

    for item in inputs:
        if item.name.rpartition("/")[2] not in ("stdout", "stderr"):
            yield item
            continue
        data = item.whole(_MOST_BYTES)
        if data is None:
            yield item
            continue
        if settings := openmpi_settings(data.decode("utf-8", "replace")):
            told[item.name] = settings
        yield Input(item.name, len(data), (data,), item.problem, partial=item.partial)


def _capture_of(source: str) -> str:
    """``.../captures/confirm-12/stdout`` -> ``confirm-12``; what NCCL wrote beside it belongs to it."""
    name = source.rpartition(_CAPTURES)[2].partition("/")[0]
    return name.removeprefix("nccl-debug-")


def launched_of(trial: Trial, capture: str, why: str, captured: Captured) -> Launched:
    """Put together what one launch gave. Pure."""
    logs = captured.records.logs
    seen: dict[str, tuple[str, ...]] = dict(captured.openmpi)
    for setting in (setting for log in logs for setting in log.env):
        if setting.origin == "log":
            seen[setting.name] = tuple(dict.fromkeys((*seen.get(setting.name, ()), setting.value)))
    tells = (*(("openmpi",) if captured.openmpi else ()), *(("nccl",) if any(log.env for log in logs) else ()))
    found = Launched(
        trial,
        why=why,
        seen=seen,
        tells=tells,
        networks=tuple(sorted({choice.network for log in logs for choice in log.networks})),
        capture=capture,
    )
    return found if why else _with_numbers(found, _sweeps(captured.records))


def _sweeps(records: Records) -> tuple[MeasuredSweep, ...]:
    from slowlink.facts.assemble import assemble

    sweeps = assemble(records).sweeps
    return sweeps.all if sweeps is not None else ()


def _with_numbers(found: Launched, sweeps: Sequence[MeasuredSweep]) -> Launched:
    if not sweeps:
        return replace(found, why="it printed no table")
    sweep = sweeps[0]
    if not sweep.complete:
        return replace(found, why="its table is not complete")
    if any(point.wrong for point in sweep.points):
        return replace(found, why="its results are wrong")
    times: dict[int, float] = {}
    for point in sweep.points:
        if point.time_us:
            times[point.size_bytes] = min(point.time_us, times.get(point.size_bytes, float("inf")))
    if not times:
        return replace(found, why="its table has no time")
    return replace(found, times_us=times, iterations=_iterations(sweep), late=_late(sweep.run.lateness))


def _iterations(sweep: MeasuredSweep) -> tuple[Iterations, ...]:
    """Every size's iterations, in and out of place together; empty where some size has none."""
    by_size: dict[int, list[float]] = defaultdict(list)
    for point in sweep.points:
        by_size[point.size_bytes] += point.iterations_us
    if any(len(times) < _FEWEST for times in by_size.values()):
        return ()
    return tuple(Iterations(size, tuple(times)) for size, times in sorted(by_size.items()))


def _late(entries: Sequence[RankLateness]) -> tuple[Late, ...]:
    by_rank: dict[int, list[RankLateness]] = defaultdict(list)
    for entry in entries:
        by_rank[entry.rank].append(entry)
    return tuple(
        Late(
            rank,
            own[0].host,
            # The mean: what meets a part of the iterations moves no median.
            fmean(entry.mean_us for entry in own),
            fmean(entry.last_share for entry in own),
            fmean(entry.clock_error_us for entry in own),
            _mean_known([entry.waited_share for entry in own]),
        )
        for rank, own in sorted(by_rank.items())
    )


def _mean_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def by_names(known: Mapping[str, Captured], trials: Iterable[tuple[Trial, str, str]]) -> list[Launched]:
    """(trial, capture, why it does not count) of each launch, in order, with what its capture holds."""
    return [
        launched_of(trial, capture, why or ("" if capture in known else "its output is not in the bundle"),
                    known.get(capture, Captured()))
        for trial, capture, why in trials
    ]  # fmt: skip
