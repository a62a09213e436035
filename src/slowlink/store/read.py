"""Asks the store: the list of runs, one run, its report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Select, and_, exists, func, or_, select

from slowlink.model.history import FactRecord, FindingRecord, StoredRun
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
    verdict: str = ""
    node_sets: tuple[str, ...] | None = None
    """Any of these, each folded, as it is stored."""
    since: float | None = None
    until: float | None = None
    """Seconds since the epoch."""


class Place(Struct, frozen=True):
    """Of one run in the list."""

    at: float
    id: int


def stored_runs(
    store: Store, wanted: Filter, most: int, *, before: Place | None = None, after: Place | None = None
) -> tuple[StoredRun, ...]:
    """The newest ``most`` of them, newest first; ``before``: those that stand below this run in the list, ``after``:
    those right above it. A page is found by the run it begins at, so it costs the same wherever it is."""
    runs = schema.runs
    newest = (runs.c.at.desc(), runs.c.id.desc())
    query = _runs().where(*_conditions(wanted))
    if after is not None:
        above = or_(runs.c.at > after.at, and_(runs.c.at == after.at, runs.c.id > after.id))
        oldest = query.where(above).order_by(runs.c.at.asc(), runs.c.id.asc()).limit(most)
        with store.reading() as connection:
            return tuple(StoredRun(*row) for row in connection.execute(oldest))[::-1]
    if before is not None:
        query = query.where(or_(runs.c.at < before.at, and_(runs.c.at == before.at, runs.c.id < before.id)))
    query = query.order_by(*newest).limit(most)
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


class Choices(Struct, frozen=True):
    """What may be asked for: each column's values, in order."""

    systems: tuple[str, ...]
    commands: tuple[str, ...]
    verdicts: tuple[str, ...]
    collectives: tuple[str, ...]


def choices(store: Store, most: int) -> Choices:
    """At most ``most`` of each; "" is none."""
    runs, series = schema.runs, schema.series
    with store.reading() as connection:
        found = (
            connection.execute(select(column).where(column != "").distinct().order_by(column).limit(most)).scalars()
            for column in (runs.c.system, runs.c.command, runs.c.verdict, series.c.collective)
        )
        return Choices(*(tuple(values) for values in found))


def stored_report(store: Store, number: int) -> bytes | None:
    """The document of a run, as it was kept; None without one."""
    query = select(schema.reports.c.document).where(schema.reports.c.run_id == number)
    with store.reading() as connection:
        return connection.execute(query).scalar()


def findings_of_run(store: Store, number: int) -> tuple[FindingRecord, ...]:
    """Its root causes, in their order."""
    found = schema.findings
    columns = [found.c[name] for name in FindingRecord.__struct_fields__]
    query = select(*columns).where(found.c.run_id == number).order_by(found.c.number)
    with store.reading() as connection:
        return tuple(FindingRecord(*row) for row in connection.execute(query))


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
    if wanted.verdict:
        found.append(runs.c.verdict == wanted.verdict)
    if wanted.node_sets is not None:
        found.append(runs.c.nodes.in_(wanted.node_sets))
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
