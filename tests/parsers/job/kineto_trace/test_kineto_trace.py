"""Traces of PyTorch's profiler."""

from __future__ import annotations

import gzip
import json
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from traces import OTHER, kernel, trace

from slowlink.inputs import open_given
from slowlink.model.records import Records
from slowlink.model.timed_calls import CallKind, TimedCalls
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.job.kineto_trace import BINARY, kernels
from slowlink.parsers.job.kineto_trace.events import Event, Events
from slowlink.parsers.reading.read import read


def records(text: str | bytes) -> Records:
    return read(open_given(text.encode() if isinstance(text, str) else text))


def only(text: str) -> TimedCalls:
    (calls,) = records(text).timed
    return calls


@pytest.mark.parametrize("at_the_end", [False, True])
def test_the_kernels_of_a_group_are_columns(at_the_end: bool) -> None:
    calls = only(trace([OTHER, kernel(100, 50), OTHER, kernel(300, 60.5)], at_the_end=at_the_end))
    assert (calls.tool, calls.comm_name, calls.rank, calls.world_rank, calls.nranks) == ("kineto", "0", 3, 3, 8)
    assert calls.gpu == 3
    assert calls.kinds == (CallKind("all_reduce", 2048),)
    assert array("f", calls.time_us).tolist() == [50, 60.5]
    assert calls.counted
    assert array("d", calls.ended).tolist() == pytest.approx([1_790_000_000.00015, 1_790_000_000.0003605])
    assert calls.ref.line == 32


def test_compact_json_is_the_same() -> None:
    text = trace([OTHER, kernel(100, 50), kernel(300, 60.5)])
    compact = only(json.dumps(json.loads(text)))
    assert (compact.kinds, compact.time_us) == (only(text).kinds, only(text).time_us)


def test_numbers_of_calls_are_taken_where_they_are_told() -> None:
    calls = only(trace([kernel(1, 2, seq=40), kernel(5, 2, seq=41)]))
    assert array("I", calls.number).tolist() == [40, 41]
    assert not calls.counted
    assert only(trace([kernel(1, 2, seq=40), kernel(5, 2)])).counted


def test_a_rank_is_counted_in_its_group() -> None:
    calls = only(trace([kernel(1, 2, ranks="[1, 3]", size=2, group="5")]))
    assert (calls.rank, calls.nranks, calls.world_rank) == (1, 2, 3)


def test_of_a_list_that_was_cut_the_rank_of_the_job_is_taken() -> None:
    calls = only(trace([kernel(1, 2, ranks="[0, 1, 2, ..., 63]", size=64)], rank=40))
    assert (calls.rank, calls.nranks) == (40, 64)


def test_what_the_processor_did_is_no_arrival() -> None:
    assert records(trace([kernel(1, 2, cat="cpu_op")])).timed == ()


@pytest.mark.parametrize("rank", [None, 11])
def test_without_a_rank_of_the_group_nothing_is_kept(rank: int | None) -> None:
    (stats,) = records(trace([kernel(1, 2)], rank=rank)).sources
    assert stats.problem == BINARY.otherwise
    assert not stats.partial


def test_a_trace_that_is_cut_gives_what_it_holds_and_says_so() -> None:
    text = trace([kernel(1, 2), kernel(3, 4)])
    found = records(text[: text.rindex("Collective name") + 40])
    assert [len(each) for each in found.timed] == [1]
    assert "ends before its end" in str(found.sources[0].problem)
    assert found.sources[0].partial


def test_a_packed_file_names_its_host(tmp_path: Path) -> None:
    path = tmp_path / "gpu03_4103.1790000000123456789.pt.trace.json.gz"
    path.write_bytes(gzip.compress(trace([kernel(1, 2)]).encode()))
    (calls,) = read(open_given(str(path))).timed
    assert (calls.host, calls.pid) == ("gpu03", 4103)


def test_every_line_is_counted() -> None:
    text = trace([OTHER, kernel(1, 2)])
    (stats,) = records(text).sources
    assert (stats.kinds, stats.lines, stats.used, stats.unread) == (("kineto",), len(text.splitlines()), 1, 0)


@pytest.mark.parametrize("first", ["traceEvents", "distributedInfo", "baseTimeNanoseconds", "deviceProperties"])
def test_another_key_may_come_first(first: str) -> None:
    """As where a program wrote the trace anew."""
    text = trace([OTHER, kernel(100, 50), kernel(300, 60.5)])
    told = json.loads(text)
    assert same(only(json.dumps({first: told.pop(first), **told})), only(text))


