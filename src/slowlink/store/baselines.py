"""Names for runs: saved, listed, pinned; and what chosen runs measured."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from slowlink.errors import SlowlinkError
from slowlink.model.baseline import Baseline, BaselineName, LaunchValues, MeasuredSeries
from slowlink.model.history import SeriesKey
from slowlink.store import schema

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from slowlink.store.connect import Store

_KEY = SeriesKey.__struct_fields__
_Launch = tuple[SeriesKey, int, float | None, float | None]


def put_baseline(store: Store, name: str, runs: Sequence[int], note: str) -> BaselineName:
    """A new version of ``name``. Raises SlowlinkError ``history-unusable``, also where two save it at once."""
    table = schema.baselines
    with store.writing() as connection:
        newest = select(func.coalesce(func.max(table.c.version), 0)).where(table.c.name == name)
        version, now = connection.execute(newest).scalar_one() + 1, time()
        values = {"name": name, "version": version, "created_at": now, "pinned": False, "note": note}
        number = connection.execute(table.insert().returning(table.c.id), values).scalar_one()
        connection.execute(schema.baseline_runs.insert(), [{"baseline_id": number, "run_id": run} for run in runs])
    return BaselineName(number, name, version, now, False, note)


def baseline_names(store: Store) -> tuple[tuple[BaselineName, int], ...]:
    """Every version of every name, with how many runs it holds; by name, the newest version first."""
    table, runs = schema.baselines, schema.baseline_runs
    columns = [table.c[name] for name in BaselineName.__struct_fields__]
    query = (
        select(*columns, func.count(runs.c.run_id))
        .outerjoin(runs, runs.c.baseline_id == table.c.id)
        .group_by(*columns)
        .order_by(table.c.name, table.c.version.desc())
    )
    with store.reading() as connection:
        return tuple((BaselineName(*row[:-1]), row[-1]) for row in connection.execute(query))


def pin_baseline(store: Store, name: str, version: int | None) -> None:
    """Comparisons take this version; None: the newest again. Raises SlowlinkError ``baseline-unknown``."""
    table = schema.baselines
    with store.writing() as connection:
        connection.execute(update(table).where(table.c.name == name).values(pinned=False))
        if version is None:
            return
        chosen = update(table).where(table.c.name == name, table.c.version == version).values(pinned=True)
        if connection.execute(chosen).rowcount != 1:
            raise _unknown(f"{name}@{version}")


def stored_baseline(store: Store, name: str, version: int | None = None) -> Baseline:
    """That version, else the pinned one, else the newest. Raises SlowlinkError ``baseline-unknown``."""
    table, runs = schema.baselines, schema.baseline_runs
    query = select(*(table.c[field] for field in BaselineName.__struct_fields__)).where(table.c.name == name)
    if version is not None:
        query = query.where(table.c.version == version)
    query = query.order_by(table.c.pinned.desc(), table.c.version.desc()).limit(1)
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
        if row is None:
            raise _unknown(name if version is None else f"{name}@{version}")
        about = BaselineName(*row)
        numbers = select(runs.c.run_id).join(schema.runs).where(runs.c.baseline_id == about.id)
        chosen = tuple(connection.execute(numbers.order_by(schema.runs.c.at)).scalars())
    return Baseline(about, chosen, measured_by(store, chosen))


def measured_by(store: Store, runs: Sequence[int]) -> tuple[MeasuredSeries, ...]:
    """What these runs measured, launch for launch; incomplete tables do not count."""
    with store.reading() as connection:
        launches = _launches(connection, runs)
        sizes = _sizes(connection, list(launches))
    found: dict[SeriesKey, list[LaunchValues]] = {}
    for number, (key, run, plateau, latency) in launches.items():
        busbw, times = sizes.get(number, ({}, {}))
        found.setdefault(key, []).append(LaunchValues(run, plateau, latency, busbw, times))
    return tuple(MeasuredSeries(key, tuple(values)) for key, values in found.items())


def _launches(connection: Connection, runs: Sequence[int]) -> dict[int, _Launch]:
    sweeps, series = schema.sweeps, schema.series
    columns = [series.c[name] for name in _KEY]
    query = (
        select(sweeps.c.id, sweeps.c.run_id, sweeps.c.plateau_busbw_gbs, sweeps.c.latency_us, *columns)
        .join(series)
        .where(sweeps.c.complete, sweeps.c.run_id.in_(list(runs)))
        .order_by(sweeps.c.at, sweeps.c.id)
    )
    return {row[0]: (SeriesKey(*row[4:]), row[1], row[2], row[3]) for row in connection.execute(query)}


def _sizes(connection: Connection, sweeps: Sequence[int]) -> dict[int, tuple[dict[int, float], dict[int, float]]]:
    """Sweep -> (size -> bandwidth, size -> time) of the better placement."""
    points = schema.points
    query = (
        select(points.c.sweep_id, points.c.size_bytes, func.max(points.c.busbw_gbs), func.min(points.c.time_us))
        .where(points.c.sweep_id.in_(list(sweeps)), ~points.c.doubtful)
        .group_by(points.c.sweep_id, points.c.size_bytes)
    )
    found: dict[int, tuple[dict[int, float], dict[int, float]]] = {}
    for sweep, size, busbw, time_us in connection.execute(query):
        bandwidths, times = found.setdefault(sweep, ({}, {}))
        if busbw is not None:
            bandwidths[size] = busbw
        if time_us is not None:
            times[size] = time_us
    return found


def _unknown(name: str) -> SlowlinkError:
    return SlowlinkError(
        f"there is no baseline {name!a}",
        hint="slowlink baseline list names them; slowlink baseline save NAME makes one",
        slug="baseline-unknown",
    )
