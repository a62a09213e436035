from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory\n"

FINE = "node07:4711:4712 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address\n"


def test_names_the_call() -> None:
    assert said("memlock-limit", FAILED) == snapshot(
        [
            (
                "memlock-limit",
                "critical",
                "likely",
                "node07: the locked-memory limit is too small: ibv_create_cq cannot allocate memory",
            )
        ]
    )


def test_silent_on_another_error() -> None:
    assert findings_of("memlock-limit", FINE) == ()
