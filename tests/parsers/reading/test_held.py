"""Memory is bounded for all inputs together, and what is left out is said."""

from __future__ import annotations

import tracemalloc
from bisect import bisect_left
from collections.abc import Callable

import pytest

from slowlink.inputs import Input
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.reading import read as reading
from slowlink.parsers.reading.held import NO_ROOM, Held


def sysctl(node: str) -> Input:
    return Input(f"{node}.txt", None, [f"/proc/sys/kernel/numa_balancing:1\n# {node}\n".encode()])


def test_an_input_for_which_there_is_no_room_is_left_out_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    (alone,) = reading.read([sysctl("node01")], workers=1).readings
    size = next(bytes_ for bytes_ in range(1000) if Held(bytes_).has_room([alone]))
    monkeypatch.setattr(reading, "Held", lambda: Held(2 * size + 1))
    found = reading.read(map(sysctl, ("node01", "node02", "node03", "node04")), workers=1)
    assert [each.ref.source for each in found.readings] == ["node01.txt", "node02.txt"]
    assert [(stats.problem, stats.partial) for stats in found.sources] == [(None, False)] * 2 + [(NO_ROOM, True)] * 2


def test_numbers_that_no_format_has_are_counted_too() -> None:
    huge = Reading("numa-balancing", Part("node"), 1 << 80, Ref("a", 1, "1" * 20))
    assert Held(1000).has_room([huge])
    assert not Held(100).has_room([huge])


def test_half_a_surrogate_pair_is_counted_too() -> None:
    half = Reading("driver-version", Part("node"), "\ud800" * 100, Ref("a", 1, "x"))
    assert Held(1000).has_room([half])
    assert not Held(100).has_room([half])


def own_line(number: int) -> Reading:
    return Reading("gpu-power", PART, 7, Ref("a", 1000 + number, TEXT))


def one_line_for_all(number: int) -> Reading:
    return Reading("gpu-power", PART, 7, ONE)


PART, TEXT = Part("gpu", "0"), "0, 700.00 W"
ONE = Ref("a", 1, TEXT)


@pytest.mark.parametrize("made", [own_line, one_line_for_all])
def test_what_readings_take_is_what_they_are_counted_as(made: Callable[[int], Reading]) -> None:
    tracemalloc.start()
    readings = [made(number) for number in range(20_000)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    counted = bisect_left(range(10_000_000), True, key=lambda most: Held(most).has_room(readings))
    assert 0.9 < taken / counted < 1.1
