"""More nodes should cost next to nothing."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import findings

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

RULE = "bandwidth-falls-with-nodes"
HEAD = """\
# all_reduce on H100 nodes of eight
nodes   size (B)     time (us)  algbw (GB/s)  busbw (GB/s)
"""


def _table(busbw: dict[int, float], size: int = 8 << 30) -> str:
    rows = []
    for nodes, gbs in busbw.items():
        algbw = gbs / (2 * (nodes * 8 - 1) / (nodes * 8))
        rows.append(f"{nodes:>5} {size:>12} {size / algbw / 1e3:>12.0f} {algbw:>10.2f} {gbs:>10.2f}\n")
    return HEAD + "".join(rows)


FALLING = {2: 478.0, 4: 384.0, 8: 371.0, 16: 266.0, 32: 171.0}


def test_a_bandwidth_that_falls() -> None:
    assert findings(RULE, _table(FALLING)) == snapshot(
        [
            {
                "cause": "fabric-congestion",
                "message": "all_reduce of 8 GiB: 384.0 GB/s on 4 nodes, 171.0 on 32: shared paths are too narrow, or one of the nodes is slow",
                "how": "error, possible",
                "suspects": [],
                "evidence": [(4, "384.0 GB/s on 4 nodes"), (7, "171.0 GB/s on 32 nodes / about as much as on 4 nodes")],
                "explains": ["busbw-below-expected", "hardware-unknown"],
            }
        ]
    )


def test_a_fall_is_no_bandwidth_too_low_beside_it() -> None:
    report = report_of(read([Input("scaling.txt", None, [_table(FALLING).encode()])]))
    assert (report.verdict, report.headline) == snapshot(
        (
            "degraded",
            "all_reduce of 8 GiB: 384.0 GB/s on 4 nodes, 171.0 on 32: shared paths are too narrow, or one of the nodes is slow",
        )
    )
    assert [diagnosis.cause for diagnosis in report.diagnoses] == snapshot(["fabric-congestion"])


@pytest.mark.parametrize(
    "busbw",
    [
        {2: 478.0, 4: 384.0, 8: 371.0, 16: 366.0, 32: 352.0},  # two nodes are faster
        {2: 478.0, 32: 171.0},  # two counts: one may be disturbed
        {4: 384.0, 8: 200.0, 16: 371.0},  # it rises again: one run was disturbed
    ],
)
def test_what_is_no_fall(busbw: dict[int, float]) -> None:
    assert findings(RULE, _table(busbw)) == []


def test_small_messages_wait_for_more_steps() -> None:
    assert findings(RULE, _table(FALLING, size=1 << 20)) == []


def test_what_is_slow_on_many_nodes_is_not_healthy_on_few() -> None:
    for busbw in ({2: 478.0, 32: 171.0}, {2: 478.0, 4: 384.0, 8: 371.0, 16: 366.0, 300: 60.0}):
        report = report_of(read([Input("scaling.txt", None, [_table(busbw).encode()])]))
        assert report.verdict == "degraded"
