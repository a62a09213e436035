"""What ROCm's accl-profiler writes, a JSON object in a line."""

from __future__ import annotations

import json
from array import array
from math import isnan, nan
from pathlib import Path

import pytest
from accl_lines import line, name_of, summary
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import open_given
from slowlink.model.records import Records
from slowlink.model.timed_calls import NO_COMM, CallKind, TimedCalls
from slowlink.parsers.nccl.accl_profiler import TAKER
from slowlink.parsers.nccl.accl_profiler.file_name import WrittenBy
from slowlink.parsers.reading.read import read


def of_file(path: Path, *lines: str, name: str = "") -> Records:
    file = path / (name or name_of())
    file.write_text("".join(f"{each}\n" for each in lines))
    return read(open_given(str(file)))


def taken(*lines: str | bytes, name: str = "") -> list[TimedCalls]:
    taker = TAKER(name or name_of())
    for number, each in enumerate(lines, 1):
        taker.take(each.encode() if isinstance(each, str) else each, number)
    return list(taker.finish())


def test_calls_of_one_file_are_columns_in_order(tmp_path: Path) -> None:
    found = of_file(tmp_path, line(number=5), line(number=6, time_us=70), line(size=4096, number=7), summary())
    (calls,) = found.timed
    assert (calls.tool, calls.comm, calls.rank, calls.nranks) == ("accl-profiler", "0x7a3c1f", 2, 8)
    assert (calls.host, calls.pid, calls.nnodes) == ("node07", 4100, None)
    assert calls.kinds == (CallKind("all_reduce", 1 << 22), CallKind("all_reduce", 4096))
    assert array("I", calls.number).tolist() == [5, 6, 7]
    assert array("f", calls.time_us).tolist() == pytest.approx([151.2, 70, 151.2])
    assert array("d", calls.ended).tolist() == pytest.approx([0.8125512] * 3)
    assert calls.own_clock
    assert (calls.timed_by, calls.lost, calls.unfinished) == ({"kernel_gpu": 3}, "", False)
    assert {name: array("f", column)[0] for name, column in calls.parts.items()} == pytest.approx(
        {
            "enqueue": 6,
            "kernel": 151.2,
            "gpu_wait": 11,
            "peer_wait": 3,
            "network": 64,
            "flush": 7,
            "gpu_recv_wait": 9,
        }
    )
    assert calls.is_sound()
    (stats,) = found.sources
    assert (stats.kinds, stats.lines, stats.used, stats.unread) == (("accl-profiler",), 4, 4, 0)


def test_without_a_telling_name_the_communicator_is_not_told(tmp_path: Path) -> None:
    (calls,) = of_file(tmp_path, line(), name="accl_rank_2.jsonl").timed
    assert (calls.comm, calls.host, calls.pid) == (NO_COMM, None, None)


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("a/accl_profiler_rank0_n_pid1_0x1.jsonl", WrittenBy("0x1", 0, "n", 1)),
        ("b.tar!x/accl_profiler_rank12_gpu-a_pid_b.c_pid77_0xff.jsonl.gz", WrittenBy("0xff", 12, "gpu-a_pid_b.c", 77)),
        ("accl_profiler_rank0_n_pid1_0x1.txt", WrittenBy()),
        ("my_accl_profiler_rank0_n_pid1_0x1.jsonl", WrittenBy()),
        ("accl_profiler_rank0_$(id)_pid1_0x1.jsonl", WrittenBy()),
        ("", WrittenBy()),
    ],
)
def test_names_of_files(name: str, by: WrittenBy) -> None:
    assert WrittenBy.of(name) == by


def test_a_rank_that_is_not_that_of_the_file_is_of_no_known_communicator() -> None:
    assert [(calls.rank, calls.comm) for calls in taken(line(), line(rank=3))] == [(2, "0x7a3c1f"), (3, NO_COMM)]


def test_lines_in_another_log_are_of_no_known_communicator() -> None:
    found = read(open_given(f"[1,2]<stdout>:{line()}\n".encode())).timed
    assert [(calls.comm, len(calls)) for calls in found] == [(NO_COMM, 1)]


def test_the_time_is_that_of_the_gpu_whatever_the_line_calls_it() -> None:
    """The first form gave the time between polls of the processor under the name of the GPU's clock."""
    told = json.loads(line(time_us=151.2, old=True))
    told["coll_perf"]["coll_exec_time_us"] = 9000.0
    (calls,) = taken(json.dumps(told, separators=(",", ":")))
    assert array("f", calls.time_us).tolist() == pytest.approx([151.2])
    assert array("f", calls.parts["enqueue"]).tolist() == [6]
    assert not calls.unfinished  # that form ends with no summary


