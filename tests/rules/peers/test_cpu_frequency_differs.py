from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "cpu-frequency-differs"


def asked(*khz: int) -> str:
    answers = "".join(
        f"gn{node:02}: analyzing CPU 0:\ngn{node:02}:   current CPU frequency: {each} (asserted by call to kernel)\n"
        for node, each in enumerate(khz, 1)
    )
    return "$ pdsh -w gn[01-04] cpupower frequency-info -f\n" + answers


def test_a_node_far_below_its_peers() -> None:
    assert said(RULE, asked(3400000, 3401201, 800000, 3390112)) == snapshot(
        [("node-differs", "warning", "possible", "gn03: CPUs at 0.80 GHz, while 3 nodes of 4 are near 3.40 GHz")]
    )


def test_silent_on_turbo_steps_on_two_nodes_and_where_all_differ() -> None:
    assert findings_of(RULE, asked(3400000, 2900000, 3700000)) == ()
    assert findings_of(RULE, asked(3400000, 800000)) == ()
    assert findings_of(RULE, asked(3400000, 800000, 1900000, 2600000)) == ()
