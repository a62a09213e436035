"""Machines that take all the power they may."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "node-power-limited"
TEXT = """\
    Instantaneous power reading:                  {} Watts
    Current Limit State: {}
    Power Limit:         6000 Watts
"""
ACTIVE, OFF = "Power Limit Active", "No Active Power Limit"


def test_a_machine_at_its_limit() -> None:
    assert said(RULE, TEXT.format(5990, ACTIVE)) == snapshot(
        [("power-brake", "warning", "likely", "the machine takes 5990 W, and may take 6000 W")]
    )


def test_a_machine_below_its_limit_and_a_limit_that_is_off_raise_nothing() -> None:
    assert findings_of(RULE, TEXT.format(4000, ACTIVE)) == ()
    assert findings_of(RULE, TEXT.format(8000, OFF)) == ()
