"""Asks the store for series: which questions were asked again and again, and what each run answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from slowlink.averages import median
from slowlink.model.history import SeriesKey, SeriesValue, StoredSeries
from slowlink.store import schema

if TYPE_CHECKING:
    from slowlink.store.connect import Store

_KEY = SeriesKey.__struct_fields__
QUANTITIES = ("plateau_busbw_gbs", "latency_us")
"""Columns of a sweep that make a series."""


def stored_series(store: Store, wanted: Mapping[str, Any]) -> tuple[StoredSeries, ...]:
    """Those whose columns are as ``wanted`` says (``{"collective": "all_reduce"}``); the ones with most launches first.
    Incomplete sweeps do not count."""
    table, sweeps = schema.series, schema.sweeps
    counted = (
        select(
            sweeps.c.series_id,
            func.count().label("launches"),
            func.min(sweeps.c.at).label("first"),
            func.max(sweeps.c.at).label("last"),
        )
        .where(sweeps.c.complete)
        .group_by(sweeps.c.series_id)
        .subquery()
    )
    columns = [table.c[name] for name in _KEY]
    query = (
        select(table.c.id, counted.c.launches, counted.c.first, counted.c.last, *columns)
        .join(counted, counted.c.series_id == table.c.id)
        .where(*(table.c[name] == value for name, value in wanted.items()))
        .order_by(counted.c.launches.desc(), table.c.id)
    )
    with store.reading() as connection:
        rows = connection.execute(query).all()
    return tuple(StoredSeries(row[0], SeriesKey(*row[4:]), row[1], row[2], row[3]) for row in rows)


def values_of(
    store: Store,
    series: Sequence[StoredSeries],
    quantity: str,
    *,
    since: float | None = None,
    until: float | None = None,
) -> tuple[SeriesValue, ...]:
    """One value a run, the oldest first; ``quantity`` is one of ``QUANTITIES``."""
    sweeps = schema.sweeps
    query = select(sweeps.c.run_id, sweeps.c.at, sweeps.c[quantity], sweeps.c.series_id).where(sweeps.c.complete)
    return _by_run(store, series, query, since, until)


def values_at_size(
    store: Store,
    series: Sequence[StoredSeries],
    column: str,
    size_bytes: int,
    *,
    since: float | None = None,
    until: float | None = None,
) -> tuple[SeriesValue, ...]:
    """The same for one size; ``column`` is ``busbw_gbs`` or ``time_us`` of points, the median of both placements."""
    sweeps, points = schema.sweeps, schema.points
    query = (
        select(sweeps.c.run_id, sweeps.c.at, points.c[column], sweeps.c.series_id)
        .join(points, points.c.sweep_id == sweeps.c.id)
        .where(sweeps.c.complete, points.c.size_bytes == size_bytes, ~points.c.doubtful)
    )
    return _by_run(store, series, query, since, until)


def _by_run(
    store: Store, series: Sequence[StoredSeries], query: Any, since: float | None, until: float | None
) -> tuple[SeriesValue, ...]:
    sweeps = schema.sweeps
    nodes = {each.id: each.key.nodes for each in series}
    query = query.where(sweeps.c.series_id.in_(list(nodes)))
    if since is not None:
        query = query.where(sweeps.c.at >= since)
    if until is not None:
        query = query.where(sweeps.c.at <= until)
    runs: dict[int, list[float]] = {}
    about: dict[int, tuple[float, int]] = {}
    with store.reading() as connection:
        rows = connection.execute(query.order_by(sweeps.c.at, sweeps.c.run_id)).all()
    for run, at, value, number in rows:
        if value is not None and value > 0:
            runs.setdefault(run, []).append(value)
            about[run] = (at, number)
    return tuple(
        SeriesValue(run, about[run][0], values[0] if len(values) == 1 else median(values), nodes[about[run][1]])
        for run, values in runs.items()
    )