def test_all_channels_make_the_time() -> None:
    events = [
        {"channel_id": 0, "kernel_start_ts": 10_000, "kernel_stop_ts": 20_000, "duration_us": 100},
        {"channel_id": 1, "kernel_start_ts": 15_000, "kernel_stop_ts": 26_000, "duration_us": 110},
        {"channel_id": 2, "kernel_start_ts": 0, "kernel_stop_ts": 90_000, "duration_us": 3},
    ]
    (calls,) = taken(line(events=events))
    assert array("f", calls.time_us).tolist() == [160]


def test_without_the_clock_of_the_gpu_it_is_that_of_the_processor() -> None:
    (calls,) = taken(line(events=[{"channel_id": 0, "kernel_start_ts": 0, "kernel_stop_ts": 0, "duration_us": 9}]))
    assert calls.timed_by == {"kernel_cpu": 1}
    assert array("d", calls.ended).tolist() == [0]


def test_a_call_without_kernels_tells_only_how_long_it_took_to_enqueue() -> None:
    assert taken(line(events=[])) == []


def test_where_no_proxy_worked_it_told_nothing() -> None:
    (calls,) = taken(line(parts={"n_proxy_ops": 0, "proxy_network_us": 0}))
    assert isnan(array("f", calls.parts["network"])[0])
    assert array("f", calls.parts["enqueue"])[0] == 6


def test_a_kernel_that_was_not_seen_to_wait_tells_nothing_of_it() -> None:
    (calls,) = taken(line(parts={"enqueue_to_kernel_us": 0.0}))
    assert isnan(array("f", calls.parts["enqueue"])[0])


@pytest.mark.parametrize("us", [-1.0, 1e300, 1e12])
def test_a_part_that_cannot_be_is_not_told(us: float) -> None:
    (calls,) = taken(line(parts={"proxy_flush_us": us}))
    assert isnan(array("f", calls.parts["flush"])[0])


@pytest.mark.parametrize(
    "change",
    [{"rank": -1}, {"nranks": 1}, {"time_us": 0}, {"number": -1}, {"number": 1 << 70}, {"size": -5}, {"size": 1 << 80}],
)
def test_what_cannot_be_is_passed_over(change: dict[str, int]) -> None:
    assert taken(line(**change)) == []  # type: ignore[arg-type]


_HOSTILE: st.SearchStrategy[object] = st.sampled_from(
    [10**400, -(10**30), 1e308, nan, "x" * 300, "", None, [], {}, True, "12", -0.0]
)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=3), _HOSTILE)
def test_no_value_of_any_kind_does_harm(places: list[int], hostile: object) -> None:
    """At each place of a line, however deep."""
    value = json.loads(line())
    slots: list[tuple[dict[str, object], str]] = []

    def walk(each: object) -> None:
        for holder in [each] if isinstance(each, dict) else each if isinstance(each, list) else []:
            for key, under in holder.items():
                slots.append((holder, key))
                walk(under)

    walk(value)
    for place in places:
        holder, key = slots[place % len(slots)]
        holder[key] = hostile
    text = json.dumps(value, separators=(",", ":"))
    for calls in taken(line(), text, line(number=18)):
        assert calls.is_sound()
    found = read(open_given(f"{text}\n".encode()))
    assert all(calls.is_sound() for calls in found.timed)


@given(st.binary(max_size=200), st.integers(0, 900))
def test_any_damage_gives_a_result(junk: bytes, at: int) -> None:
    whole = line().encode()
    damaged = whole[:at] + junk + whole[at:]
    found = taken(whole, damaged, summary(), whole)
    assert sum(map(len, found)) >= 2
    read(open_given(b"\n".join([whole, damaged, whole]) + b"\n"))


@given(st.permutations(range(12)))
def test_the_order_of_lines_changes_no_call(order: list[int]) -> None:
    lines = [line(number=number, time_us=50 + number) for number in range(12)]
    (calls,) = taken(*(lines[place] for place in order), summary())
    rows = zip(array("I", calls.number), array("f", calls.time_us), array("f", calls.parts["kernel"]), strict=True)
    assert sorted(rows) == [(number, 50 + number, 50 + number) for number in range(12)]


def test_what_is_old_is_forgotten_with_its_parts() -> None:
    taker = TAKER(name_of())
    for number in range(50):
        taker.take(line(number=number, parts={"proxy_flush_us": number}).encode(), number + 1)
        taker.keep_last(10)
    (calls,) = taker.finish()
    assert len(calls) <= 20
    assert calls.is_sound()
    assert array("f", calls.parts["flush"]).tolist() == [float(number) for number in array("I", calls.number)]
