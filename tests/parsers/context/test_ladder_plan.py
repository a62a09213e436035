"""The plan of a ladder, as it lies in a bundle."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.machines import gpu_machine, plan_of
from slowlink.model.source import Ref
from slowlink.parsers.context.ladder_plan import LadderPlanDocument
from slowlink.report.json import plain_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(("nodes", "on_gpu", "absent", "tests", "notes", "given", "stopped", "ref", "other"))


def written(**more: object) -> dict[str, Any]:
    plan = plan_of(gpu_machine())
    document = {name: getattr(plan, name) for name in plan.__struct_fields__ if name != "ref"}
    found = json.loads(plain_json({"schema": "slowlink.ladder/1", **document, **more}))
    assert isinstance(found, dict)
    return found


def test_what_was_written_is_read() -> None:
    value = written(later="a key of a later version")
    assert LadderPlanDocument.wants_document(value)
    (plan,) = LadderPlanDocument().read(value, "b/captures/ladder/ladder.json", 1)
    assert plan.ref == Ref("b/captures/ladder/ladder.json", 1, "the plan of a ladder")
    assert replace(plan, ref=Ref("", 0)) == plan_of(gpu_machine())


def test_a_waterfall_is_no_plan() -> None:
    assert not LadderPlanDocument.wants_document({"schema": "slowlink.ladder/1", "rungs": []})
    assert not LadderPlanDocument.wants_document([])


@given(st.dictionaries(KEYS, JSON))
def test_any_document_gives_a_plan_or_none(changed: dict[str, Any]) -> None:
    found = list(LadderPlanDocument().read({**written(), **changed}, "x", 1))
    assert len(found) <= 1
    assert not list(LadderPlanDocument().read({"schema": "slowlink.ladder/1", **changed, "tests": 4}, "x", 1))
