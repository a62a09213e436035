"""Columns of timed calls while they are read."""

from __future__ import annotations

from array import array

from slowlink.model.source import Ref
from slowlink.model.timed_calls import CallKind, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import Calls, Owner

OWNER = Owner("nccl-inspector", "0x1", "", 0, 2, None, "a", 1)


def kept(sizes: list[int], most: int) -> TimedCalls:
    calls = Calls(Ref("a.log", 1))
    for number, size in enumerate(sizes):
        assert calls.add(CallKind("all_reduce", size), number, 9.0, 1000.0 + number, f"clock of {size}")
        calls.keep_last(most)
    return calls.record(OWNER)


def test_what_is_forgotten_leaves_no_kinds() -> None:
    """Sizes that change at each call, as of uneven experts, would fill the memory, and then all room for kinds."""
    found = kept([*range(100), *[7] * 4], 10)
    assert len(found) <= 20
    assert {kind.size_bytes for kind in found.kinds} <= {7, *range(84, 100)}
    assert sum(found.timed_by.values()) == len(found)
    assert set(found.timed_by) == {f"clock of {kind.size_bytes}" for kind in found.kinds}
    places = array("H", found.kind)
    assert [found.kinds[place].size_bytes for place in places][-6:] == [98, 99, 7, 7, 7, 7]


def test_long_names_of_clocks_are_cut() -> None:
    calls = Calls(Ref("a.log", 1))
    for end in "ab":
        calls.add(CallKind("all_reduce", 1), 0, 9.0, 1000.0, "x" * 300 + end)
    assert calls.record(OWNER).timed_by == {"x" * 200: 2}
