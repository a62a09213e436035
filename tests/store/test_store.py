"""The store, as a file of SQLite and on a real PostgreSQL: whole reports, once, whatever happens to writers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from stat import S_IMODE

import pytest
from msgspec.structs import replace

import history_records
from history_records import EACH, KEY, KILLED, START, WRITERS, digest, record
from postgresql_server import server
from slowlink.errors import SlowlinkError
from slowlink.model.history import FactRecord, RunRecord
from slowlink.model.metrics import CauseCount
from slowlink.store import schema
from slowlink.store.baselines import pin_baseline, put_baseline, stored_baseline
from slowlink.store.connect import Store, open_store
from slowlink.store.newest import kept_so_far, newest_run_of, newest_runs, newest_values
from slowlink.store.read import Filter, count_runs, facts_of_run, runs_by_number, stored_report, stored_runs
from slowlink.store.read_series import stored_series, values_at_size, values_of
from slowlink.store.write import save

pytestmark = pytest.mark.xdist_group("store")  # one server for all

HOSTILE = "'); DROP TABLE runs; --\u202e\x1b[31m<script>"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "deep" / "er" / "history.sqlite")
    found = str(request.getfixturevalue("url"))
    with closing(open_store(found, create=True)) as store, store.writing() as connection:
        schema.metadata.drop_all(connection)
        connection.exec_driver_sql("DROP TABLE alembic_version")
    return found


def kept(place: str, *records: RunRecord) -> Store:
    store = open_store(place, create=True)
    for each in records:
        save(store, each)
    return store


def counts(store: Store) -> dict[str, int]:
    with store.reading() as connection:
        tables = schema.metadata.sorted_tables
        return {each.name: len(connection.execute(each.select()).all()) for each in tables}


def test_a_report_comes_back_as_it_was(place: str) -> None:
    facts = (FactRecord("driver-version", "", "gpu[01-04]", "580.1"), FactRecord("job:NCCL_ALGO", "", "", "Ring"))
    with closing(kept(place, replace(record(1, facts=facts), document=b"\x00packed"))) as store:
        (run,) = stored_runs(store, Filter(), 10)
        assert (run.at, run.nodes, run.collectives, run.peak_busbw_gbs) == (
            START + 86_400,
            "gpu[01-04]",
            "all_reduce",
            350.0,
        )
        assert facts_of_run(store, run.id) == facts
        assert stored_report(store, run.id) == b"\x00packed"
        assert runs_by_number(store, [run.id, 99]) == {run.id: run}


def test_the_same_report_is_kept_once_and_what_runs_share_too(place: str) -> None:
    with closing(kept(place, record(1), record(2), record(1))) as store:
        found = counts(store)
    assert (found["runs"], found["sweeps"], found["series"], found["environments"]) == (2, 2, 1, 1)
    assert (found["points"], found["findings"]) == (48, 2)


def test_runs_are_chosen_by_what_they_are_about(place: str) -> None:
    other = record(3, key=replace(KEY, system="dgx_a100", nodes="a01", collective="alltoall"))
    with closing(kept(place, record(1), record(2), replace(other, command="check", findings=()))) as store:

        def numbers(**wanted: object) -> list[float]:
            chosen = Filter(**wanted)  # type: ignore[arg-type]
            assert count_runs(store, chosen) == len(stored_runs(store, chosen, 10))
            return [(run.at - START) / 86_400 for run in stored_runs(store, chosen, 10)]

        assert numbers() == [3, 2, 1]
        assert numbers(system="dgx_a100") == [3]
        assert numbers(nodes="gpu[01-04]") == [2, 1]
        assert numbers(collective="alltoall") == [3]
        assert numbers(command="run", since=START + 2 * 86_400) == [2]
        assert numbers(until=START + 86_400) == [1]
        assert numbers(cause="port-down") == [2, 1]
        assert numbers(cause=HOSTILE) == []


def test_hostile_text_is_text(place: str) -> None:
    odd = replace(record(1, key=replace(KEY, nodes=HOSTILE)), headline=HOSTILE, command=HOSTILE)
    with closing(kept(place, odd)) as store:
        (run,) = stored_runs(store, Filter(nodes=HOSTILE, command=HOSTILE), 10)
        assert (run.headline, counts(store)["runs"]) == (HOSTILE, 1)


def test_a_series_is_what_the_same_question_was_answered_with(place: str) -> None:
    other = record(9, key=replace(KEY, nodes="a01"))
    twice = record(3, 340.0)
    unfinished = replace(record(4), sweeps=(replace(record(4).sweeps[0], complete=False),))
    twice = replace(twice, sweeps=(*twice.sweeps, *record(3, 344.0).sweeps))
    with closing(kept(place, record(2, 351.0), record(1), twice, unfinished, other)) as store:
        first, second = stored_series(store, {"collective": "all_reduce"})
        assert (first.key, first.launches, first.first_at, second.key.nodes) == (KEY, 4, START + 86_400, "a01")
        assert [each.value for each in values_of(store, [first], "plateau_busbw_gbs")] == [350.0, 351.0, 342.0]
        assert [each.value for each in values_of(store, [first], "latency_us", since=START + 2 * 86_400)] == [25.0] * 2
        (value,) = values_at_size(store, [first], "busbw_gbs", 1 << 20, until=START + 86_400)
        assert (value.value, value.nodes) == (350.0, "gpu[01-04]")
        assert stored_series(store, {"nodes": HOSTILE}) == ()


def test_the_newest_run_is_that_of_its_command_and_nodes(place: str) -> None:
    finding = record(1).findings[0]
    twice = replace(record(3), verdict="degraded", findings=(finding, replace(finding, cause="no-cable"), finding))
    same_moment = replace(record(4), at=twice.at, findings=())
    other = replace(record(2), command="check", nodes="gpu05")
    with closing(kept(place, record(1), same_moment, twice, other)) as store:
        found, total = newest_runs(store, 10)
        assert total == 2
        assert [(run.run_id, run.command, run.nodes, run.verdict) for run in found] == [
            (3, "run", "gpu[01-04]", "degraded"),
            (4, "check", "gpu05", "healthy"),
        ]
        assert found[0].causes == (CauseCount("port-down", "error", 2), CauseCount("no-cable", "error", 1))
        assert [run.run_id for run in newest_runs(store, 1)[0]] == [3]


def test_runs_of_one_moment_keep_no_other_nodes_out(place: str) -> None:
    other = replace(record(9), nodes="gpu05")
    with closing(kept(place, *(replace(record(number), at=START + 9e6) for number in range(4)), other)) as store:
        found, total = newest_runs(store, 2)
        assert ([(run.run_id, run.nodes) for run in found], total) == ([(4, "gpu[01-04]"), (5, "gpu05")], 2)


def test_the_newest_values_of_a_series_are_of_its_newest_whole_run(place: str) -> None:
    launched = replace(record(2), sweeps=tuple(history_records.sweep(value) for value in (340.0, 344.0, 360.0)))
    torn = replace(record(3), sweeps=(replace(history_records.sweep(90.0), complete=False),))
    unknown = replace(KEY, nodes="", nnodes=None, nranks=None)
    silent = replace(history_records.sweep(1.0, unknown), plateau_busbw_gbs=None, expected_low_gbs=None)
    with closing(kept(place, record(1), launched, torn, replace(record(0), sweeps=(silent,)))) as store:
        first, second = newest_values(store, 10)[0]
        assert (first.key, first.run_id, first.at, first.runs) == (KEY, 2, START + 2 * 86_400, 2)
        assert (first.plateau_busbw_gbs, first.latency_us, first.expected_low_gbs) == (344.0, 25.0, 330.0)
        assert (second.key, second.plateau_busbw_gbs, second.expected_low_gbs) == (unknown, None, None)
        assert [len(found) for found in newest_values(store, 1)[:1]] == [1]
        assert newest_values(store, 1)[1] == 2
        assert newest_run_of(store, KEY, START) == (2, digest(f"run 2 {KEY}"))
        assert newest_run_of(store, KEY, START + 2 * 86_400) is None
        assert newest_run_of(store, unknown, START - 1) is not None


def test_what_was_kept_so_far_tells_when_anything_is_new(place: str) -> None:
    with closing(kept(place, record(1))) as store:
        states = [kept_so_far(store), kept_so_far(store)]
        save(store, record(2))
        states.append(kept_so_far(store))
        put_baseline(store, "nightly", [1], "")
        states.append(kept_so_far(store))
        pin_baseline(store, "nightly", 1)
        states.append(kept_so_far(store))
    assert [one == other for one, other in pairwise(states)] == [True, False, False, False]


def test_a_report_that_fails_half_way_leaves_nothing(place: str) -> None:
    twice = record(2)
    broken = replace(twice, sweeps=(*twice.sweeps, replace(twice.sweeps[0], engine=None)))
    with closing(kept(place, record(1))) as store:
        before = counts(store)
        with pytest.raises(SlowlinkError) as raised:
            save(store, broken)
        assert raised.value.slug == "history-unusable"
        assert counts(store) == before


def test_twenty_writers_and_a_kill_lose_no_finished_report(place: str) -> None:
    """The kills come wherever the writers are; what one was told is kept is there, and every report is whole."""
    open_store(place, create=True).close() if "://" in place else None  # a file is made by all of them at once
    program = [sys.executable, history_records.__file__, place]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=300, env=environment)
    told = done.stdout.split()
    assert len(told) >= (WRITERS - KILLED) * EACH + KILLED
    with closing(open_store(place, create=False)) as store:
        with store.reading() as connection:
            there = {row.content for row in connection.execute(schema.runs.select())}
        found = counts(store)
        if "://" not in place:
            with store.reading() as connection:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    assert set(told) <= there
    assert len(there) <= len(told) + KILLED
    assert (found["sweeps"], found["points"], found["findings"]) == (len(there), 24 * len(there), len(there))


def test_the_migrations_make_the_tables_of_the_schema(place: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with closing(open_store(place, create=True)) as store, store.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
        assert context.get_current_revision() == schema.HEAD


def test_a_store_of_an_older_slowlink_gets_its_tables_and_keeps_its_runs(place: str) -> None:
    with closing(kept(place, record(1))) as store, store.writing() as connection:
        connection.exec_driver_sql("DROP TABLE baseline_runs")
        connection.exec_driver_sql("DROP TABLE baselines")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
    with closing(open_store(place, create=False)) as store:
        saved = put_baseline(store, "n", [1], "")
        found = stored_baseline(store, "n")
    assert (saved.version, found.runs, [each.key for each in found.series]) == (1, (1,), [KEY])
    assert found.series[0].launches[0].busbw_gbs[1 << 20] == 350.0


def test_a_store_of_a_newer_slowlink_is_left_alone(place: str) -> None:
    with closing(open_store(place, create=True)) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SlowlinkError) as raised:
        open_store(place, create=True)
    assert raised.value.slug == "history-newer"


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with closing(kept(str(tmp_path / "a" / "b" / "h.sqlite"), record(1))) as store, store.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            files = {path.name: S_IMODE(path.stat().st_mode) for path in (tmp_path / "a" / "b").iterdir()}
    finally:
        os.umask(before)
    assert files == dict.fromkeys(("h.sqlite", "h.sqlite.lock", "h.sqlite-wal", "h.sqlite-shm"), 0o600)
    assert [S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b")] == [0o700, 0o700]


def test_what_is_no_database_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "h.sqlite").write_text("no database " * 1000)
    with pytest.raises(SlowlinkError, match="file is not a database") as raised:
        open_store(str(tmp_path / "h.sqlite"), create=True)
    assert raised.value.slug == "history-unusable"
    with pytest.raises(SlowlinkError) as raised:
        open_store(str(tmp_path / "none"), create=False)
    assert raised.value.slug == "history-empty"
    assert not (tmp_path / "none").exists()


def test_a_server_that_is_not_there_is_said_without_the_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SlowlinkError) as raised:
        open_store("postgresql://me:secret@127.0.0.1:1/none", create=True)
    assert raised.value.slug == "history-unusable"
    assert "secret" not in raised.value.message


WITHOUT_LIBRARIES = """\
import sys
sys.modules.update(dict.fromkeys(("sqlalchemy", "alembic", "psycopg")))
from slowlink.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("words", "status", "extra"),
    [
        (("history",), 2, "history"),
        (("history", "series", "--store", "postgresql://a@b/c"), 2, "postgresql"),
        (("baseline", "compare", "nightly"), 2, "history"),
        (("run", "all_reduce", "--baseline", "nightly", "--dry-run"), 2, "history"),
        (("analyze", "--history", "-q", "job.log"), 3, "history"),
    ],
)
def test_where_its_libraries_are_not_installed_it_says_what_to_install(
    tmp_path: Path, words: tuple[str, ...], status: int, extra: str
) -> None:
    (tmp_path / "job.log").write_text("nothing that anybody knows\n")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("SLOWLINK_HISTORY", None)
    command = [sys.executable, "-c", WITHOUT_LIBRARIES, *words]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert f"pip install 'slowlink[{extra}]'" in done.stderr
