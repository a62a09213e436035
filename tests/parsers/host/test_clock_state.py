"""Whether a clock is synchronised, in the words of each tool."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.clock_state import FACTS, ClockState

TIMEDATECTL = """\
               Local time: Fri 2026-11-20 10:00:00 UTC
           Universal time: Fri 2026-11-20 10:00:00 UTC
                 RTC time: Fri 2026-11-20 10:00:00
                Time zone: Etc/UTC (UTC, +0000)
System clock synchronized: no
              NTP service: active
          RTC in local TZ: no
"""
TRACKING = """\
Reference ID    : 00000000 ()
Stratum         : 0
Ref time (UTC)  : Thu Jan 01 00:00:00 1970
System time     : 0.000000000 seconds fast of NTP time
Leap status     : Not synchronised
"""
SOURCES = """\
MS Name/IP address         Stratum Poll Reach LastRx Last sample
===============================================================================
^? ntp2.example.org              0   6     0     -     +0ns[   +0ns] +/-    0ns
^* ntp1.example.org              2   6   377    21    +12us[  +15us] +/-  250us
"""
PEERS = """\
     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
+ntp2.example.org 10.1.1.2         2 u   20   64  377    0.310   +0.020   0.040
*ntp1.example.org 10.1.1.1         2 u   21   64  377    0.215   -0.012   0.031
"""
ALL = TIMEDATECTL + TRACKING + SOURCES + PEERS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIMEDATECTL, [False]),
        (TRACKING, [False]),
        (SOURCES, [True]),
        (PEERS, [True]),
        ("unsynchronised\n  polling server every 64 s\n", [False]),
        ("the clocks are unsynchronised\n", []),
        ("* a list with a star\n", []),
    ],
)
def test_what_each_tool_says(text: str, expected: list[bool]) -> None:
    assert [reading.value for reading in feed(ClockState, text.splitlines())] == expected


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.mark)
def test_samples_give_their_values(fact: object) -> None:
    for sample, value in fact.samples.items():  # type: ignore[attr-defined]
        assert [reading.value for reading in feed(ClockState, [sample])] == [value]


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for line in ALL.splitlines():
        assert ClockState.wants(line) == ClockState.wants(shape_of(line).decode()), line


@given(st.lists(st.sampled_from(ALL.splitlines()) | st.text(max_size=40), max_size=12), st.integers(0, 60))
def test_any_order_and_any_cut_gives_states_of_a_clock(lines: list[str], cut: int) -> None:
    text = "\n".join(lines)[: -cut or None]
    assert all(isinstance(reading.value, bool) for reading in feed(ClockState, text.splitlines()))
