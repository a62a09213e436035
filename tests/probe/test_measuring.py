"""Sizes, values, clocks, the table and the file, without ranks."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_backend import FakeBackend
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink import collectives
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.errors import SlowlinkError
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.probe import checking, pattern
from slowlink.probe.alignment import alignment_of
from slowlink.probe.options import parse_options
from slowlink.probe.shapes import Shape, shape_of, shapes
from slowlink.probe.sweep import sweep
from slowlink.probe.table import busbw_factor


def test_counts_are_those_of_the_library_call() -> None:
    assert shape_of("all_reduce", 4096, 4, 8) == Shape(4096, 1024, 1024, 1024)
    assert shape_of("all_gather", 4096, 4, 8) == Shape(4096, 128, 128, 1024)
    assert shape_of("reduce_scatter", 4096, 4, 8) == Shape(4096, 128, 1024, 128)
    assert shape_of("alltoall", 4096, 4, 8) == Shape(4096, 128, 1024, 1024)
    assert shape_of("all_gather", 8, 4, 8) == Shape(32, 1, 1, 8), "one element a rank is the least"


def test_a_sweep_names_each_size_once() -> None:
    options = parse_options(["all_gather", "-b", "8", "-e", "256"])
    assert [shape.size_bytes for shape in shapes(options, 4, 8)] == [32, 64, 128, 256]
    options = parse_options(["all_reduce", "-b", "1K", "-e", "4K", "-f", "1", "-i", "1K"])
    assert [shape.size_bytes for shape in shapes(options, 4, 8)] == [1024, 2048, 3072, 4096]


@given(st.sampled_from(COLLECTIVES), st.integers(1, 4096))
def test_factors_are_those_that_the_parser_knows(collective: str, nranks: int) -> None:
    assert busbw_factor(collective, nranks) == pytest.approx(collectives.busbw_factor(collective, nranks))


@given(st.integers(1, 9), st.integers(1, 300), st.sampled_from(["sum", "prod", "min", "max"]))
def test_expected_reductions_are_exact(nranks: int, count: int, redop: str) -> None:
    reduce: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
    ranks = [np.resize(pattern.given(rank, 0, redop, "float"), count).astype(np.float32) for rank in range(nranks)]
    result = reduce[redop].reduce(ranks)
    expected = pattern.repeated(pattern.reduced(nranks, 0, redop, "float"), result.dtype)
    assert pattern.differing(result, expected) == 0
    result[count // 2] += 1
    assert pattern.differing(result, expected) == 1


def test_a_block_in_the_wrong_place_is_wrong() -> None:
    options = parse_options(["all_gather"])
    shape = shape_of("all_gather", 4 * 100 * 3, 4, 3)
    right = np.concatenate([np.resize(pattern.given(rank, 0, "sum", "float"), 100) for rank in range(3)])
    swapped = np.concatenate([right[100:200], right[:100], right[200:]])
    for found, wrong in ((right, 0), (swapped, 200)):
        counted = sum(
            pattern.differing(found[begin:end], pattern.repeated(values, found.dtype))
            for begin, end, values in checking.expectations(0, 3, options, shape)
        )
        assert counted == wrong


@given(st.integers(-(10**12), 10**12), st.lists(st.tuples(*[st.integers(1, 5000)] * 4), min_size=1, max_size=20))
def test_the_true_offset_lies_within_the_stated_error(offset: int, barriers: list[tuple[int, int, int, int]]) -> None:
    """Whatever the delays: both ranks leave after both have entered."""
    rank0: tuple[list[int], list[int]] = ([], [])
    rank1: tuple[list[int], list[int]] = ([], [])
    now = 0
    for enter0, enter1, leave0, leave1 in barriers:
        met = now + max(enter0, enter1)
        rank0[0].append(now + enter0)
        rank0[1].append(met + leave0)
        rank1[0].append(now + enter1 + offset)
        rank1[1].append(met + leave1 + offset)
        now = met + max(leave0, leave1)
    found = alignment_of([rank0, rank1], ["a", "b"])
    assert found.offset_ns[0] == 0
    assert abs(found.offset_ns[1] - offset) <= found.error_ns[1] + 1
    same = alignment_of([rank0, rank1], ["a", "a"])
    assert (same.offset_ns, same.error_ns) == ((0, 0), (0, 0))


def test_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.probe.world.host_name", lambda: "node01")
    monkeypatch.setattr("os.getpid", lambda: 4711)
    monkeypatch.setattr("os.urandom", lambda count: b"\1" * count)
    out = io.StringIO()
    assert sweep(FakeBackend(), parse_options(["all_reduce", "-b", "1K", "-e", "1M", "-f", "1024"]), out) == 0
    assert out.getvalue() == snapshot("""\
