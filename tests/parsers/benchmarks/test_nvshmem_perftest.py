"""Tables of NVSHMEM's perftest."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.benchmark import CollectiveRun
from slowlink.parsers.benchmarks import nvshmem_perftest
from slowlink.parsers.benchmarks.nvshmem_perftest import PARSER
from slowlink.parsers.forms.limit import Limit

OUTPUT = """\
mype: 3 mype_node: 1 device name: NVIDIA GH200 bus id: 1
#alltoall_device
size(B)     count     type      scope     latency(us)       algbw(GB/s)   busbw(GB/s)
64          16        32-bit    thread    50.250000         0.001         0.001
1048576     262144    32-bit    warp      80.000000         13.107        11.469
#alltoall_device
size(B)     count     type      scope     latency(us)       algbw(GB/s)   busbw(GB/s)
"""


def runs(text: str) -> list[CollectiveRun]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, CollectiveRun)]


def test_tables_are_read_and_are_no_collective_of_nccl() -> None:
    first, second = runs(OUTPUT)
    assert (first.tool, first.program, first.collective) == ("nvshmem", "alltoall_device", None)
    assert [(p.size_bytes, p.time_us, p.algbw_gbs, p.busbw_gbs) for p in first.points] == [
        (64, 50.25, 0.001, 0.001),
        (1048576, 80.0, 13.107, 11.469),
    ]
    assert [device.gpu for device in first.devices] == ["NVIDIA GH200"]
    assert second.header_only
    assert second.rows == 0


def test_rows_need_their_header() -> None:
    assert runs(OUTPUT.splitlines()[3]) == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in OUTPUT.splitlines())


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    found = runs("\n".join(lines))
    assert all(run.rows == len(run.points) for run in found)


def test_what_tables_and_ranks_make_together_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvshmem_perftest, "_MAX_LISTED", Limit(60, "ranks of all tables"))
    rank, _, *table = OUTPUT.splitlines(keepends=True)[:4]
    found = runs(rank * 20 + "".join(table) * 20)
    assert [len(run.devices) for run in found] == [20, 20, 20, *[0] * 17]
    assert found[0].devices is found[1].devices
