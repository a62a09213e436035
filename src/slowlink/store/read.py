"""Asks the store: the list of runs, one run, its report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Select, and_, exists, func, select

from slowlink.model.history import FactRecord, StoredRun
from slowlink.store import schema

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from slowlink.store.connect import Store


class Filter(Struct, frozen=True):
    """Which runs; "" and None ask for all."""

    system: str = ""
    nodes: str = ""
    """Folded, as it is stored."""
    collective: str = ""
    command: str = ""
    cause: str = ""
    """A root cause that was diagnosed."""
    since: float | None = None
    until: float | None = None
    """Seconds since the epoch."""


def stored_runs(store: Store, wanted: Filter, most: int) -> tuple[StoredRun, ...]:
    """The newest ``most`` of them, newest first."""
    query = _runs().where(*_conditions(wanted)).order_by(schema.runs.c.at.desc(), schema.runs.c.id.desc()).limit(most)
    with store.reading() as connection:
        return tuple(StoredRun(*row) for row in connection.execute(query))


def count_runs(store: Store, wanted: Filter) -> int:
    """How many there are."""
    query = select(func.count()).select_from(schema.runs).where(*_conditions(wanted))
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def runs_by_number(store: Store, numbers: Iterable[int]) -> dict[int, StoredRun]:
    """Those of ``numbers`` that are there."""
    query = _runs().where(schema.runs.c.id.in_(list(numbers)))
    with store.reading() as connection:
        return {row[0]: StoredRun(*row) for row in connection.execute(query)}


def stored_report(store: Store, number: int) -> bytes | None:
    """The document of a run, as it was kept; None without one."""
    query = select(schema.reports.c.document).where(schema.reports.c.run_id == number)
    with store.reading() as connection:
        return connection.execute(query).scalar()


def facts_of_run(store: Store, number: int) -> tuple[FactRecord, ...]:
    """What the run ran in."""
    facts = schema.environment_facts
    query = (
        select(facts.c.attribute, facts.c.part, facts.c.nodes, facts.c.value)
        .join(schema.runs, schema.runs.c.environment_id == facts.c.environment_id)
        .where(schema.runs.c.id == number)
        .order_by(facts.c.number)
    )
    with store.reading() as connection:
        return tuple(FactRecord(*row) for row in connection.execute(query))


def _runs() -> Select[Any]:
    names = [name for name in StoredRun.__struct_fields__ if name != "fingerprint"]
    columns: list[Any] = [schema.runs.c[name] for name in names]
    columns.insert(StoredRun.__struct_fields__.index("fingerprint"), schema.environments.c.fingerprint)
    return select(*columns).join(schema.environments)


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    runs, found = schema.runs, []
    if wanted.system:
        found.append(runs.c.system == wanted.system)
    if wanted.nodes:
        found.append(runs.c.nodes == wanted.nodes)
    if wanted.command:
        found.append(runs.c.command == wanted.command)
    if wanted.since is not None:
        found.append(runs.c.at >= wanted.since)
    if wanted.until is not None:
        found.append(runs.c.at <= wanted.until)
    if wanted.collective:
        join = and_(schema.sweeps.c.run_id == runs.c.id, schema.series.c.id == schema.sweeps.c.series_id)
        found.append(exists().where(join, schema.series.c.collective == wanted.collective))
    if wanted.cause:
        cause = and_(schema.findings.c.run_id == runs.c.id, schema.findings.c.cause == wanted.cause)
        found.append(exists().where(cause))
    return found
