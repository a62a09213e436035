"""Puts a report into the store: once, whole, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from time import time
from typing import TYPE_CHECKING, Any

from msgspec.json import encode
from msgspec.structs import asdict

from slowlink.model.history import Kept, RunRecord, SeriesKey, SweepRecord
from slowlink.store import schema

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from slowlink.store.connect import Store


def save(store: Store, record: RunRecord) -> Kept:
    """Keep ``record``; a report that is there already stays as it is. Raises SlowlinkError ``history-unusable``."""
    with store.writing() as connection:
        known = _number_of(connection, schema.runs, record.content)
        if known is not None:
            return Kept(known, False)
        # Rows that many runs share come first and in one order: two writers never wait for one another's.
        environment = _environment(connection, record)
        keys = {_digest(sweep.key): sweep.key for sweep in record.sweeps}
        numbers = {content: _series(connection, content, keys[content]) for content in sorted(keys)}
        run = _put_once(connection, schema.runs, _run_values(record, environment))
        if run is None:  # another writer was faster
            return Kept(_known(connection, schema.runs, record.content), False)
        for sweep in record.sweeps:
            _put_sweep(connection, sweep, run, numbers[_digest(sweep.key)], record.at)
        _put_all(connection, schema.findings, [{"run_id": run, **asdict(each)} for each in record.findings])
        if record.document is not None:
            connection.execute(schema.reports.insert(), {"run_id": run, "document": record.document})
    return Kept(run, True)


def _digest(key: SeriesKey) -> str:
    return sha256(encode(key)).hexdigest()


def _run_values(record: RunRecord, environment: int) -> dict[str, Any]:
    names = (
        *("content", "at", "at_basis", "command", "argv", "job", "bundle", "verdict", "headline", "slowlink"),
        *("system", "gpu", "nodes", "nnodes"),
    )
    peaks = [sweep.plateau_busbw_gbs for sweep in record.sweeps if sweep.plateau_busbw_gbs is not None]
    return {
        **{name: getattr(record, name) for name in names},
        "stored_at": time(),
        "collectives": ", ".join(dict.fromkeys(sweep.key.collective for sweep in record.sweeps)),
        "peak_busbw_gbs": max(peaks, default=None),
        "environment_id": environment,
    }


def _environment(connection: Connection, record: RunRecord) -> int:
    values = {"content": record.environment, "fingerprint": record.fingerprint}
    number = _put_once(connection, schema.environments, values)
    if number is None:
        return _known(connection, schema.environments, record.environment)
    facts = [{"environment_id": number, **asdict(fact)} for fact in record.facts]
    _put_all(connection, schema.environment_facts, facts)
    return number


def _series(connection: Connection, content: str, key: SeriesKey) -> int:
    number = _put_once(connection, schema.series, {"content": content, **asdict(key)})
    return _known(connection, schema.series, content) if number is None else number


def _put_sweep(connection: Connection, sweep: SweepRecord, run: int, series: int, at: float) -> None:
    columns = {name: value for name, value in asdict(sweep).items() if name not in ("key", "points")}
    insert = schema.sweeps.insert().returning(schema.sweeps.c.id)
    number = connection.execute(insert, {"run_id": run, "series_id": series, "at": at, **columns}).scalar_one()
    _put_all(connection, schema.points, [{"sweep_id": number, **asdict(point)} for point in sweep.points])


def _put_all(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """In their order."""
    if rows:
        connection.execute(table.insert(), [{"number": number, **row} for number, row in enumerate(rows)])


def _put_once(connection: Connection, table: Table, values: Mapping[str, Any]) -> int | None:
    """The number of the new row; None where one of this content is there."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as insert_lite

        lite = insert_lite(table).on_conflict_do_nothing(index_elements=["content"]).returning(table.c.id)
        return connection.execute(lite, dict(values)).scalar()
    from sqlalchemy.dialects.postgresql import insert as insert_server

    server = insert_server(table).on_conflict_do_nothing(index_elements=["content"]).returning(table.c.id)
    return connection.execute(server, dict(values)).scalar()


def _number_of(connection: Connection, table: Table, content: str) -> int | None:
    return connection.execute(table.select().with_only_columns(table.c.id).where(table.c.content == content)).scalar()


def _known(connection: Connection, table: Table, content: str) -> int:
    number = _number_of(connection, table, content)
    assert number is not None
    return number
