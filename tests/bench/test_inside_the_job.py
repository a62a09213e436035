"""The bench that counts whom the judge of running jobs blames: a wrong accusation is never a miss."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("inside_the_job", ROOT / "bench" / "inside_the_job.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["inside_the_job"] = module
    spec.loader.exec_module(module)
    return module


def judged(sick: Sick, shape: Shape) -> tuple[HeldUp, Timed]:
    known = timed(list(columns_of(Job(shape, Noise(), sick, 1), 40)))
    assert known is not None
    return held_up(known, Params().tolerances()), known


def test_a_late_rank_is_named_for_being_late_and_for_nothing_else(bench: ModuleType) -> None:
    found, known = judged(Sick(gpu={9: 0.8}), Shape(4, 4, 2))
    assert bench.column_of(found, known, "late node03 1") == "named"
    assert [bench.column_of(found, known, truth) for truth in ("slow node03 1", "late node03 2", "")] == ["wrong"] * 3


def test_a_late_node_is_its_node(bench: ModuleType) -> None:
    found, known = judged(Sick(gpu=dict.fromkeys(range(8, 12), 0.8)), Shape(4, 4, 2))
    assert bench.column_of(found, known, "late node03") == "named"
    assert bench.column_of(found, known, "late node03 1") == "wrong"


def test_several_of_whom_it_is_one_are_wider_and_of_whom_it_is_none_are_wrong(bench: ModuleType) -> None:
    found, known = judged(Sick(hca={9: 0.4}), Shape(4, 4, 1))
    assert found.slow[0].place.candidates > 1
    wider = ("slow node03 1", "slow node01+node03", "slow node03")
    assert [bench.column_of(found, known, truth) for truth in wider] == ["wider"] * 3
    assert [bench.column_of(found, known, truth) for truth in ("slow node03 2", "late node03 1", "")] == ["wrong"] * 3


def test_one_slow_place_is_named(bench: ModuleType) -> None:
    found, known = judged(Sick(hca={17: 0.5}), Shape(4, 4, 3))
    assert bench.column_of(found, known, "slow node05 1") == "named"
    found, known = judged(Sick(path={(0, 4): 0.5}), Shape(4, 4, 3))
    assert bench.column_of(found, known, "slow node01+node05") == "named"
    found, known = judged(Sick(hca=dict.fromkeys(range(16, 20), 0.4)), Shape(4, 4, 3))
    assert bench.column_of(found, known, "slow node05") == "named"


def test_who_is_left_open_is_counted_by_itself(bench: ModuleType) -> None:
    found, known = judged(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)), Shape(8, 2, 1))
    assert [bench.column_of(found, known, truth) for truth in ("late node02", "")] == ["open"] * 2
    nobody = replace(found, undecided=())
    assert [bench.column_of(nobody, known, truth) for truth in ("late node02", "")] == ["missed", "named"]
