"""Opens a store: a file for its owner alone or a server, brought to the tables of this version; and its transactions.

SQLite with a write-ahead log, a patient wait for other writers, and every report in one transaction that the disk has
when it ends: a killed writer leaves a whole report or none.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slowlink.errors import SlowlinkError
from slowlink.store.place import is_postgresql, is_shared_disk

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_PATIENCE_S = 60
_MIGRATION_LOCK = 0x51_0A_11_4B
"""Any number of ours, for PostgreSQL's advisory locks."""
_NO_ROOM = ("disk is full", "disk I/O error", "No space left")
"""What SQLite and PostgreSQL say of a full disk; SQLite says the second of one that fails, too."""
_WRITES = "slowlink_writes"


class Store:
    """An open history. Everything raises SlowlinkError ``history-unusable`` where the database does."""

    def __init__(self, engine: Engine, place: str) -> None:
        self.engine = engine
        self.place = place
        """As it may be shown: without a password."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the store."""
        with _told(self.place), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all of it is kept, or nothing."""
        with _told(self.place), self.engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def open_store(place: str, *, create: bool) -> Store:
    """The store at ``place``, with the tables of this version.

    Raises SlowlinkError: ``history-empty`` (nothing is there and ``create`` is not asked), ``history-newer`` (a later
    slowlink made it), ``history-unusable``.
    """
    if is_postgresql(place):
        store = _of_server(place)
        lock: Any = nullcontext()
    else:
        file = Path(place).absolute()
        if not create and not file.exists():
            raise SlowlinkError(
                f"there is no history yet: {file}",
                hint="slowlink run keeps what it measures; slowlink history rebuild DIR reads bundles",
                slug="history-empty",
            )
        store = _of_file(file)
        lock = _alone(file)
    try:
        with store.reading() as connection:
            is_ready = _version(connection) == _head()
        if not is_ready:
            with lock:
                _prepare(store, None if is_postgresql(place) else Path(place).absolute())
    except BaseException:
        store.close()
        raise
    return store


def _head() -> str:
    from slowlink.store.schema import HEAD

    return HEAD


def _of_server(place: str) -> Store:
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(place).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError) as error:
        raise SlowlinkError(
            "this is no URL of PostgreSQL", hint="postgresql://user@host:5432/database", slug="history-place"
        ) from error
    engine = create_engine(url, hide_parameters=True, connect_args={"connect_timeout": 10})
    return Store(engine, url.render_as_string(hide_password=True))


def _of_file(file: Path) -> Store:
    from sqlalchemy import URL, create_engine, event

    from slowlink.store.own_schema import let_signals_in, refuse_programs

    _make_private(file)
    engine = create_engine(
        URL.create("sqlite", database=str(file)), hide_parameters=True, connect_args={"timeout": _PATIENCE_S}
    )

    @event.listens_for(engine, "connect")
    def _set_up(raw: Any, _record: object) -> None:
        raw.isolation_level = None  # Python's driver would begin transactions on its own, too late for readers
        raw.execute("PRAGMA foreign_keys = ON")
        raw.execute("PRAGMA synchronous = FULL")
        raw.execute("PRAGMA trusted_schema = OFF")
        let_signals_in(raw)
        refuse_programs(raw)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return Store(engine, str(file))


def _make_private(file: Path) -> None:
    """The file and the missing directories above it, for their owner alone; SQLite gives its log the same mode."""
    from slowlink.bundle.disk import make_private, trouble

    try:
        make_private(file.parent)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise trouble(error, file) from error


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Nobody else makes or changes the tables meanwhile; the kernel frees the lock of a killed process."""
    from slowlink.bundle.disk import trouble

    name = file.with_name(f"{file.name}.lock")
    try:
        lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise trouble(error, name) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _version(connection: Connection) -> str | None:
    """The migration that was run last; None in an empty store."""
    from sqlalchemy import inspect, text

    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _prepare(store: Store, file: Path | None) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import text

    if file is not None:
        mounts = Path("/proc/self/mounts")
        shared = mounts.exists() and is_shared_disk(file, mounts.read_text(errors="replace"))
        with _told(store.place):
            raw = store.engine.raw_connection()  # in no transaction, where it cannot be changed
            try:
                raw.cursor().execute(f"PRAGMA journal_mode = {'DELETE' if shared else 'WAL'}")
            finally:
                raw.close()
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with store.writing() as connection:
        if file is None:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        config.attributes["connection"] = connection
        if _version(connection) not in (None, *known):
            raise SlowlinkError(
                f"{store.place} was made by a newer slowlink", hint="upgrade slowlink", slug="history-newer"
            )
        command.upgrade(config, "head")


@contextmanager
def _told(place: str) -> Iterator[None]:
    """What the database says, without its statement: that holds text of reports."""
    import sqlite3

    from sqlalchemy.exc import SQLAlchemyError

    from slowlink.store.checked import DamagedError

    try:
        yield
    except DamagedError as error:
        raise SlowlinkError(
            f"the history {place} is damaged, or was not made by slowlink: {error}",
            hint="slowlink history rebuild DIR makes a new one from bundles",
            slug="history-unusable",
        ) from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        lacks_room = any(words in said for words in _NO_ROOM)
        raise SlowlinkError(
            f"the history {place} cannot be used: {said}",
            hint="make room on its disk, unless it fails"
            if lacks_room
            else "slowlink history rebuild DIR makes a new one from bundles",
            slug="history-unusable",
        ) from error
