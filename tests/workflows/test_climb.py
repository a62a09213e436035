"""Climbing into a bundle: interrupted anywhere, it is gone on with and ends with the same report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from climbing_machines import MadeUp, Silent, cpu_plan, gpu_plan, new_bundle
from inline_snapshot import snapshot

from slowlink import analyze
from slowlink.errors import SlowlinkError
from slowlink.model.ladder import LadderPlan, LadderTest
from slowlink.report.json import report_to_dict
from slowlink.workflows.climb.climbing import Climb
from slowlink.workflows.climb.record import gone_on_with, store_plan, stored_plan
from slowlink.workflows.climb.survey import parts_of

TESTS = 15
"""Of four nodes without GPUs: four pairs, two of them once more, since they are slow, and the fastest beside them; four
insides, one rank each, two pairs of nodes, all."""


def slow_node(test: LadderTest) -> float:
    return 0.02 if "node3" in test.nodes and len(test.nodes) > 1 else 1.0


def climb(place: Path, plan: LadderPlan, **more: Any) -> tuple[str, list[str]]:
    """From the beginning; gives why it stopped, and the tests that were run."""
    bundle = new_bundle(place)
    rounds = MadeUp(bundle, more.pop("give", slow_node), more.pop("stop", None), killed=more.pop("killed", False))
    try:
        store_plan(plan, bundle)
        return Climb(plan, bundle, rounds, Silent(), **more).until_end(), rounds.names
    except SystemExit:
        return "killed", rounds.names


def go_on(place: Path) -> list[str]:
    plan = stored_plan(place)
    bundle = gone_on_with(place, plan, ())
    rounds = MadeUp(bundle, slow_node)
    assert Climb(plan, bundle, rounds, Silent()).until_end() == ""
    return rounds.names


def told(place: Path) -> dict[str, Any]:
    """The whole report, but for the names of the place, and times and sizes of the manifest."""
    report = report_to_dict(analyze(str(place)))
    report["facts"].pop("bytes")
    inputs = [{**each, "bytes": 0} for each in report.pop("inputs")]
    return json.loads(json.dumps({**report, "inputs": inputs}).replace(str(place), "BUNDLE"))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole") / "bundle"
    stopped, names = climb(place, cpu_plan())
    assert (stopped, len(names)) == ("", TESTS)
    return place


def test_the_node_is_named_and_the_layer(whole: Path) -> None:
    report = analyze(str(whole))
    assert report.ladder is not None
    assert (report.verdict, report.ladder.lost_at) == ("degraded", "pairs-host")
    assert [suspect.name for suspect in report.diagnoses[0].suspects] == ["node3"]
    assert report.diagnoses[0].cause == "straggler-node"


@pytest.mark.parametrize("stop", [3, 9])
@pytest.mark.parametrize("killed", [False, True])
def test_interrupted_anywhere_it_ends_with_the_same_report(
    whole: Path, tmp_path: Path, stop: int, killed: bool
) -> None:
    place = tmp_path / "bundle"
    stopped, before = climb(place, cpu_plan(), stop=stop, killed=killed)
    assert stopped == ("killed" if killed else "interrupted")
    assert len(before) == stop
    if not killed:
        cut = analyze(str(place))
        assert cut.ladder is not None
        assert cut.ladder.stopped == "interrupted"
    assert len(go_on(place)) == TESTS - stop
    assert told(place) == told(whole)


def test_a_layer_that_hangs_stops_what_stands_on_it(tmp_path: Path) -> None:
    def give(test: LadderTest) -> float | None:
        return None if test.layer == "one-rank" else 1.0

    stopped, names = climb(tmp_path / "bundle", cpu_plan(), give=give)
    assert stopped == ""
    assert names[-1] == "one-rank"
    report = analyze(str(tmp_path / "bundle"))
    assert report.ladder is not None
    assert {rung.layer: rung.state for rung in report.ladder.rungs}["all-nodes"] == "not-run"
    assert report.ladder.lost_at == "one-rank"
    assert report.verdict in ("broken", "degraded")


def without_gdr(test: LadderTest) -> float:
    """Two nodes give 60 GB/s whatever is changed, but for what goes over sockets or leaves GPUs' links unused."""
    if test.layer == "node":
        return 480.0
    if "NCCL_IB_DISABLE" in test.env:
        return 3.0
    return 40.0 if "NCCL_P2P_DISABLE" in test.env else 0.9 if test.layer == "pairs-host" else 60.0


