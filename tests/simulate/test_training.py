"""A training that does not exist, and what NCCL's Inspector would have written of it."""

from __future__ import annotations

from array import array

from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.model.source import Ref
from slowlink.parsers.reading.read import read
from slowlink.simulate.training.accl_output import accl_files_of, as_accl
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import MICROBATCHES, Job, Noise, Shape, Sick

SMALL = Shape(tensor=4, data=3, pipeline=2)
REF = Ref("", 0)


def test_the_parser_reads_what_is_written() -> None:
    columns = list(columns_of(Job(SMALL, Noise(), Sick(), 1), 5))
    inputs = [Input(name, None, [text.encode()]) for name, text in files_of(columns)]
    found = read(inputs, workers=1)
    back = {(calls.comm, calls.host, calls.pid): calls for calls in found.timed}
    assert len(back) == len(columns)
    for calls in columns:
        assert replace(back[calls.comm, calls.host, calls.pid], ref=REF) == replace(calls, ref=REF)
    assert {(stats.used, stats.unread, stats.problem) for stats in found.sources} == {
        (5 * (2 * MICROBATCHES + 2), 0, None)
    }


def test_the_same_seed_gives_the_same_job() -> None:
    one, same, other = (list(columns_of(Job(SMALL, Noise(), Sick(), seed), 3)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_a_call_ends_for_all_when_the_last_has_come() -> None:
    for call in Job(SMALL, Noise(), Sick(gpu={5: 0.5}), 1).calls(3):
        if call.kind == "tensor":
            ends = call.ended_us
            assert (ends.max(axis=2) - ends.min(axis=2) < 60).all()


def test_who_is_slow_has_the_shortest_calls() -> None:
    columns = list(columns_of(Job(SMALL, Noise(), Sick(gpu={5: 0.5}), 1), 5))
    node = [calls for calls in columns if calls.comm_name == "TP" and calls.host == "node02"]
    totals = {calls.pid: sum(array("f", calls.time_us)) for calls in node}
    assert min(totals, key=lambda pid: totals[pid]) == 4101


def test_what_is_written_for_accl_is_read_by_its_parser() -> None:
    columns = list(columns_of(Job(SMALL, Noise(), Sick(), 1), 5))
    inputs = [Input(name, None, [text.encode()]) for name, text in accl_files_of(columns)]
    back = {(calls.comm, calls.host, calls.pid): calls for calls in read(inputs, workers=1).timed}
    told = list(as_accl(columns))
    assert len(back) == len(told)
    for calls in told:
        found = back[calls.comm, calls.host, calls.pid]
        assert not found.unfinished
        assert not found.lost
        assert replace(found, ref=REF, ended=b"", parts={}) == replace(calls, ref=REF, ended=b"")
