from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said, table

FAILED = table(nranks=1, hosts=("node01",))

FINE = table()


def test_is_a_warning() -> None:
    assert said("one-rank", FAILED) == snapshot(
        [
            (
                "one-rank",
                "warning",
                "certain",
                "all_reduce ran on one rank: bus bandwidth is 0 by definition, no link was used",
            )
        ]
    )


def test_silent_on_two_ranks() -> None:
    assert findings_of("one-rank", FINE) == ()
