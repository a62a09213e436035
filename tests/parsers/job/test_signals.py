"""Processes that die of a signal."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.signals import Signals

LOG = """\
[gpu01:4711 :0:4712] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x20)
==== backtrace (tid:   4711) ====
 0  /opt/lib/libucs.so.0(ucs_handle_error+0x2e4) [0x2aab1a0834fa]
 1  /opt/lib/libucp.so.0(ucp_worker_progress+0x3a) [0x2aab1a0834aa]
[gpu02:04800] *** Process received signal ***
[gpu02:04800] Signal: Segmentation fault (11)
[gpu02:04800] Signal code: Address not mapped (1)
[gpu02:04800] [ 0] /lib64/libc.so.6(+0x54db0)[0x7f1a2b3c4d50]
free(): invalid pointer
./launch.sh: line 14: 4711 Aborted                 (core dumped) $@
./run.sh: line 9:  4712 Killed                  ./train
terminate called after throwing an instance of 'std::bad_alloc'
[rank3]: KeyboardInterrupt
srun: sending Ctrl-C to StepId=4711.0
"""


def test_crashes_kills_and_interrupts_are_told_apart() -> None:
    assert events_of(Signals, LOG) == snapshot(
        [
            (
                "process-crashed",
                "gpu01",
                None,
                {"host": "gpu01", "pid": "4711", "signal": "11", "name": "Segmentation fault"},
                1,
            ),
            (
                "process-crashed",
                "gpu02",
                None,
                {"host": "gpu02", "pid": "04800", "name": "Segmentation fault", "signal": "11"},
                1,
            ),
            ("heap-corruption", None, None, {"error": "invalid pointer"}, 1),
            ("process-crashed", None, None, {"pid": "4711", "name": "Aborted"}, 1),
            ("process-killed", None, None, {"pid": "4712", "name": "Killed"}, 1),
            ("process-aborted", None, None, {"exception": "std::bad_alloc"}, 1),
            ("user-interrupt", None, 3, {}, 1),
            ("user-interrupt", None, None, {}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "    3  /opt/lib/libucp.so.0(ucp_progress+0x3a) [0x2aab1a0834fa]",
        "[gpu01:04711] [ 0] /lib64/libc.so.6(+0x54db0)[0x7f1a2b3c4d50]",
        "We saw a Segmentation fault last week.",
        "Killed",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Signals, text) == []