def test_keys_may_be_sorted() -> None:
    """Then the arguments of an event come before its kind, and the groups of a process before its rank."""
    text = trace([OTHER, kernel(100, 50), OTHER, kernel(300, 60.5)])
    assert same(only(json.dumps(json.loads(text), sort_keys=True)), only(text))


def same(one: TimedCalls, other: TimedCalls) -> bool:
    return replace(one, ref=other.ref) == other


def test_other_traces_are_said_to_hold_no_collectives() -> None:
    (stats,) = records(json.dumps({"traceEvents": [{"ph": "X", "name": "f", "ts": 1, "dur": 2}]})).sources
    assert stats.problem == BINARY.otherwise


@pytest.mark.parametrize("junk", ['{"ph": "Collective name"', '{"ph":0,"Collective name":'])
def test_only_so_many_events_are_tried_in_vain(monkeypatch: pytest.MonkeyPatch, junk: str) -> None:
    """Else a trace of a few MB that was made for it would be read for hours."""
    tried = []
    real = Events._event

    def counted(self: Events, data: bytes, start: int, end: int) -> tuple[Event, int] | None:
        tried.append(start)
        return real(self, data, start, end)

    monkeypatch.setattr(Events, "_event", counted)
    text = trace([OTHER, kernel(1, 2), junk * 20_000, "}" * 20])
    found, problem = BINARY().read(iter([text.encode()]), "t")
    assert len(found) == 1
    assert problem == "20,000 events that name a collective could not be read"
    assert len(tried) < 1000


def test_an_event_that_cannot_be_read_near_the_end_is_told_and_hides_no_other() -> None:
    odd = kernel(3, 4).replace('"In msg nelems": 1024', '"In msg nelems": "many"')
    found = records(trace([kernel(1, 2), odd, kernel(5, 6)]))
    assert [len(calls) for calls in found.timed] == [2]
    assert found.sources[0].problem == "1 events that name a collective could not be read"


def test_an_event_that_is_nested_too_deep_ends_nothing() -> None:
    text = trace([kernel(1, 2), '{"ph": "X", "Collective name":', '{"a":' * 5_000, "}" * 5_000, "},", kernel(3, 4)])
    assert len(only(text)) == 2


def test_kernels_without_room_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MOST_KERNELS", Limit(2, "kernels of collectives"))
    found = records(trace([kernel(100 * place, 50) for place in range(1, 5)]))
    assert [len(calls) for calls in found.timed] == [2]
    assert "more than 2 kernels of collectives" in str(found.sources[0].problem)


def test_groups_without_room_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MOST_ALIKE", Limit(2, "groups and sizes of collectives"))
    found = records(trace([kernel(100 * place, 50, group=str(place // 2)) for place in range(6)]))
    assert [len(calls) for calls in found.timed] == [2, 2]
    assert "more than 2 groups and sizes" in str(found.sources[0].problem)


def test_a_rank_that_is_nested_too_deep_is_not_told() -> None:
    text = trace([kernel(1, 2)], rank=None).replace('"displayTimeUnit"', f'"distributedInfo": {"[" * 9000}, "d"')
    assert records(text).timed == ()


@pytest.mark.parametrize("number", [-1, 1 << 32, 1 << 70])
def test_numbers_that_cannot_be_are_passed_over(number: int) -> None:
    assert len(only(trace([kernel(1, 2, seq=number), kernel(5, 2, seq=3)]))) == 1


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=12), st.integers(1, 12))
def test_where_pieces_end_makes_no_difference(sizes: list[int], count: int) -> None:
    data = trace([OTHER, *(kernel(index * 100, 50 + index) for index in range(count))]).encode()
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    (found,), problem = BINARY().read(iter([*pieces, data[at:]]), "t")
    assert isinstance(found, TimedCalls)
    assert (len(found), problem) == (count, None)


@given(st.binary(max_size=300), st.integers(0, 1500))
def test_any_damage_gives_a_result(junk: bytes, at: int) -> None:
    data = trace([OTHER, kernel(1, 2)]).encode()
    found, _ = BINARY().read(iter([data[:at] + junk + data[at:]]), "t")
    assert len(found) <= 1
