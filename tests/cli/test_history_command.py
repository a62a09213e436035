"""``slowlink history``: listing and filling it; and which commands keep their reports."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from history_records import KEY, record
from slowlink.cli.main import cli
from slowlink.store.connect import open_store
from slowlink.store.write import save

LOG = "# nThread 1 nGpus 1\nno table\n"


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, standalone_mode=False)


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLOWLINK_HISTORY", str(tmp_path / "h.sqlite"))
    return tmp_path / "h.sqlite"


@pytest.fixture
def _three_runs(place: Path) -> None:
    odd = replace(record(3, key=replace(KEY, nodes="=cmd()\x1b[31m", collective="alltoall")), at_basis="stored")
    with closing(open_store(str(place), create=True)) as store:
        for each in (record(1), record(2, 351.0), odd):
            save(store, each)


@pytest.mark.usefixtures("_three_runs")
def test_the_newest_runs_are_listed_first_and_text_does_no_harm() -> None:
    done = slowlink("history")
    assert done.return_value == 0
    assert done.output == snapshot("""\
run    when (UTC)       command  verdict      busbw     what
3      2023-11-17 kept  run      healthy      350 GB/s  alltoall on =cmd()\\x1b[31m hgx_h100
2      2023-11-16 22:13 run      healthy      351 GB/s  all_reduce on gpu[01-04] hgx_h100
1      2023-11-15 22:13 run      healthy      350 GB/s  all_reduce on gpu[01-04] hgx_h100
""")
    assert slowlink("history", "--last", "2").output.endswith("1 older ones: --last\n")


@pytest.mark.usefixtures("_three_runs")
def test_filters_and_formats() -> None:
    found = json.loads(slowlink("history", "--collective", "alltoall", "--format", "json").output)
    assert (found["schema"], found["total"], [run["id"] for run in found["runs"]]) == ("slowlink.history/1", 1, [3])
    rows = list(csv.DictReader(slowlink("history", "--format", "csv").output.splitlines()))
    assert [row["id"] for row in rows] == ["3", "2", "1"]
    assert rows[0]["nodes"].startswith("'=cmd()")
    assert "\x1b" not in rows[0]["nodes"]
    assert [
        slowlink("history", *asked).return_value for asked in (["--nodes", "gpu[01-04]"], ["--nodes", "gpu01"])
    ] == [
        0,
        3,
    ]
    assert slowlink("history", "--since", "2023-11-17", "--format", "csv").output.count("\n") == 2
    assert slowlink("history", "--since", "1h").return_value == 3


def test_without_a_history_nothing_is_made_and_nothing_passes(place: Path) -> None:
    assert slowlink("history").return_value == 3
    assert not place.exists()


def test_analyze_keeps_only_when_asked(place: Path, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(LOG)
    slowlink("analyze", "job.log")
    assert not place.exists()
    status = slowlink("analyze", "job.log").return_value
    assert slowlink("analyze", "--history", "job.log").return_value == status
    assert slowlink("analyze", "--history", "job.log").return_value == status
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("SELECT command, at_basis FROM runs").fetchall() == [("analyze", "stored")]


def test_what_goes_wrong_there_changes_no_status(place: Path, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(LOG)
    place.write_text("no database " * 1000)
    done = slowlink("analyze", "--history", "job.log")
    assert done.return_value == slowlink("analyze", "job.log").return_value
    assert "history: not kept: " in done.stderr


def test_a_user_without_a_home_measures_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from slowlink.cli.measuring.keeping import history_place
    from slowlink.config import Config
    from slowlink.errors import SlowlinkError

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("SLOWLINK_HISTORY")
    assert history_place(Config(), wanted=True) == "off"
    monkeypatch.setenv("SLOWLINK_HISTORY", "mysql://a/b")
    with pytest.raises(SlowlinkError):
        history_place(Config(), wanted=True)
    assert history_place(Config(), wanted=False) == "off"


def test_the_site_names_the_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SLOWLINK_HISTORY")
    (tmp_path / "slowlink.toml").write_text('history = "site.sqlite"\n')
    (tmp_path / "job.log").write_text(LOG)
    slowlink("analyze", "--history", "job.log")
    assert (tmp_path / "site.sqlite").exists()


def test_a_rebuild_counts(tmp_path: Path) -> None:
    from slowlink.bundle import BundleWriter

    BundleWriter(tmp_path / "all" / "b1", command=["slowlink", "run"]).finish()
    assert slowlink("history", "rebuild", "all").output == "1 kept, 0 known already, 0 could not be read\n"
    assert slowlink("history", "rebuild", "all").output == "0 kept, 1 known already, 0 could not be read\n"
    (tmp_path / "empty").mkdir()
    assert slowlink("history", "rebuild", "empty").return_value == 3


@pytest.mark.usefixtures("_three_runs")
def test_a_series_of_too_few_runs_passes_nothing() -> None:
    done = slowlink("history", "series", "--nodes", "gpu[01-04]")
    assert (done.return_value, "too few runs to tell" in done.output) == (3, True)
    assert slowlink("history", "series", "--collective", "reduce").return_value == 3


def test_a_series_whose_newest_change_is_for_the_worse_is_a_finding(place: Path) -> None:
    with closing(open_store(str(place), create=True)) as store:
        for number in range(30):
            save(store, record(number, 350.0 + number % 3 - 15 * (number >= 20)))
    assert slowlink("history", "series").return_value == 1
    assert slowlink("history", "series", "--until", "2023-12-03", "--format", "csv").return_value == 0
    found = json.loads(slowlink("history", "series", "--format", "json").output)
    assert (found["false_alarms"], len(found["series"][0]["changes"])) == (0.01, 1)
