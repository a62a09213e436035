"""``slowlink baseline``, and the gate that ``run --baseline NAME`` is."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from history_records import KEY, record, report
from slowlink import exits
from slowlink.cli.main import cli
from slowlink.cli.measuring.work import _with_baseline, load_baseline
from slowlink.config import Config
from slowlink.errors import SlowlinkError
from slowlink.expect.baseline import Tolerated
from slowlink.model.baseline import Baseline
from slowlink.model.report import NOT_ALL_READ, InputSummary
from slowlink.report.json import plain_json
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.gates import Gate, Judged
from slowlink.workflows.history.baselines import baseline_gate
from slowlink.workflows.history.keep import keep


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, standalone_mode=False)


def trouble(*arguments: str) -> str:
    error = slowlink(*arguments).exception
    assert isinstance(error, SlowlinkError)
    return error.slug


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLOWLINK_HISTORY", str(tmp_path / "h.sqlite"))
    with closing(open_store(str(tmp_path / "h.sqlite"), create=True)) as store:
        for number in range(6):
            save(store, record(number, 350.0 + number % 3))
        save(store, record(6, 330.0))
        save(store, record(7, 351.0))
        save(store, record(8, 351.0, key=replace(KEY, nodes="gpu[05-08]")))
    return tmp_path / "h.sqlite"


@pytest.fixture
def _nightly() -> None:
    assert slowlink("baseline", "save", "nightly", *(f"--run={run}" for run in range(1, 7))).return_value == 0


@pytest.mark.usefixtures("_nightly")
def test_kept_runs_are_held_against_it() -> None:
    worse = slowlink("baseline", "compare", "nightly", "--run", "7")
    assert worse.return_value == 1
    assert worse.output == snapshot("""\
worse than nightly@1

all_reduce on 32 ranks, gpu[01-04], hgx_h100, float sum, up to 8 GiB, nccl-tests
  worse  plateau -6.0% (-6.6% to -5.3%): 351 -> 330 GB/s; 6 runs before, 1 now
  same   latency +0.0% (-0.3% to +0.3%): 25 -> 25 us; 6 runs before, 1 now
  worse  24 sizes, most: 1 KiB -6.0% (-7.5% to -4.5%): 0.002917 -> 0.003103 us
