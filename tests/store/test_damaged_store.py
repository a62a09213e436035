"""A store that is damaged, or another's: SQLite keeps any value in any column, and none of them is a traceback."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from zstandard import ZstdCompressor

from history_records import record, report
from slowlink.cli.main import cli
from slowlink.errors import SlowlinkError
from slowlink.store import schema
from slowlink.store.baselines import measured_by
from slowlink.store.connect import open_store
from slowlink.store.read import Filter, stored_runs
from slowlink.store.read_series import stored_series, values_of
from slowlink.store.write import save
from slowlink.workflows.history.keep import keep

COLUMNS = [(table.name, column.name) for table in schema.metadata.sorted_tables for column in table.columns]
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=40),
    st.binary(max_size=40),
    st.sampled_from([float("inf"), 1e308, 5e-324, 2**62, "nan", "9e999", "A" * 100_000, b"\xff\xfe"]),
    st.sampled_from([b"[]", b"7", b"{}", b'{"schema": "slowlink.report/1"}']).map(ZstdCompressor().compress),
)
ASKED = [
    ("history", "list"),
    ("history", "series", "--format", "json"),
    ("history", "series"),
    ("baseline", "list"),
    ("baseline", "show", "x"),
    ("baseline", "compare", "x", "--run", "6"),
    ("baseline", "save", "y", "--last", "2"),
    ("exporter", "--once"),
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store") / "sound.sqlite"
    with closing(open_store(str(place), create=True)) as store:
        for number in range(5):
            save(store, record(number, 350.0 + number % 3, points=4))
    keep(report(380.0, launches=5), str(place), command="run")
    made = CliRunner().invoke(cli, ["baseline", "save", "x", "--last", "6", "--store", str(place)])
    assert made.exit_code == 0, made.output
    with closing(sqlite3.connect(place)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
    return place


def damage(place: Path, table: str, column: str, value: object, *, every: bool) -> bool:
    """False where the database itself refuses."""
    with closing(sqlite3.connect(place, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            raw.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {1 if every else "rowid % 2"}', (value,))
        except (sqlite3.IntegrityError, UnicodeEncodeError):
            return False
    return True


def trouble(place: Path, words: tuple[str, ...]) -> str:
    """What is said of the store; "" where it was read."""
    done = CliRunner().invoke(cli, [*words, "--store", str(place)], standalone_mode=False)
    if isinstance(done.exception, SlowlinkError):
        return done.exception.message
    if done.exception is not None and not isinstance(done.exception, click.ClickException):
        raise done.exception
    return ""


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(COLUMNS), VALUES, st.booleans(), st.sampled_from(ASKED))
def test_any_value_anywhere_is_read_or_refused(
    sound: Path, tmp_path: Path, where: tuple[str, str], value: object, every: bool, words: tuple[str, ...]
) -> None:
    place = tmp_path / "damaged.sqlite"
    shutil.copy(sound, place)
    if damage(place, *where, value, every=every):
        trouble(place, words)


@pytest.mark.parametrize(
    ("table", "column", "value", "words", "said"),
    [
        ("runs", "at", float("inf"), ("history", "list"), "at holds inf, which is no moment"),
        ("runs", "at", "abc", ("history", "list"), "at holds 'abc', which is no moment"),
        ("runs", "verdict", b"\xff\xfe", ("history", "list"), r"verdict holds b'\xff\xfe', which is no text"),
        ("runs", "peak_busbw_gbs", "x", ("history", "list"), "peak_busbw_gbs holds 'x', which is no measured number"),
        ("sweeps", "plateau_busbw_gbs", 1e308, ("baseline", "show", "x"), "holds 1e+308, which is no measured number"),
        ("sweeps", "at", 2**62, ("history", "series"), "at holds 4.611686018427388e+18, which is no moment"),
        ("points", "size_bytes", "=cmd()", ("baseline", "compare", "x", "--run", "6"), "'=cmd()', which is no count"),
        ("reports", "document", 2**40, ("baseline", "compare", "x", "--run", "6"), "which is no document"),
        ("baselines", "created_at", -1e300, ("baseline", "list"), "created_at holds -1e+300"),
        ("baselines", "version", "one", ("baseline", "list"), "version holds 'one', which is no count"),
    ],
)
def test_what_is_damaged_is_named(
    sound: Path, tmp_path: Path, table: str, column: str, value: object, words: tuple[str, ...], said: str
) -> None:
    place = tmp_path / "damaged.sqlite"
    shutil.copy(sound, place)
    assert trouble(place, words) == ""
    assert damage(place, table, column, value, every=True)
    assert said in trouble(place, words)


@pytest.mark.parametrize(("at", "busbw"), [(-1e9, 350.0), (1e300, 350.0), (0.0, float("inf")), (0.0, 1e300)])
def test_nothing_is_kept_that_could_not_be_read_again(tmp_path: Path, at: float, busbw: float) -> None:
    """A bundle that is dated 1938, or a saved report of infinite bandwidth, must not cost the whole history."""
    with closing(open_store(str(tmp_path / "h.sqlite"), create=True)) as store:
        save(store, replace(record(1, plateau=busbw, points=4), at=at))
        (run,) = stored_runs(store, Filter(), 10)
        measured_by(store, [run.id])
        values_of(store, stored_series(store, {}), "plateau_busbw_gbs")
    assert run.at == min(max(at, 0.0), 253_402_300_799.0)
    assert run.peak_busbw_gbs == (350.0 if busbw == 350.0 else None)


ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT '0002' AS version_num FROM c WHERE x < 0"
)


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (f"ALTER TABLE alembic_version RENAME TO av; CREATE VIEW alembic_version AS {ENDLESS}", "view"),
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "trigger"),
        ("CREATE TABLE more (a, b AS (zeroblob(a)))", "entry of its schema that computes"),
        ("CREATE TABLE more (a, b GENERATED ALWAYS AS (a * 2) STORED)", "entry of its schema that computes"),
        ("CREATE VIRTUAL TABLE more USING fts5(a)", "entry of its schema that computes"),
    ],
)
@pytest.mark.parametrize("words", [("history", "list"), ("baseline", "list")])
def test_a_schema_that_is_a_program_is_refused(
    sound: Path, tmp_path: Path, statements: str, what: str, words: tuple[str, ...]
) -> None:
    place = tmp_path / "foreign.sqlite"
    shutil.copy(sound, place)
    with closing(sqlite3.connect(place)) as raw:
        raw.executescript(statements)
    found = CliRunner().invoke(cli, [*words, "--store", str(place)])
    assert isinstance(found.exception, SlowlinkError)
    assert what in found.exception.message
