"""Nodes and tools that gave no answer to a program that asked them."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.asking_nodes import AskingNodes

LOG = """\
pdsh@head: gpu02: ssh exited with exit code 255
pdsh@head: gpu03: ssh exited with exit code 1
pdsh@head: gpu04: mcmd: connect failed: No route to host
clush: gpu05: command timeout
gpu06 | UNREACHABLE! => {"changed": false, "unreachable": true}
fatal: [gpu07]: UNREACHABLE! => {"changed": false, "msg": "Connection timed out"}
gpu07                      : ok=0    changed=0    unreachable=1    failed=0    skipped=0
[8] 10:22:33 [FAILURE] gpu08 Timed out, Killed by signal 9
timeout: sending signal TERM to command ‘nvidia-smi’
subprocess.TimeoutExpired: Command '['/usr/bin/dcgmi', 'diag', '-r', '2']' timed out after 600 seconds
"""


def test_who_did_not_answer_whom() -> None:
    assert events_of(AskingNodes, LOG) == snapshot(
        [
            ("node-silent", "gpu02", None, {"host": "gpu02"}, 1),
            ("node-command-failed", "gpu03", None, {"host": "gpu03", "code": "1"}, 1),
            ("node-silent", "gpu04", None, {"host": "gpu04", "error": "mcmd: connect failed: No route to host"}, 1),
            ("node-silent", "gpu05", None, {"host": "gpu05", "error": "command timeout"}, 1),
            ("node-silent", "gpu06", None, {"host": "gpu06"}, 1),
            ("node-silent", "gpu07", None, {"host": "gpu07"}, 1),
            ("node-silent", "gpu07", None, {"host": "gpu07", "times": "1"}, 1),
            ("node-silent", "gpu08", 8, {"host": "gpu08", "error": "Timed out"}, 1),
            ("tool-late", None, None, {"tool": "nvidia-smi"}, 1),
            ("tool-late", None, None, {"tool": "/usr/bin/dcgmi", "seconds": "600"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "gpu06                      : ok=4    changed=1    unreachable=0    failed=0    skipped=0",
        "gpu06 | SUCCESS => {",
        "clush: gpu05: exited with exit code 2",
        "[1] 10:22:31 [SUCCESS] gpu05",
        "gpu01: UNREACHABLE is a word",
        "the command timed out after 60 seconds",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(AskingNodes, text) == []