def held(place: Path, stop: int | None = None) -> dict[str, Any]:
    """The interview, interrupted before the launch of this number and gone on with."""
    plan = gpu_plan()
    climb(place, plan, give=without_gdr, stop=stop, experiments=True)
    if stop is not None:
        bundle = gone_on_with(place, stored_plan(place), ())
        assert Climb(plan, bundle, MadeUp(bundle, without_gdr), Silent(), experiments=True).until_end() == ""
    ladder = told(place)["ladder"]
    assert isinstance(ladder, dict)
    return ladder


def test_experiments_follow_where_nccl_loses_bandwidth(tmp_path: Path) -> None:
    """Turning GPUDirect RDMA off changes nothing: it was off. Interrupted between two questions, it asks on."""
    ladder = held(tmp_path / "whole")
    interview = ladder["interview"]
    assert (ladder["lost_at"], interview["layer"], interview["symptom"]) == ("two-nodes", "two-nodes", "loss")
    assert [(each["id"], each["outcome"]) for each in interview["done"]] == snapshot(
        [("gdr-off", "same"), ("more-channels", "same"), ("nvls-off", "same")]
    )
    assert interview["remaining"] == snapshot(["pcie-link-degraded"])
    assert held(tmp_path / "cut", stop=13) == ladder


def test_after_the_budget_no_test_begins(tmp_path: Path) -> None:
    times = iter(range(0, 1000, 10))
    stopped, names = climb(tmp_path / "bundle", cpu_plan(), budget_s=25.0, clock=lambda: float(next(times)))
    assert stopped == "the budget of 25 s was used up"
    assert 0 < len(names) < TESTS
    assert len(go_on(tmp_path / "bundle")) == TESTS - len(names)


def test_a_bundle_of_something_else_is_refused(tmp_path: Path) -> None:
    with new_bundle(tmp_path / "bundle"):
        pass
    with pytest.raises(SlowlinkError) as caught:
        stored_plan(tmp_path / "bundle")
    assert caught.value.slug == "no-ladder"
    with pytest.raises(SlowlinkError) as caught:
        stored_plan(tmp_path)
    assert caught.value.slug == "bundle-not-found"


def test_what_a_node_has_and_what_is_near() -> None:
    said = (
        "Welcome to gpu01\n"
        "slowlink-part hca mlx5_10 /sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0 up\n"
        "slowlink-part hca mlx5_2 /sys/devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0 down\n"
        "slowlink-part gpu 0000:14:00.0 /sys/devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0 nvidia\n"
        "slowlink-part gpu 0000:91:00.0 /sys/devices/pci0000:90/0000:90:01.0/0000:91:00.0 nvidia\n"
        "slowlink-part gpu\n"
    )
    parts = parts_of("gpu01", said)
    assert (parts.gpus, [hca.name for hca in parts.hcas]) == (2, ["mlx5_2", "mlx5_10"])
    assert (parts.hcas[0].is_up, parts.hcas[0].near_gpu, parts.hcas[0].far_gpu) == (False, 0, 1)
    assert (parts.hcas[1].near_gpu, parts.hcas[1].far_gpu) == (0, None)


@pytest.mark.parametrize("way", ["moved", "copied", "changed", "of another home"])
def test_what_this_slowlink_did_not_begin_here_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    place = tmp_path / "bundle"
    climb(place, cpu_plan(), stop=2)
    assert stored_plan(place).nodes
    other = tmp_path / "other"
    if way == "moved":
        place = place.rename(other)
    elif way == "copied":
        place = shutil.copytree(place, other)
    elif way == "changed":
        plan = place / "captures" / "ladder" / "ladder.json"
        plan.write_text(plan.read_text().replace("node4", "node5"))
    else:
        monkeypatch.setenv("XDG_STATE_HOME", str(other))
    with pytest.raises(SlowlinkError) as caught:
        stored_plan(place)
    assert caught.value.slug == "bundle-not-begun-here"
    assert "go on where it was begun" in caught.value.hint


def test_a_test_that_leaves_no_result_ends_the_climb(tmp_path: Path) -> None:
    """As where what it printed goes elsewhere: the same round would be asked for again and again."""

    class Mute(MadeUp):
        def run(self, tests: Sequence[LadderTest]) -> None:
            self.names += [test.name for test in tests]
            assert len(self.names) < 20

    bundle = new_bundle(tmp_path / "bundle")
    plan = cpu_plan()
    store_plan(plan, bundle)
    rounds = Mute(bundle, slow_node)
    stopped = Climb(plan, bundle, rounds, Silent()).until_end()
    assert stopped == f"{min(rounds.names)} was run, and the bundle holds no result of it"
    report = analyze(str(tmp_path / "bundle"))
    assert report.ladder is not None
    assert report.ladder.stopped == stopped
