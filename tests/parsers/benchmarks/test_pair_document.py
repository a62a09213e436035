"""JSON with results of pairs, in nobody's format."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.benchmark import PairTable
from slowlink.parsers.reading.read import read

NODES = ("hx01", "hx02", "hx03", "hx05", "hx06")
PAIRS = tuple(combinations(NODES, 2))


def tables(text: str, name: str) -> tuple[PairTable, ...]:
    return read([Input(name, None, [text.encode()])], workers=1).pair_tables


def gbs(pair: tuple[str, str]) -> float:
    return 118.5 if "hx06" in pair else 230.5


@pytest.mark.parametrize(
    "document",
    [
        [{"test": "all_reduce", "nodes": [a, b], "busbw_gbs": gbs((a, b))} for a, b in PAIRS],
        {"cluster": "x", "results": [{"server": a, "client": b, "bandwidth": gbs((a, b))} for a, b in PAIRS]},
        {"busbw": {a: {b: gbs((a, b)) for b in NODES if b != a} for a in NODES}},
    ],
    ids=["list", "member", "matrix"],
)
def test_documents(document: object) -> None:
    (table,) = tables(json.dumps(document, indent=1), "sweep.json")
    assert {frozenset((each.a, each.b)) for each in table.rows} == {frozenset(pair) for pair in PAIRS}
    assert all(each.amount == gbs((each.a, each.b)) for each in table.rows)


def test_one_test_a_document() -> None:
    (table,) = tables(json.dumps({"node_a": "hx01", "node_b": "hx06", "busbw": 118.5}), "one.json")
    assert [(each.a, each.b, each.amount) for each in table.rows] == [("hx01", "hx06", 118.5)]
    assert tables(json.dumps({"name": "hx01", "model": "hx06", "busbw": 118.5}), "one.json") == ()


@given(
    st.recursive(
        st.none() | st.floats() | st.sampled_from(["hx01", "hx02", "busbw", ""]),
        lambda inner: (
            st.lists(inner, max_size=8)
            | st.dictionaries(st.sampled_from(["nodes", "busbw", "src", "dst", "x"]), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
def test_any_document_gives_a_result(document: object) -> None:
    tables(json.dumps(document), "any.json")
