from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = "launch failed on node7: Couldn't allocate a port for PMI to use\n"

FINE = "srun: error: gpu01: tasks 0-3: Exited with exit code 1\n"


def test_names_node_and_reason() -> None:
    assert said("launcher-failed", FAILED) == snapshot(
        [
            (
                "launcher-failed",
                "critical",
                "certain",
                "node7: the process manager could not get a port or could not be reached; no rank ran",
            )
        ]
    )


def test_silent_on_a_process_that_exits() -> None:
    assert findings_of("launcher-failed", FINE) == ()
