"""Ranks that PALS reports."""

from __future__ import annotations

import pytest
from event_logs import events_of, secondary_kinds
from inline_snapshot import snapshot

from slowlink.parsers.job.pals import Pals

LOG = """\
step 40 loss 1.25
node7.cluster: rank 2 died from signal 11 and dumped core
node7.cluster: rank 3 died from signal 15
node8.cluster: rank 9 died from signal 15
MPICH Slingshot Network Summary: 0 network timeouts
node9.cluster: rank 12 exited with code 134
node9.cluster: rank 13 exited with code 1
launch failed on node3: Couldn't allocate a port for PMI to use
launch failed on node4: couldn't start helper process
"""


def test_the_rank_that_crashed_and_those_that_were_ended() -> None:
    assert events_of(Pals, LOG) == snapshot(
        [
            ("process-crashed", "node7.cluster", 2, {"host": "node7.cluster", "rank": "2", "signal": "11"}, 1),
            ("process-killed", "node7.cluster", 3, {"host": "node7.cluster", "rank": "3", "signal": "15"}, 1),
            ("process-killed", "node8.cluster", 9, {"host": "node8.cluster", "rank": "9", "signal": "15"}, 1),
            ("process-crashed", "node9.cluster", 12, {"host": "node9.cluster", "rank": "12", "code": "134"}, 1),
            ("process-exited", "node9.cluster", 13, {"host": "node9.cluster", "rank": "13", "code": "1"}, 1),
            ("pmi-failure", "node3", None, {"host": "node3"}, 1),
            ("launch-failed", "node4", None, {"host": "node4", "error": "couldn't start helper process"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "rank 2 died of old age",
        "node7.cluster: rank 2 is ready",
        "the launch failed on Monday",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Pals, text) == []


def test_ranks_that_the_launcher_ended_are_secondary() -> None:
    assert secondary_kinds(Pals, LOG) == ["process-killed", "process-killed"]
