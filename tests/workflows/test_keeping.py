"""What is kept of a report, and bundles that are read anew."""

from __future__ import annotations

import json
import os
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from history_records import report
from slowlink.bundle import BundleWriter, pack
from slowlink.errors import SlowlinkError
from slowlink.model.history import FactRecord, RunRecord
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json
from slowlink.store.connect import open_store
from slowlink.store.read import Filter, stored_report, stored_runs
from slowlink.store.read_series import stored_series
from slowlink.workflows.history.keep import keep, rebuild
from slowlink.workflows.history.record import Origin, record_of

STATE = {
    "driver-version": [{"value": "580.1", "parts": [""], "nodes": "gpu[01-02]"}],
    "boot-id": [{"value": "b1", "parts": [""], "nodes": "gpu01"}],
    "gpu-temperature": [{"value": 40, "parts": ["0"], "nodes": "gpu01"}],
    "unheard-of": [{"value": 1, "parts": [""], "nodes": "gpu01"}],
}


def record(given_report: Report, **origin: object) -> RunRecord:
    return record_of(given_report, Origin("run", **origin), 5.0)  # type: ignore[arg-type]


def rebooted(state: dict[str, object]) -> dict[str, object]:
    return {**state, "boot-id": [{"value": "b2", "parts": [""], "nodes": "gpu01"}]}


def test_a_sweep_is_kept_with_its_question_and_its_numbers() -> None:
    kept = record(report(380.0, launches=2, system="hgx_h100"), at=7.0)
    assert (kept.at, kept.at_basis, kept.nodes, kept.nnodes, len(kept.sweeps)) == (7.0, "bundle", "gpu[01-02]", 2, 2)
    sweep = kept.sweeps[0]
    assert (sweep.plateau_busbw_gbs, sweep.latency_us, len(sweep.points)) == (380.0, None, 3)
    assert (sweep.key.system, sweep.key.nodes, sweep.key.engine) == ("hgx_h100", "gpu[01-02]", "nccl-tests")
    assert sweep.engine == "nccl-tests 2.17.6"


def test_of_the_environment_only_what_somebody_sets_or_installs_is_kept() -> None:
    kept = record(report(380.0, node_state=STATE, environment={"NCCL_ALGO": ["Ring"]}, nccl=["2.29.7"]))
    assert kept.facts == (
        FactRecord("boot-id", "", "gpu01", "b1"),
        FactRecord("driver-version", "", "gpu[01-02]", "580.1"),
        FactRecord("job:NCCL_ALGO", "", "", "Ring"),
        FactRecord("job:nccl", "", "", "2.29.7"),
    )
    again = record(report(380.0, node_state=rebooted(STATE), environment={"NCCL_ALGO": ["Ring"]}, nccl=["2.29.7"]))
    assert (kept.environment == again.environment, kept.fingerprint == again.fingerprint) == (False, True)


def test_a_report_without_a_time_says_so_and_is_itself() -> None:
    one, other = record(report(380.0)), record(report(381.0))
    assert (one.at, one.at_basis) == (5.0, "stored")
    assert one.content == record(report(380.0)).content != other.content
    assert record(report(380.0), identity="b").content == record(report(381.0), identity="b").content


def test_numbers_of_wrong_results_count_nowhere() -> None:
    made = report(380.0)
    points = (replace(made.sweeps[0].points[0], wrong=3.0), *made.sweeps[0].points[1:])
    (kept,) = record(replace(made, sweeps=(replace(made.sweeps[0], points=points),))).sweeps
    assert (record(made).sweeps[0].complete, kept.complete) == (True, False)


def test_root_causes_are_kept() -> None:
    found = Diagnosis("port-down", "t", "m", "fabric", "error", "certain", suspects=(Suspect("hca", "mlx5_3"),))
    (kept,) = record(replace(report(1.0), diagnoses=(found,))).findings
    assert (kept.cause, kept.suspects, kept.severity) == ("port-down", "hca mlx5_3", "error")


@given(
    st.dictionaries(
        st.sampled_from(["hosts", "gpu", "system", "node_state", "environment", "nccl", "state_nodes"]),
        st.recursive(
            st.none() | st.integers() | st.floats() | st.text(st.characters()),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
            max_leaves=6,
        ),
    ),
    st.text(st.characters()),
)
def test_any_report_gives_a_record_that_every_database_takes(facts: dict[str, object], headline: str) -> None:
    kept = record(replace(report(1.0), headline=headline, facts=facts))
    texts = [kept.headline, kept.nodes, kept.system, kept.gpu, *(fact.value for fact in kept.facts)]
    for text in texts:
        assert "\0" not in text
        text.encode()


@pytest.fixture
def bundles(tmp_path: Path) -> Path:
    place = tmp_path / "bundles"
    for number in (1, 2):
        with BundleWriter(
            place / "deep" / f"b{number}", command=["slowlink", "run", "all_reduce"], clock=partial(float, 1e9 + number)
        ) as bundle:
            bundle.set_nodes([f"gpu0{number}"])
    return place


