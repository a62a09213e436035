"""Many small sources are read in several processes: with the same result as in one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.inputs.stream import DamagedError
from slowlink.model.records import Records
from slowlink.parsers.reading import chunks, side_by_side
from slowlink.parsers.reading import read as reading
from slowlink.parsers.reading.engine import Engine, Workers
from slowlink.parsers.reading.read import read

LINES = (
    "gpu07:4711:4720 [3] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.0.0.7<0>",
    "gpu07:4711:4720 [3] NCCL WARN NET/IB : Got completion with error 12",
    "ERROR: the mill stands still",
    "[ 4711.000123] NVRM: Xid (PCI:0000:1b:00): 79, pid=4711, GPU has fallen off the bus.",
    "Driver Version                            : 550.54.15",
    "of no kind that anybody knows",
    "",
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines).encode())


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that a test of something else has left idle would keep all work here: that rule has a test of its own."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


class AsTheyAre(side_by_side.Parcels[Any, Any]):
    """Nothing is packed."""

    def __init__(self) -> None:
        self.packed = list

    def unpacked(self, parcel: list[Any]) -> list[Any]:
        return parcel


def inputs(texts: list[bytes], damaged: frozenset[int] = frozenset()) -> Iterator[Input]:
    for number, text in enumerate(texts):
        yield Input(f"node{number}.log", len(text), _pieces(text, number in damaged))


def _pieces(text: bytes, damaged: bool) -> Iterator[bytes]:
    yield from (text[at : at + 50] for at in range(0, len(text), 50))
    if damaged:
        raise DamagedError("truncated archive")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(TEXTS, max_size=12),
    st.frozensets(st.integers(0, 12)),
    st.integers(0, 900),
    st.sampled_from((0, 300, 4000)),
)
def test_the_result_does_not_depend_on_processes(
    texts: list[bytes], damaged: frozenset[int], batch: int, large: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(side_by_side, "BATCH_BYTES", batch)
        patch.setattr(side_by_side, "LARGE_BYTES", large)
        alone = read(inputs(texts, damaged), workers=1)
        assert [source.path for source in alone.sources] == [f"node{number}.log" for number in range(len(texts))]
        assert read(inputs(texts, damaged), workers=3) == alone
    assert active_children() == []


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXTS, max_size=12), st.integers(0, 900), st.sampled_from((0, 300, 4000)), st.integers(1, 60))
def test_nor_on_whose_they_are_nor_on_how_many_do_it(texts: list[bytes], batch: int, large: int, part: int) -> None:
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(3) as executor:
        patch.setattr(side_by_side, "BATCH_BYTES", batch)
        patch.setattr(side_by_side, "LARGE_BYTES", large)
        patch.setattr(reading, "parts", lambda lines: chunks.parts(lines, part))
        alone = read(inputs(texts), workers=1)
        assert read(inputs(texts), workers=Engine(executor, 3)) == alone


def _where(item: Input, workers: Workers) -> tuple[str, int, Workers]:
    return item.name, os.getpid(), workers


def test_small_sources_are_read_elsewhere_and_large_ones_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "LARGE_BYTES", 100)
    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    texts = [b"small"] * 4 + [b"x" * 101] + [b"small"] * 4
    answers = list(side_by_side.side_by_side(inputs(texts), _where, 2, AsTheyAre()))
    assert [name for name, _, _ in answers] == [f"node{number}.log" for number in range(9)]
    assert [process == os.getpid() for _, process, _ in answers] == [False] * 4 + [True] + [False] * 4
    assert [workers for _, _, workers in answers] == [1] * 4 + [2] + [1] * 4


def _dies_elsewhere(item: Input, workers: Workers) -> str:
    if os.getpid() != PARENT:
        os._exit(9)  # as the kernel ends a process when memory is short
    return item.name


PARENT = os.getpid()


def test_what_a_killed_process_had_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    answers = list(side_by_side.side_by_side(inputs([b"text"] * 9), _dies_elsewhere, 2, AsTheyAre()))
    assert answers == [f"node{number}.log" for number in range(9)]
    assert active_children() == []


def test_no_process_is_left_when_the_reader_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    answers = side_by_side.side_by_side(inputs([b"text"] * 40), _where, 2, AsTheyAre())
    next(answers)
    assert active_children() != []
    answers.close()
    assert active_children() == []


@pytest.mark.parametrize("victims", [1, 3])
def test_what_killed_processes_had_of_a_large_source_is_read_here(
    monkeypatch: pytest.MonkeyPatch, victims: int
) -> None:
    monkeypatch.setattr(reading, "parts", lambda lines: chunks.parts(lines, 1000))
    texts = ["".join(f"{LINES[(part + line) % 6]} {part}\n" for line in range(40)).encode() for part in range(60)]

    def pieces() -> Iterator[bytes]:
        for number, text in enumerate(texts):
            if number == 30:
                for child in active_children()[:victims]:
                    child.kill()
                    child.join()
            yield text

    def read_with(workers: int) -> Records:
        return read([Input("job.log", None, pieces())], workers=workers)

    monkeypatch.setattr(side_by_side, "LARGE_BYTES", 0)
    assert read_with(3) == read_with(1)
    assert active_children() == []
