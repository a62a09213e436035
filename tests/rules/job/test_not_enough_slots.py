from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = (
    "--------------------------------------------------------------------------\n"
    "There are not enough slots available in the system to satisfy the 24\n"
    "slots that were requested by the application:\n"
    "\n"
    "  ./all_reduce_perf\n"
)

FINE = "mpirun -np 24 ./all_reduce_perf -b 8 -e 128M\nssh: connect to host gpu02 port 22: Connection refused\n"


def test_says_how_many_were_asked_for() -> None:
    assert said("not-enough-slots", FAILED) == snapshot(
        [("not-enough-slots", "critical", "certain", "Open MPI has fewer slots than the 24 ranks that were asked for")]
    )


def test_silent_on_a_sound_start() -> None:
    assert findings_of("not-enough-slots", FINE) == ()
