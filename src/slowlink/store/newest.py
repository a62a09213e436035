"""Asks the store what is newest: of each command on each set of nodes, and of each series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Subquery, and_, func, select

from slowlink.averages import median
from slowlink.model.history import SeriesKey
from slowlink.model.metrics import CauseCount, NewestRun, NewestValues
from slowlink.store import schema

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from slowlink.store.connect import Store

_KEY = SeriesKey.__struct_fields__


class KeptSoFar(Struct, frozen=True):
    """As long as this stays the same, so does every answer of this module: runs are kept and never changed."""

    runs: int
    newest: tuple[object, ...]
    """Which run was kept last, and when."""
    baselines: tuple[tuple[object, ...], ...]


def kept_so_far(store: Store) -> KeptSoFar:
    """What there is."""
    runs, names = schema.runs, schema.baselines
    newest = select(runs.c.id, runs.c.content, runs.c.stored_at).order_by(runs.c.id.desc()).limit(1)
    saved = select(names.c.id, names.c.created_at, names.c.pinned).order_by(names.c.id)
    with store.reading() as connection:
        count = connection.execute(select(func.count()).select_from(runs)).scalar_one()
        last = connection.execute(newest).one_or_none()
        return KeptSoFar(count, tuple(last or ()), tuple(map(tuple, connection.execute(saved).all())))


def newest_runs(store: Store, most: int) -> tuple[tuple[NewestRun, ...], int]:
    """The newest run of each command, system and set of nodes; the ``most`` newest of these, and how many there are."""
    runs = schema.runs
    asked = (runs.c.command, runs.c.system, runs.c.nodes)
    groups = select(*asked, func.max(runs.c.at).label("at")).group_by(*asked).subquery()
    same = [runs.c[column.name] == groups.c[column.name] for column in (*asked, runs.c.at)]
    # Several of one group may be of the same moment: the last of them that was kept is its newest.
    last = select(func.max(runs.c.id).label("id")).join(groups, and_(*same)).group_by(*asked).subquery()
    query = (
        select(runs.c.id, runs.c.at, *asked, runs.c.verdict)
        .join(last, runs.c.id == last.c.id)
        .order_by(runs.c.at.desc(), runs.c.id.desc())
        .limit(most)
    )
    with store.reading() as connection:
        total = connection.execute(select(func.count()).select_from(groups)).scalar_one()
        newest = connection.execute(query).all()
        causes = _causes(connection, [row.id for row in newest])
    found = (
        NewestRun(row.id, row.at, row.command, row.system, row.nodes, row.verdict, tuple(causes.get(row.id, ())))
        for row in newest
    )
    return tuple(found), total


def _causes(connection: Connection, runs: Sequence[int]) -> dict[int, list[CauseCount]]:
    """Of each run, what its report named first comes first."""
    found = schema.findings
    query = (
        select(found.c.run_id, found.c.cause, found.c.severity, func.count())
        .where(found.c.run_id.in_(runs))
        .group_by(found.c.run_id, found.c.cause, found.c.severity)
        .order_by(found.c.run_id, func.min(found.c.number))
    )
    causes: dict[int, list[CauseCount]] = {}
    for run, *count in connection.execute(query):
        causes.setdefault(run, []).append(CauseCount(*count))
    return causes


def newest_values(store: Store, most: int) -> tuple[tuple[NewestValues, ...], int]:
    """Of each series that has a complete table; the ``most`` that were measured last, and how many there are."""
    with store.reading() as connection:
        groups = _measured()
        total = connection.execute(select(func.count()).select_from(groups)).scalar_one()
        rows = connection.execute(_launches(groups, most)).all()
    launches: dict[int, list[Row[Any]]] = {}
    for row in rows:  # the newest run of a series first; its other launches have its number
        of_series = launches.setdefault(row.series_id, [])
        if not of_series or of_series[0].run_id == row.run_id:
            of_series.append(row)
    return tuple(map(_values, launches.values())), total


def _measured() -> Subquery:
    sweeps = schema.sweeps
    return (
        select(
            sweeps.c.series_id, func.max(sweeps.c.at).label("at"), func.count(sweeps.c.run_id.distinct()).label("runs")
        )
        .where(sweeps.c.complete)
        .group_by(sweeps.c.series_id)
        .subquery()
    )


def _launches(groups: Subquery, most: int) -> Any:
    """Those at the newest moment of each of the ``most`` groups."""
    sweeps, series = schema.sweeps, schema.series
    chosen = select(groups).order_by(groups.c.at.desc(), groups.c.series_id).limit(most).subquery()
    newest = and_(sweeps.c.series_id == chosen.c.series_id, sweeps.c.at == chosen.c.at, sweeps.c.complete)
    numbers = ("plateau_busbw_gbs", "latency_us", "expected_low_gbs", "expected_high_gbs")
    return (
        select(
            *(sweeps.c[name] for name in ("series_id", "run_id", "at", *numbers)),
            chosen.c.runs,
            *(series.c[name] for name in _KEY),
        )
        .join(chosen, newest)
        .join(series, series.c.id == chosen.c.series_id)
        .order_by(sweeps.c.at.desc(), sweeps.c.series_id, sweeps.c.run_id.desc())
    )


def _values(launches: Sequence[Row[Any]]) -> NewestValues:
    first = launches[0]
    return NewestValues(
        key=SeriesKey(*(getattr(first, name) for name in _KEY)),
        run_id=first.run_id,
        at=first.at,
        runs=first.runs,
        plateau_busbw_gbs=_median(launches, "plateau_busbw_gbs"),
        latency_us=_median(launches, "latency_us"),
        expected_low_gbs=_median(launches, "expected_low_gbs"),
        expected_high_gbs=_median(launches, "expected_high_gbs"),
    )


def _median(launches: Sequence[Row[Any]], name: str) -> float | None:
    values = [value for launch in launches if (value := getattr(launch, name)) is not None and value > 0]
    return median(values) if values else None


def newest_run_of(store: Store, key: SeriesKey, after: float) -> tuple[int, str] | None:
    """Number and content of the newest run that measured ``key`` wholly, later than ``after`` (seconds since the
    epoch)."""
    runs, sweeps, series = schema.runs, schema.sweeps, schema.series
    query = (
        select(runs.c.id, runs.c.content)
        .join(sweeps, sweeps.c.run_id == runs.c.id)
        .join(series, series.c.id == sweeps.c.series_id)
        .where(sweeps.c.complete, sweeps.c.at > after, *(series.c[name] == getattr(key, name) for name in _KEY))
        .order_by(sweeps.c.at.desc(), runs.c.id.desc())
        .limit(1)
    )
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else (row.id, row.content)
