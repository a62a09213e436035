"""ipmitool dcmi: what a machine takes and may take."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_readings import said, unread

TEXT = """\
$ ipmitool dcmi power reading

    Instantaneous power reading:                  5210 Watts
    Minimum during sampling period:               1210 Watts
    Maximum during sampling period:              10210 Watts
    Average power reading over sample period:     6210 Watts
    IPMI timestamp:                           Mon Nov 23 09:12:11 2026
    Sampling period:                          00000001 Seconds.
    Power reading state is:                   activated

$ ipmitool dcmi power get_limit
    Current Limit State: No Active Power Limit
    Exception actions:   Hard Power Off & Log Event to SEL
    Power Limit:         6000 Watts
    Correction time:     1000 milliseconds
    Sampling period:     1 seconds
"""


def test_power_and_its_limit() -> None:
    assert said(TEXT) == snapshot(
        ["node-power  = 5210", "node-power-limit-active  = False", "node-power-limit  = 6000"]
    )
    assert unread(TEXT) == []
