"""Blocks of PyTorch's analyser of flight recorders."""

from __future__ import annotations

from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.nccl.flight_analysis import FlightAnalysis

BLOCKS = """\
Not all ranks joining collective, sequence number: 18
internal record id: 17
group info: 5:dp_group
collective: nccl:_reduce_scatter_base
missing ranks: {6, 14}
input sizes: [[8192]]
output sizes: [[512]]
world size: 16
expected ranks: {0, 6, 14}
collective state: scheduled
collective stack trace:
 reduce_scatter at /opt/lib/torch/distributed/distributed_c10d.py:4100
reduce_grads at /srv/app/train.py:201
Collective 41 at entry 40 errors
group info: 0:default_pg
collective: nccl:all_reduce
expected ranks: 2
collective state: started
error message: Culprit rank 1; Error type: SIZE_OR_SYNTAX_MISMATCH
Too many mismatches for process_group 0: default_pg aborting
"""


def test_two_blocks() -> None:
    assert events_of(FlightAnalysis, BLOCKS) == snapshot(
        [
            (
                "torch-rank-missing",
                None,
                None,
                {
                    "collective": "18",
                    "group": "5:dp_group",
                    "op": "nccl:_reduce_scatter_base",
                    "ranks": "6, 14",
                    "world": "16",
                    "expected": "0, 6, 14",
                    "frame": "reduce_grads at /srv/app/train.py:201",
                },
                1,
            ),
            (
                "flight-calls-differ",
                None,
                None,
                {
                    "seq": "41",
                    "group": "0:default_pg",
                    "op": "nccl:all_reduce",
                    "world": "2",
                    "state": "started",
                    "culprits": "Culprit rank 1; Error type: SIZE_OR_SYNTAX_MISMATCH",
                },
                1,
            ),
        ]
    )
