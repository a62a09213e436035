"""What NCCL's Inspector writes, a JSON object in a line."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspector_lines import line, sent
from msgspec.structs import replace

from slowlink.inputs import open_given
from slowlink.model.records import Records
from slowlink.model.timed_calls import CallKind, TimedCalls
from slowlink.parsers.nccl.inspector import TAKER
from slowlink.parsers.reading.read import read


def records(text: str | bytes) -> Records:
    return read(open_given(text.encode() if isinstance(text, str) else text))


def only(text: str) -> TimedCalls:
    (calls,) = records(text).timed
    return calls


def times(calls: TimedCalls) -> list[float]:
    return array("f", calls.time_us).tolist()


def test_calls_of_one_rank_are_columns_in_order() -> None:
    calls = only("\n".join([line(number=5, time_us=61), line(number=6, time_us=70), line(size=4096, number=7)]) + "\n")
    assert (calls.tool, calls.comm, calls.comm_name) == ("nccl-inspector", "0x7a3c1f", "TP")
    assert (calls.rank, calls.nranks, calls.nnodes, calls.host, calls.pid) == (2, 8, 1, "node07", 4100)
    assert calls.kinds == (CallKind("all_reduce", 1 << 20), CallKind("all_reduce", 4096))
    assert array("H", calls.kind).tolist() == [0, 0, 1]
    assert array("I", calls.number).tolist() == [5, 6, 7]
    assert times(calls) == [61, 70, 61]
    assert array("d", calls.ended).tolist() == [1_790_000_000.0] * 3
    assert calls.timed_by == {"kernel_gpu": 3}
    assert calls.is_sound()
    assert not replace(calls, kind=calls.kind[1:]).is_sound()
    assert not replace(calls, kinds=()).is_sound()
    assert len(calls) == 3


def test_each_communicator_of_a_process_has_its_own_columns() -> None:
    text = "\n".join([line(comm="0xa1"), line(comm="0xb2", rank=0, nranks=4, name="unknown"), line(comm="0xa1")])
    assert [(each.comm, each.comm_name, len(each)) for each in records(text).timed] == [
        ("0xa1", "TP", 2),
        ("0xb2", "", 1),
    ]


def test_a_verbose_line_tells_when_the_call_ended() -> None:
    calls = only(line(written_us=1_790_000_009_000_000, trace=(1_790_000_001_000_000, 1_790_000_002_500_000)))
    assert array("d", calls.ended).tolist() == [1_790_000_002.5]


def test_sends_and_receives_have_a_peer() -> None:
    calls = only(f"{sent(peer=3)}\n{sent(peer=1, kind='Recv')}\n")
    assert calls.kinds == (CallKind("send", 65536, 3), CallKind("recv", 65536, 1))


def test_the_older_form_has_less_and_is_read() -> None:
    old = line().replace('"comm_name":"TP",', "").replace('"coll_timing_source":"kernel_gpu",', "")
    assert '"comm_name"' not in old
    calls = only(old)
    assert (calls.comm_name, calls.timed_by) == ("", {"": 1})


def test_every_line_is_accounted_for() -> None:
    text = f"{line()}\nsomething else\n{line()}\n\n{line()}"
    (stats,) = records(text).sources
    assert (stats.kinds[0], stats.lines, stats.used, stats.ignored, stats.unread) == ("nccl-inspector", 5, 3, 1, 1)
    assert stats.unread_samples[0].line == 2
    assert stats.problem is None


def test_the_line_that_is_being_written_is_no_damage() -> None:
    (stats,) = records(f"{line()}\n{line()[:100]}").sources
    assert (stats.problem, stats.partial, stats.lines, stats.used, stats.ignored) == (None, False, 2, 1, 1)


def test_a_line_that_is_damaged_in_the_middle_is_said() -> None:
    found = records(f"{line()}\n{line()[:100]}\n{line()}\n")
    assert len(found.timed[0]) == 2
    assert found.sources[0].partial


def test_lines_behind_a_launchers_prefix_are_read_one_by_one() -> None:
    text = "".join(f"[1,2]<stdout>:{line(number=number)}\n" for number in range(3))
    found = records(text).timed
    assert [array("I", each.number).tolist() for each in found] == [[0], [1], [2]]


def test_lines_of_other_programs_keep_their_numbers() -> None:
    told = "node07:4100:4100 [0] NCCL INFO NCCL version 2.28.3+cuda12.9\n"
    found = records(line() + "\n" + told + line() + "\n")
    assert found.logs[0].versions[0].ref.line == 2
    assert found.sources[0].kinds == ("nccl-inspector", "nccl-log")


@pytest.mark.parametrize("change", [{"rank": -1}, {"nranks": 1}, {"time_us": 0}, {"number": -1}, {"size": -5}])
def test_what_cannot_be_is_passed_over(change: dict[str, int]) -> None:
    assert records(line(**change)).timed == ()  # type: ignore[arg-type]


def test_a_pair_of_chunks_makes_no_difference(tmp_path: Path) -> None:
    text = "\n".join(line(number=number, time_us=50 + number % 9) for number in range(1500)) + "\n"
    path = tmp_path / "node07-pid4100.log"
    path.write_text(text)
    (calls,) = read(open_given(str(path))).timed
    assert times(calls) == [50 + number % 9 for number in range(1500)]


@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_damage_gives_a_result(junk: bytes, at: int) -> None:
    whole = line().encode()
    damaged = whole[:at] + junk + whole[at:]
    found = records(b"\n".join([whole, damaged, whole]) + b"\n")
    assert sum(map(len, found.timed)) >= 2
    (stats, *_) = found.sources
    assert stats.used + stats.ignored + stats.unread == stats.lines


@given(
    st.lists(
        st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 1 << 24), st.sampled_from([4096, 1 << 30])), max_size=20
    )
)
def test_all_calls_come_back_as_they_were_written(calls: list[tuple[int, int, int]]) -> None:
    text = "".join(line(number=number, time_us=time, size=size) + "\n" for number, time, size in calls)
    found = records(text).timed
    back = [
        (number, round(time), each.kinds[kind].size_bytes)
        for each in found
        for number, time, kind in zip(array("I", each.number), times(each), array("H", each.kind), strict=True)
    ]
    assert calls == back


def test_a_value_that_is_no_call_is_not_taken() -> None:
    taker = TAKER("t")
    assert not taker.take(b'{"header":{"id":"0x1","rank":0,"n_ranks":2},"metadata":{}}', 1)
    assert not taker.take(b'{"header":{"id":"0x1"}}', 1)
    assert list(taker.finish()) == []