""")
    assert slowlink("baseline", "compare", "nightly", "--run", "8").return_value == 0
    unlike = slowlink("baseline", "compare", "nightly", "--run", "9")
    assert (unlike.return_value, "gpu[01-04] there, gpu[05-08] here" in unlike.output) == (3, True)
    assert slowlink("baseline", "compare", "nightly", "--other-nodes").return_value == 0
    assert slowlink("baseline", "compare", "nightly", "--nodes", "gpu[01-04]", "--last", "2").return_value in (1, 3)
    found = json.loads(slowlink("baseline", "compare", "nightly", "--run", "7", "--format", "json").output)
    assert (found["schema"], found["outcome"]) == ("slowlink.baseline/1", "worse")


def test_a_report_at_a_path_is_held_against_it(place: Path, tmp_path: Path) -> None:
    run = keep(report(380.0, launches=5), str(place), command="run").run_id
    assert slowlink("baseline", "save", "one", "--run", str(run)).return_value == 0
    for busbw, status in ((381.0, 0), (340.0, 1)):
        (tmp_path / "new.json").write_text(plain_json(report(busbw, launches=5, nccl=["2.30"])))
        done = slowlink("baseline", "compare", "one", "new.json")
        assert done.return_value == status
        assert "what differs between runs is not in the interval" in done.output


CUT = InputSummary("b.gz", (), 1, 0, 0, 0, 0, problem="truncated gzip data", partial=True)
UNSOUND = (
    ({"verdict": "broken", "headline": "broken: it hung"}, 1, "it hung"),
    ({"inputs": (CUT,)}, 3, "b.gz: truncated gzip data"),
)


@pytest.mark.parametrize(("changed", "status", "words"), UNSOUND)
def test_what_is_broken_or_was_not_read_is_not_as_good(
    place: Path, tmp_path: Path, changed: dict[str, object], status: int, words: str
) -> None:
    run = keep(report(380.0, launches=5), str(place), command="run").run_id
    slowlink("baseline", "save", "one", "--run", str(run))
    new = replace(report(381.0, launches=5), **changed)
    (tmp_path / "new.json").write_text(plain_json(new))
    kept = keep(new, str(place), command="run").run_id
    for asked in (("new.json",), ("--run", str(kept))):
        done = slowlink("baseline", "compare", "one", *asked)
        assert (done.return_value, words in done.output) == (status, True)
        assert not done.output.startswith("as good as")
    baseline = load_baseline("one", Config())
    assert isinstance(baseline, Baseline)
    assert baseline_gate(new, baseline, Tolerated(), counts=True).status == status


@pytest.mark.usefixtures("_nightly")
def test_the_verdict_of_a_run_counts_whose_report_was_not_kept(place: Path) -> None:
    with closing(open_store(str(place), create=True)) as store:
        broken = save(store, replace(record(20, 351.0), verdict="broken", headline="it hung")).run_id
        unread = replace(record(21, 351.0), verdict="inconclusive", headline=f"open{NOT_ALL_READ}b.gz: cut")
        cut = save(store, unread).run_id
    for run, status in ((broken, 1), (cut, 3)):
        assert slowlink("baseline", "compare", "nightly", "--run", str(run)).return_value == status


@pytest.mark.usefixtures("_nightly")
def test_versions_are_counted_and_one_can_be_pinned() -> None:
    assert (
        slowlink("baseline", "save", "nightly", "--run", "7", "--note", "after the driver").output
        == "nightly@2: 1 run\n"
    )

    def shown(name: str) -> str:
        return slowlink("baseline", "show", name).output.partition(",")[0]

    assert (shown("nightly"), shown("nightly@1")) == ("nightly@2", "nightly@1")
    assert slowlink("baseline", "pin", "nightly@1").return_value == 0
    assert shown("nightly") == "nightly@1"
    listed = slowlink("baseline", "list").output.splitlines()
    assert [("pinned" in line, line.split()[0]) for line in listed] == [(False, "nightly@2"), (True, "nightly@1")]
    assert slowlink("baseline", "pin", "nightly").return_value == 0
    assert shown("nightly") == "nightly@2"


def test_what_cannot_be_is_said() -> None:
    assert slowlink("baseline", "list").return_value == 3
    assert trouble("baseline", "compare", "none") == "baseline-unknown"
    assert trouble("baseline", "pin", "none@3") == "baseline-unknown"
    assert trouble("baseline", "save", "../x", "--run", "1") == "baseline-name"
    assert trouble("baseline", "save", "x@1", "--run", "1") == "baseline-name"
    assert trouble("baseline", "save", "x", "--run", "99") == "run-unknown"
    assert trouble("baseline", "save", "x", "--collective", "reduce") == "baseline-empty"


def test_a_run_that_is_sick_is_named_where_it_is_saved(place: Path) -> None:
    with closing(open_store(str(place), create=True)) as store:
        number = save(store, replace(record(20), verdict="degraded")).run_id
    assert f"run {number} is degraded" in slowlink("baseline", "save", "sick", "--run", str(number)).stderr


def gate(baseline: Baseline, busbw: float | None, *, counts: bool = True) -> int:
    made = report(busbw or 1.0, launches=5 if busbw else 0)
    return baseline_gate(made, baseline, Tolerated(), counts=counts).status


def test_a_gate_fails_on_a_loss_and_passes_on_nothing(place: Path) -> None:
    run = keep(report(380.0, launches=5), str(place), command="run").run_id
    slowlink("baseline", "save", "gate", "--run", str(run))
    baseline = load_baseline("gate", Config())
    assert isinstance(baseline, Baseline)
    assert gate(baseline, 381.0) == exits.HEALTHY
    assert gate(baseline, 340.0) == exits.FINDINGS
    assert gate(baseline, 381.0, counts=False) == exits.INCONCLUSIVE
    assert gate(baseline, None) == exits.INCONCLUSIVE
    elsewhere = baseline_gate(report(381.0, hosts=("b1", "b2"), launches=5), baseline, Tolerated(), counts=True)
    assert (elsewhere.status, "nodes: gpu[01-02] there, b[1-2] here" in elsewhere.message) == (exits.INCONCLUSIVE, True)


def test_run_puts_the_gate_behind_the_others_and_heeds_them(place: Path) -> None:
    run = keep(report(380.0, launches=5), str(place), command="run").run_id
    slowlink("baseline", "save", "gate", "--run", str(run))
    baseline = load_baseline("gate", Config())

    def statuses(measured: int, busbw: float) -> tuple[int, ...]:
        judged = Judged((), (), (Gate("all_reduce: measurement", measured, ""),))
        return _with_baseline(judged, report(busbw, launches=5), baseline, 0.05).statuses

    assert statuses(exits.HEALTHY, 381.0) == (exits.HEALTHY, exits.HEALTHY)
    assert statuses(exits.INCONCLUSIVE, 381.0) == (exits.INCONCLUSIVE, exits.INCONCLUSIVE)
    assert statuses(exits.INCONCLUSIVE, 340.0) == (exits.INCONCLUSIVE, exits.FINDINGS)
    untouched = Judged((), (), ())
    assert _with_baseline(untouched, report(1.0), None, 0.05) is untouched


def test_the_name_of_a_gate_is_known_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, slug in (("none", "baseline-unknown"), ("none.json", "baseline-unreadable")):
        with pytest.raises(SlowlinkError) as raised:
            load_baseline(name, Config())
        assert raised.value.slug == slug
    monkeypatch.setenv("SLOWLINK_HISTORY", "off")
    with pytest.raises(SlowlinkError) as raised:
        load_baseline("nightly", Config())
    assert raised.value.slug == "history-off"
    assert load_baseline(None, Config()) is None


def test_that_no_run_is_left_to_compare_is_said() -> None:
    assert slowlink("baseline", "save", "all", "--last", "20").return_value == 0
    done = slowlink("baseline", "compare", "all")
    assert done.return_value == exits.INCONCLUSIVE
    assert (
        "slowlink: no run is as asked that all does not hold; measure again, or give a PATH or --run N" in done.stderr
    )
    assert "slowlink: no run is as asked; " in slowlink("baseline", "compare", "all", "--nodes", "gpu77").stderr