def test_bundles_are_read_once_wherever_they_lie(bundles: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    pack(bundles / "deep" / "b1", bundles / "b1.tar.zst", lambda name, why: None)
    (bundles / "loop").symlink_to(bundles)
    (bundles / "notes.json").write_text('{"schema": "slowlink.report/1"}')

    def again() -> list[bool]:
        return [bool(done.kept and done.kept.is_new) for done in rebuild([bundles], place, hardware=None, rules=None)]

    assert again() == [True, False, True]
    assert again() == [False, False, False]
    with closing(open_store(place, create=False)) as store:
        runs = stored_runs(store, Filter(), 10)
    assert [(run.at, run.command) for run in runs] == [(1e9 + 2, "run"), (1e9 + 1, "run")]


def test_what_run_kept_is_known_to_a_rebuild(bundles: Path, tmp_path: Path) -> None:
    place, bundle = str(tmp_path / "h.sqlite"), bundles / "deep" / "b1"
    first = keep(report(380.0), place, command="run", bundle=bundle)
    (done,) = rebuild([bundle], place, hardware=None, rules=None)
    assert (first.is_new, done.kept) == (True, replace(first, is_new=False))


def test_what_cannot_be_read_is_told_and_the_others_go_on(bundles: Path, tmp_path: Path) -> None:
    saved, odd = tmp_path / "saved.json", tmp_path / "odd.json"
    saved.write_text(plain_json(report(380.0)))
    odd.write_text(plain_json(replace(report(380.0), schema="slowlink.report/99")))
    found = list(rebuild([odd, saved], str(tmp_path / "h.sqlite"), hardware=None, rules=None))
    assert [(each.kept is None, bool(each.why)) for each in found] == [(True, True), (False, False)]
    with pytest.raises(SlowlinkError):
        list(rebuild([tmp_path / "none"], str(tmp_path / "h.sqlite"), hardware=None, rules=None))


def test_the_whole_report_comes_back(tmp_path: Path) -> None:
    from zstandard import ZstdDecompressor

    place = str(tmp_path / "h.sqlite")
    kept = keep(report(380.0), place, command="analyze")
    with closing(open_store(place, create=False)) as store:
        packed = stored_report(store, kept.run_id)
    assert packed is not None
    assert json.loads(ZstdDecompressor().decompress(packed))["sweeps"][0]["peak_busbw_gbs"] == 380.0


def _rebuilt(place: Path, tmp_path: Path) -> list[tuple[str, bool, str]]:
    done = rebuild([place], str(tmp_path / "h.sqlite"), hardware=None, rules=None)
    return [(Path(each.path).name, each.kept is not None, each.why) for each in done]


def test_pipes_in_the_way_are_not_waited_for(bundles: Path, tmp_path: Path) -> None:
    (bundles / "odd").mkdir()
    os.mkfifo(bundles / "odd" / "manifest.json")
    os.mkfifo(bundles / "x.tar.gz")
    (bundles / "linked.tar.gz").symlink_to(bundles / "x.tar.gz")
    assert _rebuilt(bundles, tmp_path) == [
        ("x.tar.gz", False, "a named pipe, not read"),
        ("b1", True, ""),
        ("b2", True, ""),
    ]
    assert _rebuilt(bundles / "x.tar.gz", tmp_path) == [("x.tar.gz", False, "a named pipe, not read")]


def test_folders_too_deep_are_told_and_the_others_go_on(bundles: Path, tmp_path: Path) -> None:
    deep = bundles / "a"
    for _ in range(70):
        deep /= "d"
    deep.mkdir(parents=True)
    assert _rebuilt(bundles, tmp_path) == [
        ("d", False, "lies more than 64 folders deep, not read"),
        ("b1", True, ""),
        ("b2", True, ""),
    ]


def test_a_bundle_is_one_whatever_lies_in_it(bundles: Path, tmp_path: Path) -> None:
    pack(bundles / "deep" / "b1", bundles / "deep" / "b2" / "b1.tar.zst", lambda name, why: None)
    assert [name for name, _, _ in _rebuilt(bundles, tmp_path)] == ["b1", "b2"]


def test_names_that_are_no_utf_8_are_kept(bundles: Path, tmp_path: Path) -> None:
    named = os.fsdecode(os.fsencode(bundles / "deep") + b"\xfc")
    (bundles / "deep").rename(named)
    (Path(named) / "b1" / "Pr\udcfc.log").write_text("node01:4005:4105 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n")
    assert [kept for _, kept, _ in _rebuilt(bundles, tmp_path)] == [True, True]
    assert [kept for _, kept, _ in _rebuilt(Path(named) / "b1", tmp_path)] == [True]


def test_counts_below_nothing_are_unknown_and_the_history_stays_readable(tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    made = report(380.0)
    keep(replace(made, sweeps=(replace(made.sweeps[0], nranks=-1, nnodes=-(2**70)),)), place, command="analyze")
    with closing(open_store(place, create=False)) as store:
        (series,) = stored_series(store, {})
    assert (series.key.nranks, series.key.nnodes) == (None, None)
