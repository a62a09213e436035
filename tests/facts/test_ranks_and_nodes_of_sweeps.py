"""How many ranks and nodes a sweep has: what is printed, what follows from it, and what stays unknown."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.facts import Hardware, MeasuredSweep
from slowlink.parsers.reading.read import read

_HEADER = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""


def _rows(factor: float) -> str:
    """Two rows whose busbw is algbw times ``factor``."""
    rows = []
    for size, time in ((4 << 30, 25000.0), (8 << 30, 47000.0)):
        algbw = size / time / 1e3
        cells = f"{time:9.1f}  {algbw:6.2f}  {algbw * factor:6.2f}      0"
        rows.append(f"  {size}    {size // 4}     float     sum      -1  {cells}  {cells}\n")
    return "".join(rows)


def _device(rank: int, host: str, index: int) -> str:
    return f"#  Rank {rank:4} Group  0 Pid {4000 + rank} on {host:>9} device {index:2} [0000:19:00] NVIDIA H100 80GB HBM3\n"


def _sweep(text: str, nodes: int | None = None) -> MeasuredSweep:
    given = None if nodes is None else Hardware(None, None, None, (), "", True, nodes=nodes)
    found = assemble(read([Input("job.log", None, [text.encode()])], workers=1), given).sweeps
    assert found is not None
    (sweep,) = found.all
    return sweep


def _told(sweep: MeasuredSweep) -> tuple[int | None, int | None]:
    return sweep.nranks, sweep.nnodes


def test_the_last_line_of_a_device_list_gives_ranks_and_no_nodes() -> None:
    last = "# Using devices\n" + _device(1439, "gpu180", 7)
    text = last + _HEADER + _rows(2 * 1439 / 1440)
    assert _told(_sweep(text)) == (1440, None)
    assert _told(_sweep(text, nodes=180)) == (1440, 180)


@pytest.mark.parametrize(
    ("listed", "nnodes"),
    [
        ([(0, "a", 0), (7, "a", 7), (8, "b", 0), (15, "b", 7)], 2),  # what is missing is of the two hosts
        ([(0, "a", 0), (1, "a", 1), (15, "b", 7)], None),  # a third host may stand between
        ([(8, "b", 0), (15, "b", 7)], None),
        ([(0, "a", 0), (15, "a", 15)], 1),
    ],
)
def test_nodes_of_a_device_list_with_gaps(listed: list[tuple[int, str, int]], nnodes: int | None) -> None:
    devices = "".join(_device(*each) for each in listed)
    assert _told(_sweep("# Using devices\n" + devices + _HEADER + _rows(1.875))) == (16, nnodes)


@pytest.mark.parametrize(("factor", "nranks"), [(1.875, 16), (1.75, 8), (2 * 1439 / 1440, None)])
def test_ranks_follow_from_the_two_bandwidths_where_print_is_precise_enough(factor: float, nranks: int | None) -> None:
    assert _told(_sweep(_HEADER + _rows(factor))) == (nranks, None)


def test_equal_bandwidths_are_two_ranks_without_a_root_and_any_number_with_one() -> None:
    """An all-reduce of two has the factor 1, and a reduce of any number; only the latter prints a root."""
    rows = _rows(1.0)
    assert _told(_sweep(_HEADER + rows)) == (2, None)
    assert _told(_sweep(_HEADER + rows.replace("sum      -1", "sum       0"))) == (None, None)


@pytest.mark.parametrize(
    ("command", "ranks", "nodes"),
    [
        ("./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8", 8, 1),
        ("./build/all_reduce_perf -b 8 -e 8G -f 2 --ngpus=8", 8, 1),
        ("./build/all_reduce_perf -b 8 -e 8G -f 2 -t 2 -g 4", 8, 1),
        ("mpirun -np 2 --map-by ppr:1:node ./build/all_reduce_perf -b 8 -e 8G -f 2 -g 4", 8, 2),
        ("mpirun -np 8 ./build/all_reduce_perf -b 8 -e 8G -f 2 -g 1", 8, None),
    ],
)
def test_gpus_of_one_process_count_as_ranks(command: str, ranks: int, nodes: int | None) -> None:
    assert _told(_sweep(f"$ {command}\n{_HEADER}{_rows(1.75)}")) == (ranks, nodes)


def test_a_command_that_the_bandwidths_contradict_does_not_count() -> None:
    assert _told(_sweep(f"$ ./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8\n{_HEADER}{_rows(1.875)}")) == (16, None)


def test_what_is_printed_wins_over_the_number_of_nodes_that_is_told() -> None:
    devices = "".join(_device(rank, "a", rank) for rank in range(8))
    assert _told(_sweep("# Using devices\n" + devices + _HEADER + _rows(1.75), nodes=2)) == (8, 1)


@pytest.mark.parametrize(("factor", "nranks"), [(1.75, 8), (2 * 15 / 16, 16), (1.9944, None), (2 * 511 / 512, None)])
def test_ranks_that_the_printed_digits_cannot_tell_apart_stay_unknown(factor: float, nranks: int | None) -> None:
    assert _sweep(_HEADER + _rows(factor)).nranks == nranks
