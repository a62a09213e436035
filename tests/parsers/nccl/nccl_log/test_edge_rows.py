"""Edges as columns: the same as objects in a list would be, however they were met."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.edges import EdgeColumns, EdgeKind, Edges
from slowlink.model.source import LogProcess
from slowlink.parsers.nccl.nccl_log.channels import EdgeValues
from slowlink.parsers.nccl.nccl_log.edge_rows import EdgeRows, RowsState
from slowlink.parsers.nccl.nccl_log.native_rows import NativeRows
from slowlink.parsers.nccl.nccl_log.rows import Rows, native

KINDS = (
    EdgeKind("0", "1b000", "send", "NET/IB", "NET/IB/0/GDRDMA", 0, gdr=True, connection=0),
    EdgeKind("0", "1b000", "receive", "NET/IB", "NET/IB/1", 1, gdr=False, connection=0),
    EdgeKind("", "", None, "SHM", "SHM/direct/direct"),
)
PROCESSES = {"n1:1:1": LogProcess("n1", 1), "n1:1:2": LogProcess("n1", 1), "n2:1:1": LogProcess("n2", 1)}
"""Of three threads: two are of one process."""
ENOUGH = 10
MAKERS: list[Callable[[], Rows]] = [EdgeRows, *([lambda: NativeRows(native)] if native is not None else [])]
Met = tuple[str, EdgeValues, int, str]
"""Thread, what its line says, number, text."""


@st.composite
def met(draw: st.DrawFn) -> list[Met]:
    found = []
    for line in range(1, draw(st.integers(0, 30)) + 1):
        kind = draw(st.sampled_from(KINDS))
        values = EdgeValues(draw(st.integers(-1, 2)), draw(st.integers(0, 2)), kind, f" via {kind.detail}")
        number = draw(st.sampled_from(["00", "01", "131"]))
        before = draw(st.sampled_from(["n1:1:1", "n1:1:2", "0: n1:1:1"]))
        text = f"{before} NCCL INFO Channel {number}{kind.ends(*values[:2])}{values.after}"
        torn = draw(st.sampled_from(["", "", "n2:1:1 NCCL INFO ", "x" * 500]))
        found.append((draw(st.sampled_from(list(PROCESSES))), values, line // 2 + 1, text + torn))
    return found


def rows_of(each: Sequence[Met], made: Callable[[], Rows] = EdgeRows) -> Rows:
    rows = made()
    for one in each:
        rows.add(*one)
    return rows


def columns_of(rows: Rows) -> EdgeColumns:
    return rows.result([PROCESSES[owner.name] for owner in rows.of_owners()], "a.log")


def told(rows: Rows) -> list[tuple[Any, ...]]:
    columns = columns_of(rows)
    assert columns.is_sound()
    return [(e.process, e.src, e.dst, e.kind, e.channels, e.ref.line, e.ref.text) for e in columns]


@given(met())
def test_columns_hold_what_a_list_would(each: list[Met]) -> None:
    lines: dict[tuple[object, ...], list[int]] = {}
    for who, values, line, _ in each:
        lines.setdefault((PROCESSES[who], *values[:3]), []).append(line)
    found = told(rows_of(each))
    assert {one[:4]: one[4:6] for one in found} == {key: (len(own), min(own)) for key, own in lines.items()}
    texts = {(PROCESSES[who], *values[:3], line, text[:400]) for who, values, line, text in each}
    assert {(*one[:4], *one[5:]) for one in found} <= texts
    assert [one[5] for one in found] == sorted(one[5] for one in found)


@given(met(), st.lists(st.integers(0, 30), max_size=3), st.lists(st.sampled_from(MAKERS), min_size=5, max_size=5))
def test_parts_read_apart_are_the_same_columns(
    each: list[Met], cuts: list[int], makers: list[Callable[[], Rows]]
) -> None:
    """Whatever keeps each part, Python or machine code."""
    places = pairwise([0, *sorted(cuts), len(each)])
    parts = [rows_of(each[a:b], make) for (a, b), make in zip(places, makers, strict=False)]
    joined = makers[-1]()
    for part in parts:
        sent = pickle.loads(pickle.dumps(part.state()))
        assert isinstance(sent, RowsState)
        joined.merge(sent, ENOUGH)
    plain = rows_of(each)
    assert joined.of_owners() == plain.of_owners()
    assert columns_of(joined) == columns_of(plain)
    assert joined.lines == len(each)


@pytest.mark.parametrize("make", MAKERS)
def test_of_one_thread_no_more_is_kept_than_may_be(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Rows]) -> None:
    for module in ("edge_rows", "native_rows"):
        monkeypatch.setattr(f"slowlink.parsers.nccl.nccl_log.{module}.MOST_EDGES", 2)
    values = [EdgeValues(rank, 0, KINDS[0], " via") for rank in (0, 1, 2, 1)]
    rows = rows_of([("n1:1:1", one, line, "text") for line, one in enumerate(values, 1)], make)
    assert [(edge.src, edge.channels) for edge in columns_of(rows)] == [(0, 1), (1, 2)]
    assert rows.is_full


@pytest.mark.parametrize("make", MAKERS)
def test_owners_for_whom_there_is_no_room_are_nobody(make: Callable[[], Rows]) -> None:
    values = EdgeValues(0, 1, KINDS[0], " via")
    part = rows_of([(owner, values, line, "text") for line, owner in enumerate(("a", "b", "a", "c"), 3)])
    rows = make()
    rows.merge(part.state(), 1)
    assert [tuple(owner) for owner in rows.of_owners()] == [("a", 3, 2), ("", 4, 2)]


@given(st.lists(met(), max_size=3), st.sets(st.sampled_from(KINDS)), st.integers(-1, 2))
def test_a_choice_of_edges_is_that_of_a_list(logs: list[list[Met]], wanted: set[EdgeKind], rank: int) -> None:
    edges = Edges.all_of(columns_of(rows_of(each)) for each in logs)
    listed = list(edges)
    some, others = edges.parted(lambda kind: kind in wanted, lambda src, dst: rank in (src, dst))
    assert list(some) == [e for e in listed if e.kind in wanted and rank in (e.src, e.dst)]
    assert list(others) == [e for e in listed if not (e.kind in wanted and rank in (e.src, e.dst))]
    assert list(edges.of(lambda kind: kind in wanted)) == [e for e in listed if e.kind in wanted]
    for view, plain in ((edges, listed), (some, list(some))):
        assert (len(view), list(view[:3]), view.channels) == (len(plain), plain[:3], sum(e.channels for e in plain))
        assert view.kinds == tuple(dict.fromkeys(e.kind for e in plain))
        assert view.processes == tuple(dict.fromkeys(e.process for e in plain))
        assert view.most_channels == max((e.channels for e in plain), default=0)
        assert list(view.each()) == [(e.kind, e.src, e.dst, e.channels) for e in plain]
        assert {(e.process, e.kind) for e in view.first_of_each()} == {(e.process, e.kind) for e in plain}
        assert [view[place] for place in range(len(view))] == plain