# slowlink probe 0.1.0 all_reduce backend mpi run 010101010101 library "Fake 1.0"
# nThread 1 nGpus 1 minBytes 1024 maxBytes 1048576 step: 1024(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on     node01 device  0 [0000:00:00] CPU (fake)
#  Rank  1 Group  0 Pid   4711 on     node01 device  0 [0000:00:00] CPU (fake)
#
#                                                                out-of-place                          in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1     1.00    1.02    1.02       0     1.00    1.02    1.02       0
     1048576        262144     float     sum      -1     1.00  1048.6  1048.6       0     1.00  1048.6  1048.6       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 524.8
#
""")


def test_a_placement_that_the_library_lacks_is_not_a_number() -> None:
    out = io.StringIO()
    sweep(FakeBackend(), parse_options(["sendrecv", "-b", "1K", "-e", "1K", "-c", "0"]), out)
    assert "   1.00    1.02    1.02     N/A      N/A     N/A     N/A     N/A\n" in out.getvalue()
    (run,) = read([Input("out", None, [out.getvalue().encode()])], workers=1).runs
    assert [(p.placement, p.time_us) for p in run.points if p.time_us is not None] == [("out_of_place", 1.0)]


@pytest.mark.parametrize("name", ["iterations.jsonl", "iterations.jsonl.gz"])
def test_the_file_and_the_table_are_one_run(tmp_path: Path, name: str) -> None:
    out, path = io.StringIO(), tmp_path / name
    options = parse_options(["all_reduce", "-b", "1K", "-e", "4K", "-n", "3", "--output", str(path)])
    sweep(FakeBackend(), options, out)
    content = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    both = [("out", out.getvalue().encode()), ("file", content)]
    for order in (both, both[::-1]):
        records = read([Input(source, None, [data]) for source, data in order], workers=1)
        assert records.sources[0].unread == records.sources[1].unread == 0
        facts = assemble(records)
        assert facts.sweeps is not None
        (only,) = facts.sweeps.all
        assert (only.collective, only.nranks, only.complete) == ("all_reduce", 2, True)
        assert [point.iterations_us for point in only.points] == [(1.0, 1.0, 1.0)] * 6
        assert {(late.rank, late.mean_us) for late in only.run.lateness} == {(0, 0.0), (1, 0.0)}


def test_a_killed_run_leaves_what_it_measured(tmp_path: Path) -> None:
    path = tmp_path / "iterations.jsonl.gz"
    backend = FakeBackend()
    calls = 0

    def barrier() -> None:
        nonlocal calls
        calls += 1
        if calls > 30:
            raise RuntimeError("killed")

    backend.barrier = barrier  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        sweep(backend, parse_options(["all_reduce", "-b", "8", "-e", "1K", "--output", str(path)]), io.StringIO())
    import zlib

    lines = zlib.decompressobj(31).decompress(path.read_bytes()).decode().splitlines()
    assert json.loads(lines[0])["kind"] == "run"


def test_a_full_disk_is_said() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with pytest.raises(SlowlinkError, match="cannot write /dev/full: No space left on device"):
        sweep(FakeBackend(), parse_options(["all_reduce", "-e", "8", "--output", "/dev/full"]), io.StringIO())


def test_long_calls_are_timed_once_and_short_ones_twice() -> None:
    backend = FakeBackend()
    sweep(backend, parse_options(["all_reduce", "-b", "8", "-e", "8", "-n", "4", "-w", "0", "-c", "0"]), io.StringIO())
    assert backend.calls == 2 * 2 * 4
    backend = FakeBackend()
    backend.stamps = lambda call, count, before: ([0] * count, [200_000] * count)  # type: ignore[method-assign,assignment]
    sweep(backend, parse_options(["all_reduce", "-b", "8", "-e", "8", "-n", "4", "-w", "0", "-c", "0"]), io.StringIO())
    assert backend.calls == 0
